// SPDX-License-Identifier: BSL-1.0
//
// A temporary file without a name, which disappears when the program ends, even after a crash.
#pragma once

#include <tenon/result.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "platform/nameless_file.hpp"

namespace backup {

/// A file that is written from its beginning to its end. Belongs to one thread at a time.
class Spool {
 public:
  /// Creates the file on the file system of a directory. Error: cannot-write.
  static tenon::Result<Spool> create(const std::filesystem::path& directory);

  /// Appends data. Error: cannot-write, eg: the disk is full.
  tenon::Result<void> append(std::string_view data);
  /// Returns the number of bytes that were appended.
  std::uint64_t size() const noexcept { return written_ + buffer_.size(); }
  /// Writes buffered data and returns the file. Error: cannot-write.
  tenon::Result<tenon::platform::File> release();

 private:
  Spool(std::filesystem::path directory, tenon::platform::NamelessFile file);
  tenon::Result<void> flush();

  std::filesystem::path directory_;
  tenon::platform::NamelessFile file_;
  std::string buffer_;
  std::uint64_t written_ = 0;
};

}  // namespace backup
