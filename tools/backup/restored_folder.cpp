// SPDX-License-Identifier: BSL-1.0
#include "restored_folder.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "archive_path.hpp"
#include "common/descriptor.hpp"

namespace backup {
namespace {

using tenon::tools::Descriptor;

tenon::Error cannot_write(const std::filesystem::path& path, int error) {
  const bool too_long = error == ENAMETOOLONG;
  return tenon::Error({.code = "cannot-write",
                       .message = "the item cannot be written",
                       .where = path.string(),
                       .found = std::generic_category().message(error),
                       .needed = too_long ? "a file system that allows such names; most allow 255 "
                                            "bytes, including .json"
                                          : "a folder with room, in which this user may write",
                       .fix = too_long ? "take the item from the archive"
                                       : "make room, or restore into another folder"});
}

tenon::Error cannot_create(const std::filesystem::path& folder, int error) {
  const bool is_file = error == ENOTDIR;
  return tenon::Error({.code = "cannot-write",
                       .message = "the folder cannot be created",
                       .where = folder.string(),
                       .found = std::generic_category().message(error),
                       .needed = is_file ? "no file in place of the folder or of one above it"
                                         : "a folder with room, in which this user may write",
                       .fix = is_file ? "remove that file, or restore into another folder"
                                      : "make room, or restore into another folder"});
}

/// Moves a file unless there is a file at `to`. Returns 0 or the error, eg: EEXIST.
int move_to_absent(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL) return errno;
  // The file system does not support the flag, eg: NFS or sshfs.
  if (::link(from.c_str(), to.c_str()) != 0) return errno;
  ::unlink(from.c_str());
  return 0;
}

bool holds(const std::filesystem::path& path, std::string_view text) {
  std::error_code failed;
  if (std::filesystem::file_size(path, failed) != text.size() || failed) return false;
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {}) == text;
}

}  // namespace

tenon::Result<RestoredFolder::Written> RestoredFolder::write(const tenon::ResourceIdV1& id,
                                                             std::string_view json) {
  const std::filesystem::path path = folder_ / archive_path(id);
  if (auto made = make(path.parent_path()); !made) return std::move(made).error();
  const std::filesystem::path partial = path.parent_path() / ".tenon-partial";
  const std::string content = std::string(json) + "\n";
  {
    const Descriptor file(
        ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file || !tenon::tools::write_all(file.get(), content)) {
      const int error = errno;
      if (file) ::unlink(partial.c_str());
      return cannot_write(path, error);
    }
  }
  const int error = move_to_absent(partial, path);
  if (error == 0) return Written::written;
  ::unlink(partial.c_str());
  if (error != EEXIST) return cannot_write(path, error);
  return holds(path, content) ? Written::unchanged : Written::differs;
}

std::optional<std::string> RestoredFolder::read(const tenon::ResourceIdV1& id) const {
  std::ifstream file(folder_ / archive_path(id), std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

tenon::Result<void> RestoredFolder::lock() {
  if (auto made = make(folder_); !made) return made;
  lock_.reset(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock_ && ::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return {};
  if (errno != EWOULDBLOCK) return cannot_write(folder_, errno);
  return tenon::Error({.code = "in-use",
                       .message = "another process restores into this folder",
                       .where = folder_.string(),
                       .fix = "wait until it ends, or restore into another folder"});
}

tenon::Result<void> RestoredFolder::sync() const {
  if (::syncfs(lock_.get()) == 0) return {};
  return cannot_write(folder_, errno);
}

tenon::Result<void> RestoredFolder::make(const std::filesystem::path& folder) {
  if (made_.contains(folder.string())) return {};
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return cannot_create(folder, failed.value());
  made_.insert(folder.string());
  return {};
}

}  // namespace backup
