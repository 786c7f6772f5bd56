// SPDX-License-Identifier: BSL-1.0
#include "append_file.hpp"

#include <tenon/sdk/failure.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tenon::builtin {

AppendFile::AppendFile(std::string path, mode_t mode) : path_(std::move(path)) {
  // Does not wait for the reader of a FIFO.
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, mode);
  if (file_ < 0) throw sdk::system_failure(errno, "cannot open ", path_);
  try {
    lock();
  } catch (...) {
    ::close(file_);
    throw;
  }
}

AppendFile::~AppendFile() {
  ::close(file_);
}

// Two writers would overwrite each other's pieces. Some file systems have no locks.
void AppendFile::lock() const {
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  throw sdk::Failure(TENON_FAILED_PRECONDITION, path_,
                     " is being written by another destination or process; fix: choose another "
                     "path, or end the other writer");
}

void AppendFile::truncate(std::int64_t size) {
  size_ = size;
  if (::ftruncate(file_, size_) != 0 || ::lseek(file_, size_, SEEK_SET) < 0) {
    throw sdk::system_failure(errno, "cannot seek to the end of ", path_);
  }
  make_entry_durable();
}

void AppendFile::make_entry_durable() const {
  std::size_t slash = path_.rfind('/');
  std::string directory = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
  int entry = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (entry < 0) throw sdk::system_failure(errno, "cannot open ", directory);
  int failed = ::fsync(entry) != 0 ? errno : 0;
  ::close(entry);
  if (failed != 0) throw sdk::system_failure(failed, "cannot write ", directory);
}

/// Throws sdk::Failure if the file is shorter than it was after these pieces: the next one would
/// follow zeros.
void AppendFile::check_size(std::int64_t size) const {
  struct stat status;
  if (::fstat(file_, &status) != 0) throw sdk::system_failure(errno, "cannot read ", path_);
  if (status.st_size >= size) return;
  throw sdk::Failure(TENON_DATA_LOSS, path_,
                     " was truncated while records were written to it; fix: choose a path that "
                     "nothing else writes");
}

/// Throws sdk::Failure if the path does not lead to the file any more.
void AppendFile::check_entry() const {
  struct stat file;
  struct stat entry;
  if (::fstat(file_, &file) != 0) throw sdk::system_failure(errno, "cannot read ", path_);
  if (::stat(path_.c_str(), &entry) == 0 && entry.st_dev == file.st_dev &&
      entry.st_ino == file.st_ino) {
    return;
  }
  throw sdk::Failure(TENON_DATA_LOSS, path_,
                     " was removed or replaced while records were written to it; fix: choose a "
                     "path that nothing else writes");
}

void AppendFile::append(std::string_view piece) {
  check_size(size_);
  std::string_view rest = piece;
  int failed = 0;
  while (!rest.empty() && failed == 0) {
    ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      failed = errno;
    }
  }
  if (failed == 0) {
    size_ += static_cast<std::int64_t>(piece.size());
    return;
  }
  if (::ftruncate(file_, size_) != 0 || ::lseek(file_, size_, SEEK_SET) < 0) {
    throw sdk::system_failure(failed, "cannot write ", path_, " and cannot undo the partial write")
        .fatal();
  }
  throw sdk::system_failure(failed, "cannot write ", path_);
}

void AppendFile::sync() {
  const std::int64_t size = size_;
  if (::fdatasync(file_) != 0) throw sdk::system_failure(errno, "cannot write ", path_);
  check_size(size);
  check_entry();
}

}  // namespace tenon::builtin
