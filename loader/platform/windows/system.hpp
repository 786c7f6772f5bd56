// SPDX-License-Identifier: BSL-1.0
//
// The functions of Windows, and owners of what they return.
#pragma once

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
// The others need the first.
// clang-format off
#include <windows.h>
#include <bcrypt.h>
// clang-format on

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace platform {

/// Owns a HANDLE.
class Handle {
 public:
  Handle() noexcept = default;
  explicit Handle(HANDLE handle) noexcept : handle_(handle) {}
  Handle(Handle&& other) noexcept : handle_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }

  explicit operator bool() const noexcept { return handle_ != INVALID_HANDLE_VALUE; }
  HANDLE get() const noexcept { return handle_; }
  HANDLE release() noexcept { return std::exchange(handle_, INVALID_HANDLE_VALUE); }
  void close() noexcept {
    if (handle_ != INVALID_HANDLE_VALUE) CloseHandle(release());
  }

 private:
  HANDLE handle_ = INVALID_HANDLE_VALUE;
};

/// Returns the error of the last function of Windows on this thread.
std::error_code last_error() noexcept;
/// Returns the value of errno that corresponds to an error.
int errno_of(const std::error_code& error) noexcept;

/// Returns a text in UTF-8.
std::string utf8_of(std::wstring_view text);

/// Opens a file or a directory that others may read, write, rename and remove meanwhile.
Handle open_shared(const wchar_t* path, DWORD access, DWORD disposition = OPEN_EXISTING) noexcept;
/// Opens a file that nobody else has open, and that nobody else can open meanwhile.
Handle open_alone(const std::filesystem::path& path, DWORD disposition) noexcept;
/// Writes all of `content`. Returns false with the error of the system.
bool write_all(HANDLE file, std::string_view content) noexcept;

/// Returns a name that cannot be guessed and does not occur twice, eg: "0123456789abcdef".
std::wstring random_name();

/// Returns the path of a module of this process; empty if it is not loaded any more.
std::filesystem::path path_of(HMODULE image);
/// Returns the modules of this process.
std::vector<HMODULE> loaded_images();

}}}  // namespace tenon::v0_1::platform
