// SPDX-License-Identifier: BSL-1.0
#include "platform/windows/system.hpp"

#include <psapi.h>

#include <algorithm>
#include <cerrno>

#include "base/random_number.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

std::error_code last_error() noexcept {
  return {static_cast<int>(GetLastError()), std::system_category()};
}

int errno_of(const std::error_code& error) noexcept {
  switch (error.value()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_PATHNAME:
      return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
      return EACCES;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      return EEXIST;
    case ERROR_DIRECTORY:
      return ENOTDIR;
    case ERROR_DIR_NOT_EMPTY:
      return ENOTEMPTY;
    case ERROR_FILENAME_EXCED_RANGE:
      return ENAMETOOLONG;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return ENOSPC;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
      return ENOMEM;
    case ERROR_TOO_MANY_OPEN_FILES:
      return EMFILE;
    case ERROR_WRITE_PROTECT:
      return EROFS;
    default:
      return EIO;
  }
}

std::string utf8_of(std::wstring_view text) {
  return std::filesystem::path(text).string();
}

Handle open_shared(const wchar_t* path, DWORD access, DWORD disposition) noexcept {
  constexpr DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  // Directories are opened only with this flag.
  return Handle(
      CreateFileW(path, access, share, nullptr, disposition, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
}

Handle open_alone(const std::filesystem::path& path, DWORD disposition) noexcept {
  return Handle(CreateFileW(path.c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr, disposition,
                            FILE_ATTRIBUTE_NORMAL, nullptr));
}

bool write_all(HANDLE file, std::string_view content) noexcept {
  constexpr std::size_t most = std::size_t{1} << 30;
  while (!content.empty()) {
    const auto piece = static_cast<DWORD>(std::min(content.size(), most));
    DWORD written = 0;
    if (WriteFile(file, content.data(), piece, &written, nullptr) == 0) return false;
    content.remove_prefix(written);
  }
  return true;
}

std::wstring random_name() {
  std::uint64_t number = random_number();
  std::wstring name;
  for (int i = 0; i < 16; ++i, number >>= 4) name += L"0123456789abcdef"[number & 15];
  return name;
}

std::filesystem::path path_of(HMODULE image) {
  std::wstring path(MAX_PATH, L'\0');
  for (;;) {
    const DWORD size = GetModuleFileNameW(image, path.data(), static_cast<DWORD>(path.size()));
    if (size < path.size()) return path.substr(0, size);
    path.resize(2 * path.size());
  }
}

std::vector<HMODULE> loaded_images() {
  std::vector<HMODULE> images(256);
  for (;;) {
    const auto size = static_cast<DWORD>(images.size() * sizeof(HMODULE));
    DWORD needed = 0;
    if (K32EnumProcessModules(GetCurrentProcess(), images.data(), size, &needed) == 0) return {};
    images.resize(needed / sizeof(HMODULE));
    if (needed <= size) return images;
  }
}

}}}  // namespace tenon::v0_1::platform
