// SPDX-License-Identifier: BSL-1.0
#include "platform/output_file.hpp"

#include "base/path_error.hpp"
#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

Result<OutputFile> OutputFile::create(const std::filesystem::path& path) {
  Handle handle = open_shared(path.c_str(), GENERIC_WRITE, CREATE_ALWAYS);
  if (!handle) return detail::cannot_write(path, {"creating the file", errno_of(last_error())});
  return OutputFile(path.string(), reinterpret_cast<NativeHandle>(handle.release()));
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)), handle_(std::exchange(other.handle_, no_handle)) {}

OutputFile::~OutputFile() {
  if (handle_ != no_handle) CloseHandle(reinterpret_cast<HANDLE>(handle_));
}

Result<void> OutputFile::write(std::string_view content) {
  if (write_all(reinterpret_cast<HANDLE>(handle_), content)) return {};
  return detail::cannot_write(path_, {"writing the file", errno_of(last_error())});
}

}}}  // namespace tenon::v0_1::platform
