// SPDX-License-Identifier: BSL-1.0
#include "platform/input_file.hpp"

#include <cerrno>

#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

InputFile::InputFile(const std::filesystem::path& path) noexcept : handle_(no_handle) {
  Handle file = open_shared(path.c_str(), GENERIC_READ);
  if (!file) {
    error_ = errno_of(last_error());
  } else if (BY_HANDLE_FILE_INFORMATION known;
             GetFileInformationByHandle(file.get(), &known) != 0 &&
             (known.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
    error_ = EISDIR;
  } else {
    handle_ = reinterpret_cast<NativeHandle>(file.release());
  }
}

InputFile::~InputFile() {
  if (handle_ != no_handle) CloseHandle(reinterpret_cast<HANDLE>(handle_));
}

std::optional<std::size_t> InputFile::read(std::span<char> into) noexcept {
  if (error_ != 0) return std::nullopt;
  DWORD count = 0;
  if (ReadFile(reinterpret_cast<HANDLE>(handle_), into.data(), static_cast<DWORD>(into.size()),
               &count, nullptr) != 0) {
    return count;
  }
  // The writer of a pipe has ended.
  if (GetLastError() == ERROR_BROKEN_PIPE) return 0;
  error_ = errno_of(last_error());
  return std::nullopt;
}

}}}  // namespace tenon::v0_1::platform
