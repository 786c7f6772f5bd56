// SPDX-License-Identifier: BSL-1.0
#include "restored_directory.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

#include "archive_path.hpp"
#include "base/path_error.hpp"
#include "common/descriptor.hpp"
#include "platform/posix/temporary_file.hpp"

namespace backup {
namespace {

using tenon::platform::TemporaryFile;
using tenon::tools::Descriptor;

tenon::Error cannot_write(const std::filesystem::path& path, int error) {
  tenon::detail::PathProblem problem =
      tenon::detail::unwritable(path, {.attempt = "writing the item",
                                       .number = error,
                                       .instead = "restore into another directory"});
  if (error == ENAMETOOLONG) {
    problem.needed = "a file system that allows such names; most allow 255 bytes, including .json";
    problem.fix = "take the item from the archive";
  }
  return tenon::detail::error_of(problem);
}

tenon::Error cannot_create(const std::filesystem::path& directory, int error) {
  tenon::detail::PathProblem problem =
      tenon::detail::unwritable(directory, {.attempt = "creating the directory",
                                            .number = error,
                                            .instead = "restore into another directory"});
  if (error == ENOTDIR) {
    problem.needed = "no file in place of the directory or of one above it";
    problem.fix = "remove that file, or restore into another directory";
  }
  return tenon::detail::error_of(problem);
}

/// Gives a file that has none the name `name`, unless there is such a file. Returns 0 or the error.
int link_file(int file, int directory, const std::string& name) {
  // Refused with ENOENT to users without privileges by Linux before 6.10. A path below /proc does
  // the same and takes longer.
  static std::atomic<bool> links_descriptors{true};
  if (links_descriptors.load(std::memory_order_relaxed)) {
    if (::linkat(file, "", directory, name.c_str(), AT_EMPTY_PATH) == 0) return 0;
    if (errno != ENOENT) return errno;
    links_descriptors.store(false, std::memory_order_relaxed);
  }
  const std::string self = "/proc/self/fd/" + std::to_string(file);
  const int linked = ::linkat(AT_FDCWD, self.c_str(), directory, name.c_str(), AT_SYMLINK_FOLLOW);
  return linked == 0 ? 0 : errno;
}

/// Writes a file that has a name only when it is complete, unless there is a file `name`. Returns 0
/// or the error, eg: EEXIST; EOPNOTSUPP on some file systems; ENOENT without /proc.
int write_new(int directory, const std::string& name, mode_t mode, std::string_view content) {
  const Descriptor file(::openat(directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
  if (!file || !tenon::tools::write_all(file.get(), content)) return errno;
  return link_file(file.get(), directory, name);
}

/// Moves a file into a directory unless there is a file `to`. Returns 0 or the error, eg: EEXIST.
int move_to_absent(int from_directory, const char* from, int directory, const char* to) {
  if (::renameat2(from_directory, from, directory, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL) return errno;
  // The file system does not support the flag, eg: NFS or sshfs.
  if (::linkat(from_directory, from, directory, to, 0) != 0) return errno;
  ::unlinkat(from_directory, from, 0);
  return 0;
}

/// Writes a temporary file in the directory `top`, where the next restore looks for files of a
/// killed one, and moves it. Returns 0 or the error; EEXIST if the file exists and is kept.
int write_and_move(int top, int directory, const std::string& name, mode_t mode,
                   std::string_view content, RestoredDirectory::Existing existing) {
  TemporaryFile file(top, mode);
  if (!file.is_open() || !tenon::tools::write_all(file.get(), content)) return errno;
  if (existing == RestoredDirectory::Existing::keep) {
    const int error = move_to_absent(top, file.name().c_str(), directory, name.c_str());
    if (error != 0) return error;
  } else if (::renameat(top, file.name().c_str(), directory, name.c_str()) != 0) {
    return errno;
  }
  file.release();
  return 0;
}

/// Returns whether only this user can use a file in a directory.
bool is_private(int directory, const std::string& name) {
  struct stat status;
  return ::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         status.st_uid == ::geteuid() && (status.st_mode & 077) == 0;
}

/// Returns the content of a file in a directory, or nothing if there is none. Follows no link.
std::optional<std::string> content_of(int directory, const std::string& name) {
  const Descriptor file(
      ::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  std::string content;
  char piece[65536];
  for (ssize_t got = 1; file && got != 0;) {
    got = ::read(file.get(), piece, sizeof piece);
    if (got < 0 && errno != EINTR) return std::nullopt;
    if (got > 0) content.append(piece, static_cast<std::size_t>(got));
  }
  return file ? std::optional(std::move(content)) : std::nullopt;
}

/// Returns the error of a directory that could not be opened because of the last error.
tenon::Error cannot_enter(int parent, const std::string& name, const std::filesystem::path& path) {
  const int error = errno;
  struct stat status;
  const bool is_link =
      ::fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
  if (!is_link) return cannot_create(path, error);
  return tenon::Error(
      {.code = "cannot-write",
       .message = "the directory cannot be created",
       .where = path.string(),
       .found = "a symbolic link, which might lead out of the directory of the restore",
       .needed = "no link in place of the directory",
       .fix = "remove that link, or restore into another directory"});
}

}  // namespace

struct RestoredDirectory::Opened {
  explicit Opened(Descriptor opened) : descriptor(std::move(opened)) {}

  Descriptor descriptor;
};

RestoredDirectory::Place::Place() = default;
RestoredDirectory::Place::~Place() = default;

RestoredDirectory::RestoredDirectory(std::filesystem::path directory)
    : directory_(std::move(directory)) {}

RestoredDirectory::~RestoredDirectory() = default;

tenon::Result<RestoredDirectory::Written> RestoredDirectory::write(const tenon::ResourceIdV1& id,
                                                                   std::string_view json,
                                                                   Existing existing,
                                                                   Place& place) const {
  const std::filesystem::path path = archive_path(id);
  const auto entered = enter(path.parent_path(), Missing::made, place);
  if (!entered) return entered.error();
  const int directory = (*entered)->descriptor.get();
  const int top = top_->descriptor.get();
  const std::string content = std::string(json) + "\n";
  const bool is_secret = id.resource == "secrets";
  const mode_t mode = is_secret ? 0600 : 0666;
  const std::string name = path.filename();
  int error = write_new(directory, name, mode, content);
  if (error != 0 && error != EEXIST) {
    error = write_and_move(top, directory, name, mode, content, Existing::keep);
  }
  const bool same = error == EEXIST && content_of(directory, name) == content;
  const bool is_open = same && is_secret && !is_private(directory, name);
  if (error == EEXIST && (same ? is_open : existing == Existing::replace)) {
    error = write_and_move(top, directory, name, mode, content, Existing::replace);
  }
  if (error == 0) return Written::written;
  if (error != EEXIST) return cannot_write(directory_ / path, error);
  return same ? Written::unchanged : Written::differs;
}

std::optional<std::string> RestoredDirectory::read(const tenon::ResourceIdV1& id) const {
  const std::filesystem::path path = archive_path(id);
  Place place;
  const auto directory = enter(path.parent_path(), Missing::error, place);
  if (!directory) return std::nullopt;
  return content_of((*directory)->descriptor.get(), path.filename());
}

tenon::Result<void> RestoredDirectory::lock() {
  std::error_code failed;
  std::filesystem::create_directories(directory_, failed);
  if (failed) return cannot_create(directory_, failed.value());
  Descriptor top(::open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (top && tenon::tools::lock(top.get())) {
    tenon::platform::remove_abandoned_files(top.get());
    top_ = std::make_unique<Opened>(std::move(top));
    return {};
  }
  if (errno != EWOULDBLOCK) return cannot_write(directory_, errno);
  return tenon::Error({.code = "in-use",
                       .message = "another process restores into this directory",
                       .where = directory_.string(),
                       .fix = "wait until it ends, or restore into another directory"});
}

tenon::Result<void> RestoredDirectory::sync() const {
  if (::syncfs(top_->descriptor.get()) == 0) return {};
  return cannot_write(directory_, errno);
}

void RestoredDirectory::write_back() const noexcept {
  // Each open file reports an error of the disk once, so this must not be the one of `sync`.
  const Descriptor own(::openat(top_->descriptor.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (own) ::syncfs(own.get());
}

void RestoredDirectory::write_several(const std::function<void()>& writes) {
  const tenon::platform::NoFileSizeSignal no_signal;  // once for all items
  writes();
}

/// Opens a directory below the directory. Follows no link, which could lead out of it.
tenon::Result<const RestoredDirectory::Opened*> RestoredDirectory::enter(
    const std::filesystem::path& path, Missing missing, Place& place) const {
  if (path == place.path && place.directory) return place.directory.get();
  place.path = path;
  place.directory = nullptr;
  Descriptor inner(::fcntl(top_->descriptor.get(), F_DUPFD_CLOEXEC, 0));
  std::filesystem::path full = directory_;
  for (const std::string part : path) {
    full /= part;
    const bool failed = missing == Missing::made &&
                        ::mkdirat(inner.get(), part.c_str(), 0777) != 0 && errno != EEXIST;
    const int reason = errno;
    const int inside =
        ::openat(inner.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inside < 0) {
      if (failed) errno = reason;
      return cannot_enter(inner.get(), part, full);
    }
    inner.reset(inside);
  }
  place.directory = std::make_unique<Opened>(std::move(inner));
  return place.directory.get();
}

}  // namespace backup
