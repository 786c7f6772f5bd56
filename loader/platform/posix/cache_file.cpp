// SPDX-License-Identifier: BSL-1.0
#include "platform/cache_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/test_point.hpp"
#include "platform/posix/descriptor.hpp"
#include "platform/posix/temporary_file.hpp"
#include "platform/private_directory.hpp"
#include "platform/process.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

std::filesystem::path cache_directory() {
  std::filesystem::path parent = trusted_environment("XDG_CACHE_HOME");
  // The standard of the variable says that relative paths count as absent.
  if (!parent.is_absolute()) {
    parent = trusted_environment("HOME");
    parent /= ".cache";
  }
  return parent.is_absolute() ? parent / "tenon" : std::filesystem::path();
}

std::optional<std::vector<std::byte>> read_cache_file(const std::filesystem::path& file,
                                                      std::size_t limit) {
  if (!check_user_directory(file.parent_path())) return std::nullopt;
  constexpr int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const Descriptor open(::open(file.c_str(), flags));
  struct stat status;
  if (!open || ::fstat(open.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0 ||
      static_cast<std::uint64_t>(status.st_size) > limit)
    return std::nullopt;
  TENON_TEST_POINT("cache: opened");
  std::vector<std::byte> content(static_cast<std::size_t>(status.st_size));
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t count = ::read(open.get(), content.data() + done, content.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    done += static_cast<std::size_t>(count);
  }
  return content;
}

bool write_cache_file(const std::filesystem::path& file, std::string_view content) {
  const std::filesystem::path path = file.parent_path();
  if (!make_user_directory(path)) return false;
  const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) return false;
  remove_abandoned_files(directory.get());
  TemporaryFile fresh(directory.get(), S_IRUSR | S_IWUSR);
  const std::string name = file.filename().string();
  if (!fresh.is_open() || !write_all(fresh.get(), content)) return false;
  TENON_TEST_POINT("cache: written");
  // It stays locked until it has its name.
  if (::renameat(directory.get(), fresh.name().c_str(), directory.get(), name.c_str()) != 0)
    return false;
  fresh.release();
  return true;
}

}}}  // namespace tenon::v0_1::platform
