// SPDX-License-Identifier: BSL-1.0
#include "windows_names.hpp"

#include <tenon/sdk/failure.hpp>
#include <tenon/sdk/text.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

namespace tenon::builtin {
namespace {

/// Returns whether the part of a name before its first dot names a device, whatever follows.
bool is_device(std::string_view name) {
  std::string base(name.substr(0, name.find('.')));
  base.erase(base.find_last_not_of(' ') + 1);
  std::transform(base.begin(), base.end(), base.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  for (const char* device : {"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}) {
    if (base == device) return true;
  }
  const std::string_view kind = std::string_view(base).substr(0, 3);
  if (kind != "COM" && kind != "LPT") return false;
  const std::string_view number = std::string_view(base).substr(3);
  if (number.size() == 1) return number[0] >= '0' && number[0] <= '9';
  // Superscript digits count, too.
  return number == "\xc2\xb9" || number == "\xc2\xb2" || number == "\xc2\xb3";
}

}  // namespace

std::string windows_name_problem(std::string_view name) {
  constexpr std::string_view refused = "\\:*?\"<>|";
  for (const char c : name) {
    if (refused.find(c) != std::string_view::npos) return sdk::text("has the character '", c, "'");
    if (static_cast<unsigned char>(c) < 0x20) return "has a control character";
  }
  if (!name.empty() && name.back() == '.') return "ends with a dot";
  if (!name.empty() && name.back() == ' ') return "ends with a blank";
  if (is_device(name)) return "names a device";
  return {};
}

std::filesystem::path windows_path(const std::string& path) {
  std::filesystem::path native = std::filesystem::u8path(path);
  native.make_preferred();
  const std::wstring& text = native.native();
  if (!native.is_absolute() || text.substr(0, 4) == L"\\\\?\\") return native;
  if (text.substr(0, 2) == L"\\\\") return L"\\\\?\\UNC" + text.substr(1);
  return L"\\\\?\\" + text;
}

std::optional<WindowsEntry> find_entry(const std::filesystem::path& path) {
  WIN32_FIND_DATAW data;
  const HANDLE found = FindFirstFileW(path.c_str(), &data);
  if (found == INVALID_HANDLE_VALUE) return std::nullopt;
  FindClose(found);
  return WindowsEntry{std::filesystem::path(data.cFileName).u8string(),
                      (data.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0,
                      (data.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0};
}

void check_same_name(const std::string& directory, const std::string& name) {
  const auto entry = find_entry(windows_path(directory + "/" + name));
  if (!entry || entry->name == name) return;
  throw sdk::Failure(TENON_FAILED_PRECONDITION, "cannot create \"", name, "\" in ", directory,
                     ": \"", entry->name,
                     "\" is the same name for Windows; fix: choose another name");
}

void set_errno() noexcept {
  switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
      errno = ENOENT;
      break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
      errno = EACCES;
      break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      errno = EEXIST;
      break;
    case ERROR_DIRECTORY:
      errno = ENOTDIR;
      break;
    case ERROR_DIR_NOT_EMPTY:
      errno = ENOTEMPTY;
      break;
    case ERROR_DISK_FULL:
      errno = ENOSPC;
      break;
    case ERROR_WRITE_PROTECT:
      errno = EROFS;
      break;
    default:
      errno = EIO;
  }
}

}  // namespace tenon::builtin
