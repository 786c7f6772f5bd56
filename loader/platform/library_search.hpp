// SPDX-License-Identifier: BSL-1.0
//
// Where the system's loader looks for the libraries that a file needs.
#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

namespace tenon::platform {

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
  // A name to its paths, in the order of the index.
  std::unordered_map<std::string, std::vector<std::string>> index_;
};

}  // namespace tenon::platform
