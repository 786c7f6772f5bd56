// SPDX-License-Identifier: BSL-1.0
#include "reading/durable_file.hpp"

#include "reading/descriptor.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace tenon::reading {
namespace {

mode_t rights_of(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0600;
}

/// Whether the file of this name is still the one that is open.
bool is_at(const std::filesystem::path& path, int file) {
  struct stat open {};
  struct stat there {};
  return ::fstat(file, &open) == 0 && ::lstat(path.c_str(), &there) == 0 &&
         open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

/// The file to write, which nobody else writes as long as it is open; -1 where that fails.
int open_alone(const std::filesystem::path& path) {
  for (;;) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return -1;
    while (::flock(file.get(), LOCK_EX) != 0) {
      if (errno != EINTR) return -1;
    }
    // Who wrote it before may have put it in its place while we waited.
    if (is_at(path, file.get())) return file.release();
  }
}

bool write_durably(int file, std::string_view text, mode_t rights) {
  return ::ftruncate(file, 0) == 0 && write_all(file, text) && ::fchmod(file, rights) == 0 &&
         ::fsync(file) == 0;
}

bool sync_folder(const std::filesystem::path& folder) {
  const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return file && ::fsync(file.get()) == 0;
}

}  // namespace

int replace_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path fresh = path.string() + ".new";
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const Descriptor file(open_alone(fresh));
  if (!file) return errno;
  if (write_durably(file.get(), text, rights_of(path)) &&
      std::rename(fresh.c_str(), path.c_str()) == 0) {
    return sync_folder(folder) ? 0 : errno;
  }
  const int error = errno;
  ::unlink(fresh.c_str());
  return error;
}

}  // namespace tenon::reading
