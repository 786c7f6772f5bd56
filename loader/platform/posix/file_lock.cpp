// SPDX-License-Identifier: BSL-1.0
#include "platform/file_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "platform/posix/flock.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

FileLock::FileLock(const std::filesystem::path& path)
    : handle_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)) {
  if (handle_ < 0 || !lock(handle_)) error_ = errno;
}

FileLock::~FileLock() {
  if (handle_ >= 0) ::close(handle_);
}

}}}  // namespace tenon::v0_1::platform
