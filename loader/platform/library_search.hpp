// SPDX-License-Identifier: BSL-1.0
//
// Finds libraries in the same places as the dynamic loader.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace platform {

/// Maps names of libraries to their paths, in the order of ld.so.cache.
using LibraryIndex = std::unordered_map<std::string, std::vector<std::string>>;

/// Reads the content of an ld.so.cache. Returns an empty index if the content has another format.
/// Entries without a name or a path are skipped. Allocates a small multiple of the size of the
/// content at most.
LibraryIndex read_library_index(std::string_view content);

/// The search order of the dynamic loader. Reads the environment and ld.so.cache once.
class LibrarySearch {
 public:
  LibrarySearch();

  /// Returns the paths at which the dynamic loader tries a library of this name, in its order: the
  /// directories of LD_LIBRARY_PATH, the entries of ld.so.cache, the default directories. The files
  /// may not exist, or be for another machine. Without `default_directories`, nothing in these is
  /// returned.
  std::vector<std::filesystem::path> candidates(const std::string& name,
                                                bool default_directories = true) const;

 private:
  std::vector<std::filesystem::path> directories_;
  LibraryIndex index_;
};

}}}  // namespace tenon::v0_1::platform
