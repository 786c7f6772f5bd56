// SPDX-License-Identifier: BSL-1.0
#include "common/private_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/path_error.hpp"
#include "platform/posix/flock.hpp"

namespace tenon::tools {
namespace {

constexpr mode_t private_mode = 0600;

// The bits of the group include those of an access control list.
constexpr mode_t rights_without(Others others) {
  return others == Others::nothing ? 077 : 022;
}

std::string octal(mode_t mode) {
  char text[16];
  std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode & 07777));
  return text;
}

std::string type_name(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

/// Returns what is wrong with a file; empty if nothing is.
std::string problem_of(const struct stat& status, Others others) {
  if (!S_ISREG(status.st_mode)) return type_name(status.st_mode);
  if (status.st_uid != ::geteuid()) return "a file of the user " + std::to_string(status.st_uid);
  const bool is_open = (status.st_mode & rights_without(others)) != 0;
  return is_open ? "the mode " + octal(status.st_mode) : std::string();
}

tenon::Error untrusted(const std::filesystem::path& path, Others others, const std::string& what,
                       std::string found) {
  const std::string user = std::to_string(::geteuid());
  const bool is_private = others == Others::nothing;
  return tenon::Error(
      {.code = "untrusted-file",
       .message = what + " is not used, because " +
                  (is_private ? "others may read or change it" : "others may change it"),
       .where = path.string(),
       .found = std::move(found),
       .needed = "a regular file of the user " + user +
                 (is_private ? " with the mode 0600" : " that only this user may write"),
       .fix = "remove it; or, if it is yours and its content is right, run " +
              std::string(is_private ? "`chmod 600`" : "`chmod go-w`") + " on it"});
}

}  // namespace

Result<PrivateFile> PrivateFile::open(const std::filesystem::path& path, IfAbsent if_absent,
                                      Others others, const std::string& what) {
  const bool creates = if_absent == IfAbsent::create;
  const int flags = (creates ? O_RDWR | O_CREAT : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  PrivateFile file(::open(path.c_str(), flags, private_mode));
  const int failed = file ? 0 : errno;
  struct stat status;
  const bool known =
      file ? ::fstat(file.handle_, &status) == 0 : ::lstat(path.c_str(), &status) == 0;
  if (known) {
    if (std::string problem = problem_of(status, others); !problem.empty()) {
      return untrusted(path, others, what, std::move(problem));
    }
  }
  if (file && known) return file;
  if (failed == ENOENT && !creates) return file;
  const int number = file ? errno : failed;
  const std::string attempt = "opening " + what;
  return (creates ? detail::cannot_write(path, {attempt, number})
                  : detail::cannot_read(path, {attempt, number}));
}

PrivateFile::PrivateFile(PrivateFile&& other) noexcept
    : handle_(std::exchange(other.handle_, platform::no_handle)) {}

PrivateFile::~PrivateFile() {
  if (*this) ::close(handle_);
}

bool PrivateFile::lock() const {
  struct stat status;
  return platform::lock(handle_) && ::fstat(handle_, &status) == 0 && status.st_nlink != 0;
}

platform::InputFile PrivateFile::reader() const {
  return platform::InputFile(::fcntl(handle_, F_DUPFD_CLOEXEC, 0));
}

void PrivateFile::allow_replacement() noexcept {}

}  // namespace tenon::tools
