// SPDX-License-Identifier: BSL-1.0
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "system_files.hpp"

namespace tenon::builtin {
namespace {

std::uint64_t wide_number(DWORD high, DWORD low) noexcept {
  return (std::uint64_t{high} << 32) | low;
}

/// Makes room for another byte and a NUL. Returns false if there is no memory.
bool grow(char** text, std::size_t* capacity, std::size_t size) {
  if (*text != nullptr && size + 2 <= *capacity) return true;
  const std::size_t larger = std::max<std::size_t>(128, 2 * *capacity);
  char* const moved = static_cast<char*>(std::realloc(*text, larger));
  if (moved == nullptr) return false;
  *text = moved;
  *capacity = larger;
  return true;
}

}  // namespace

std::FILE* open_to_read(const std::string& path) {
  return ::_wfopen(std::filesystem::u8path(path).c_str(), L"rb");
}

bool seek(std::FILE* file, std::int64_t offset) {
  return ::_fseeki64(file, offset, SEEK_SET) == 0;
}

std::int64_t read_line(char** text, std::size_t* capacity, std::FILE* file) {
  std::size_t size = 0;
  for (int byte = 0; byte != '\n' && (byte = std::getc(file)) != EOF;) {
    if (!grow(text, capacity, size)) return -1;
    (*text)[size++] = static_cast<char>(byte);
  }
  if (size == 0 || std::ferror(file) != 0) return -1;
  (*text)[size] = '\0';
  return static_cast<std::int64_t>(size);
}

std::optional<std::uint64_t> inode_of(std::FILE* file) {
  BY_HANDLE_FILE_INFORMATION known;
  const auto handle = reinterpret_cast<HANDLE>(::_get_osfhandle(::_fileno(file)));
  if (GetFileInformationByHandle(handle, &known) != 0) {
    return wide_number(known.nFileIndexHigh, known.nFileIndexLow);
  }
  errno = EIO;
  return std::nullopt;
}

std::optional<RegularFile> regular_file(const std::filesystem::path& path) {
  const HANDLE file = CreateFileW(
      path.c_str(), FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
      nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
  if (file == INVALID_HANDLE_VALUE) return std::nullopt;
  BY_HANDLE_FILE_INFORMATION known;
  const bool read = GetFileInformationByHandle(file, &known) != 0;
  CloseHandle(file);
  constexpr DWORD others = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
  if (!read || (known.dwFileAttributes & others) != 0) return std::nullopt;
  const auto modified =
      wide_number(known.ftLastWriteTime.dwHighDateTime, known.ftLastWriteTime.dwLowDateTime);
  return RegularFile{wide_number(known.nFileIndexHigh, known.nFileIndexLow),
                     static_cast<std::int64_t>(modified) * 100};
}

}  // namespace tenon::builtin
