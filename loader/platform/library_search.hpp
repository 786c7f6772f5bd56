// SPDX-License-Identifier: BSL-1.0
//
// Where the system's loader looks for the libraries that a file needs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tenon::platform {

/// The names of libraries with their paths, in the order of the index.
using LibraryIndex = std::unordered_map<std::string, std::vector<std::string>>;

/// Reads the content of the system's index; empty where it is none. Entries without a name or a
/// path are left out. Takes memory for a few times the content at most.
LibraryIndex read_library_index(std::string_view content);

/// Reads the environment and the system's index once.
class LibrarySearch {
 public:
  LibrarySearch();

  /// The places of a library with this name, in the order in which the system's loader tries them:
  /// the folders of the environment, what the index says, the usual folders. There may be nothing
  /// there, or a library for another machine.
  std::vector<std::filesystem::path> places(const std::string& name) const;

 private:
  std::vector<std::filesystem::path> folders_;
  LibraryIndex index_;
};

}  // namespace tenon::platform
