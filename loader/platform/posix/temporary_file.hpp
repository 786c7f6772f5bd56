// SPDX-License-Identifier: BSL-1.0
//
// Files that get their names when they are complete. Until then they have names that cannot be
// guessed, such as `.tenon-0123456789abcdef`, and are locked. The files of a process that was
// killed are not locked, and a later process removes them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "platform/posix/descriptor.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

/// A new file in an open directory. Follows no link and uses no existing file. The destructor
/// removes it unless it was released.
class TemporaryFile {
 public:
  /// Creates the file with the permissions `mode` without those of the umask. The directory must
  /// stay open as long as the object exists.
  TemporaryFile(int directory, mode_t mode);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  /// Returns whether the file was created; otherwise, right after the construction, the reason is
  /// in errno.
  bool is_open() const noexcept { return exists_; }
  int get() const { return file_->get(); }
  const std::string& name() const noexcept { return name_; }
  /// Closes the file. Returns false, with the reason in errno, if its content may be lost.
  bool close() { return file_->close(); }
  /// Keeps the file, which has another name now.
  void release() noexcept { exists_ = false; }

 private:
  bool is_lost() const;

  const int directory_;
  std::string name_;
  std::optional<Descriptor> file_;
  bool exists_ = false;
};

/// Removes the temporary files of processes that have ended from an open directory.
void remove_abandoned_files(int directory);

}}}  // namespace tenon::v0_1::platform
