// SPDX-License-Identifier: BSL-1.0
#include "platform/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/path_error.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

Result<OutputFile> OutputFile::create(const std::filesystem::path& path) {
  constexpr mode_t mode = S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH;
  const int descriptor =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, mode);
  if (descriptor < 0) return detail::cannot_write(path, {"creating the file", errno});
  return OutputFile(path.string(), descriptor);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, no_handle)) {}

OutputFile::~OutputFile() {
  if (handle_ >= 0) ::close(handle_);
}

Result<void> OutputFile::write(std::string_view content) {
  while (!content.empty()) {
    const auto count = ::write(handle_, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return detail::cannot_write(path_, {"writing the file", errno});
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

}}}  // namespace tenon::v0_1::platform
