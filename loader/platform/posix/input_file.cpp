// SPDX-License-Identifier: BSL-1.0
#include "platform/input_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace tenon { inline namespace v0_1 { namespace platform {

InputFile::InputFile(const std::filesystem::path& path) noexcept
    : handle_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), error_(handle_ < 0 ? errno : 0) {}

InputFile::~InputFile() {
  if (handle_ >= 0) ::close(handle_);
}

std::optional<std::size_t> InputFile::read(std::span<char> into) noexcept {
  if (error_ != 0) return std::nullopt;
  for (;;) {
    const ssize_t count = ::read(handle_, into.data(), into.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    error_ = errno;
    return std::nullopt;
  }
}

}}}  // namespace tenon::v0_1::platform
