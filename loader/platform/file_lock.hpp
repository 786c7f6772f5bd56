// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <filesystem>

#include "platform/native_handle.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

/// A lock between processes: a file that one of them has locked. The file stays.
class FileLock {
 public:
  /// Creates the file unless it exists, for this user alone, and locks it until this object is
  /// destroyed. A process that was killed keeps its locks for a moment, so this tries again for
  /// 2 s.
  explicit FileLock(const std::filesystem::path& path);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  /// Returns why it is not locked: EWOULDBLOCK if another process has it, or another value of
  /// errno; 0 if it is locked.
  int error() const noexcept { return error_; }

 private:
  NativeHandle handle_;
  int error_ = 0;
};

}}}  // namespace tenon::v0_1::platform
