// SPDX-License-Identifier: BSL-1.0
//
// The files that contain the JSON texts of items.
#pragma once

#include <tenon/result.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "platform/file.hpp"

namespace backup {

/// The location of the text of one item.
struct ItemPlace {
  std::uint32_t file;    // number of a file in an ItemFiles
  std::uint32_t head;    // number of the members to insert before those of the text; 0: none
  std::uint64_t offset;  // in bytes
  std::uint64_t size;
};

/// A file stays open, or is opened for each text if there may be many files. Movable. `read` may be
/// called from any thread.
class ItemFiles {
 public:
  /// Adds a file that is opened for each text. `identity`: of the file when the texts were found.
  std::uint32_t add(std::filesystem::path path, const tenon::platform::FileIdentity& identity);
  /// Adds a file that stays open.
  std::uint32_t add(tenon::platform::File open);
  /// Adds members that are missing in texts, eg: `"apiVersion":"v1","kind":"Pod"`.
  std::uint32_t add_head(std::string members);

  /// What to add to the numbers of files and heads.
  struct Shift {
    std::uint32_t files;
    std::uint32_t heads;  // except 0
  };
  /// Adds the files and heads of `other`. Returns the shift of their numbers.
  Shift append(ItemFiles&& other);

  const std::filesystem::path& path(std::uint32_t file) const { return files_[file].path; }

  /// Returns a text. Errors: cannot-read; file-changed if the file was changed after it was added.
  tenon::Result<std::string> read(const ItemPlace& place) const;

 private:
  struct File {
    std::filesystem::path path;
    std::unique_ptr<tenon::platform::File> open;  // nullptr: opened for each text
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t modified = 0;
  };

  tenon::Result<std::string> read_open(const tenon::platform::File& file,
                                       const ItemPlace& place) const;

  std::vector<File> files_;
  std::vector<std::string> heads_{std::string()};
};

/// Opens a file of documents. Error: cannot-read, also if it is not a regular file.
tenon::Result<tenon::platform::File> open_documents(const std::filesystem::path& path);

/// Returns the error for an errno, eg: of reading a file.
tenon::Error cannot_read(const std::filesystem::path& path, int number);

}  // namespace backup
