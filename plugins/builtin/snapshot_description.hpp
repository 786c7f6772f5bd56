// SPDX-License-Identifier: BSL-1.0
//
// The description that is stored beside the content of a snapshot, as JSON:
//
//   {"volume":"team/database","files":12,"tags":{"backup":"nightly"}}
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "directory.hpp"

namespace tenon::builtin {

struct SnapshotDescription {
  std::string volume;       // the id of the volume
  std::uint64_t files = 0;  // number of files and links
  std::map<std::string, std::string> tags;
};

/// Write and read `snapshot.json` in the directory of a snapshot. Throw sdk::Failure; reading
/// throws TENON_DATA_LOSS if the file is missing or wrong.
void write_description(const Directory& snapshot, const SnapshotDescription& description);
SnapshotDescription read_description(const Directory& snapshot);

}  // namespace tenon::builtin
