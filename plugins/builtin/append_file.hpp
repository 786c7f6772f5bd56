// SPDX-License-Identifier: BSL-1.0
//
// A file to which pieces are appended, each one completely or not at all. Only one object writes to
// a file at a time.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::builtin {

class AppendFile {
 public:
  /// Opens or creates the file and locks it until the object is destroyed. A new file has the
  /// permissions `mode` without those of the umask. Throws sdk::Failure, TENON_FAILED_PRECONDITION
  /// if another object or process writes to the file.
  explicit AppendFile(std::string path, mode_t mode = 0666);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  /// Makes the directory entry durable, and truncates the file to `size` bytes, to which pieces are
  /// then appended. Called once, before the functions below. Throws sdk::Failure.
  void truncate(std::int64_t size);
  /// Writes a piece. If that fails, the file is unchanged. Throws sdk::Failure: fatal if a partial
  /// write could not be undone, TENON_DATA_LOSS if the file was truncated.
  void append(std::string_view piece);
  /// Waits until all pieces are on the disk. May be called while another thread appends. Throws
  /// sdk::Failure, TENON_DATA_LOSS if the file was removed, replaced or truncated.
  void sync();

 private:
  void lock() const;
  void make_entry_durable() const;
  void check_size(std::int64_t size) const;
  void check_entry() const;

  std::string path_;
  int file_ = -1;
  std::atomic<std::int64_t> size_ = 0;
};

}  // namespace tenon::builtin
