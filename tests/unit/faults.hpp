// SPDX-License-Identifier: BSL-1.0
//
// Test modules that each have one fault. FAULTS is the directory of tests/faults.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "platform/file.hpp"

namespace tenon::tests {

using Bytes = std::vector<std::byte>;

inline std::filesystem::path fault(const std::string& name) {
  return std::filesystem::path(FAULTS) / (name + ".so");
}

inline Bytes bytes_of(const std::filesystem::path& path) {
  return platform::File::open(path).value().read_all(1 << 24).value();
}

}  // namespace tenon::tests
