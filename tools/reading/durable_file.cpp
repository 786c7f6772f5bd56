// SPDX-License-Identifier: BSL-1.0
#include "reading/durable_file.hpp"

#include "reading/descriptor.hpp"

#include <fcntl.h>
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

bool write_durably(const std::filesystem::path& path, std::string_view text, mode_t rights) {
  const Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  return file && write_all(file.get(), text) && ::fchmod(file.get(), rights) == 0 &&
         ::fsync(file.get()) == 0;
}

bool sync_folder(const std::filesystem::path& folder) {
  const Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return file && ::fsync(file.get()) == 0;
}

}  // namespace

int replace_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path fresh = path.string() + ".new";
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (write_durably(fresh, text, rights_of(path)) &&
      std::rename(fresh.c_str(), path.c_str()) == 0 && sync_folder(folder)) {
    return 0;
  }
  const int error = errno;
  ::unlink(fresh.c_str());
  return error;
}

}  // namespace tenon::reading
