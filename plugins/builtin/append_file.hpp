// SPDX-License-Identifier: BSL-1.0
//
// A file that grows by pieces, each of which is there completely or not at all once it was
// appended.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::builtin {

class AppendFile {
 public:
  /// Opens the file and makes it durable that it exists; cuts it to `size` bytes. Throws
  /// sdk::Failure.
  AppendFile(std::string path, std::int64_t size);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  /// Writes a piece and waits until it is on the disk. Where that fails the file is as it was.
  /// Throws sdk::Failure.
  void append(std::string_view piece);

 private:
  void make_entry_durable() const;

  std::string path_;
  int file_ = -1;
  std::int64_t size_;
};

}  // namespace tenon::builtin
