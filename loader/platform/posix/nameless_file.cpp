// SPDX-License-Identifier: BSL-1.0
#include "platform/nameless_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "platform/posix/descriptor.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

/// Creates a file for file systems that do not support files without a name.
int create_and_unlink(const std::filesystem::path& directory) {
  std::string name = (directory / ".tenon-spool.XXXXXX").string();
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file >= 0) ::unlink(name.c_str());
  return file;
}

int open_nameless(const std::filesystem::path& directory) {
  const int file = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  const bool unsupported = file < 0 && (errno == EOPNOTSUPP || errno == EISDIR);
  return unsupported ? create_and_unlink(directory) : file;
}

}  // namespace

NamelessFile::NamelessFile(const std::filesystem::path& directory)
    : handle_(open_nameless(directory)) {
  if (handle_ < 0) error_ = errno;
}

NamelessFile::NamelessFile(NamelessFile&& other) noexcept
    : handle_(std::exchange(other.handle_, no_handle)), error_(other.error_) {}

NamelessFile::~NamelessFile() {
  if (handle_ >= 0) ::close(handle_);
}

void NamelessFile::append(std::string_view content) noexcept {
  if (error_ == 0 && !write_all(handle_, content)) error_ = errno;
}

File NamelessFile::to_read(const std::filesystem::path& path) && {
  std::string name = path.string();  // before the descriptor changes hands
  return File(std::move(name), std::exchange(handle_, no_handle), {}, {});
}

}}}  // namespace tenon::v0_1::platform
