// SPDX-License-Identifier: BSL-1.0
//
// A file to which pieces are appended, each one completely or not at all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::builtin {

class AppendFile {
 public:
  /// Opens or creates the file, makes its directory entry durable, and truncates it to `size`
  /// bytes. Throws sdk::Failure.
  AppendFile(std::string path, std::int64_t size);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  /// Writes a piece. If that fails, the file is unchanged. Throws sdk::Failure, which is fatal if a
  /// partial write could not be undone.
  void append(std::string_view piece);
  /// Waits until all pieces are on the disk. May be called while another thread appends. Throws
  /// sdk::Failure.
  void sync();

 private:
  void make_entry_durable() const;

  std::string path_;
  int file_ = -1;
  std::int64_t size_;
};

}  // namespace tenon::builtin
