// SPDX-License-Identifier: BSL-1.0
//
// Which libraries a module needs, and whether the system would find them. Nothing is loaded.
#pragma once

#include <tenon/result.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace tenon {

struct NeededLibrary {
  std::string name;              // eg: "libc.so.6"
  std::filesystem::path path{};  // empty where the system would not find it
  /// It lies only where $ORIGIN points. Modules are loaded from a private copy, which has no
  /// neighbours.
  bool near_only = false;
};

/// In the order of the file. Any thread. Errors: those of opening an ELF file.
Result<std::vector<NeededLibrary>> needed_libraries(const std::filesystem::path& path);

}  // namespace tenon
