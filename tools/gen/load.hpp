// SPDX-License-Identifier: BSL-1.0
//
// Reads directories of spec files into a checked Model.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "gen/model/model.hpp"
#include "gen/read/spec_files.hpp"

namespace tenon::gen {

/// A requested kind or version does not exist.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A standard kind that a program uses, and the newest version that it uses: "source", 2.
struct StandardKind {
  std::string name;
  int version;
};

/// Parses "source@2". Throws UsageError.
StandardKind parse_standard(const std::string& text);

struct LoadOptions {
  std::vector<std::string> directories;
  std::vector<StandardKind> standard{};
  /// The directory of the standard specs. It is read only if `standard` or a spec refers to one.
  std::string standard_specs{};
  /// Whether released versions must be as listed in `released.json`.
  bool frozen = true;
};

/// Reads and checks the specs. The Model may be used only if there are no diagnostics. From the
/// standard specs it contains the requested kinds up to the requested versions, and the document
/// types that are used, up to the newest used version. Throws IoError and UsageError.
Model load_specs(const LoadOptions& options, Diagnostics& diagnostics);

}  // namespace tenon::gen
