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
#include "windows_names.hpp"

namespace tenon::builtin {
namespace {

constexpr std::size_t largest_piece = std::size_t{1} << 30;

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

std::optional<FileState> state_of(int file) {
  BY_HANDLE_FILE_INFORMATION known;
  if (GetFileInformationByHandle(reinterpret_cast<HANDLE>(::_get_osfhandle(file)), &known) == 0) {
    set_errno();
    return std::nullopt;
  }
  // In steps of 100 ns since 1601.
  constexpr std::int64_t from_1601_to_1970 = 116'444'736'000'000'000;
  const auto modified = static_cast<std::int64_t>(
      wide_number(known.ftLastWriteTime.dwHighDateTime, known.ftLastWriteTime.dwLowDateTime));
  return FileState{wide_number(known.nFileIndexHigh, known.nFileIndexLow),
                   wide_number(known.nFileSizeHigh, known.nFileSizeLow),
                   (modified - from_1601_to_1970) * 100};
}

std::optional<std::size_t> read_some(int file, void* into, std::size_t size) {
  const int got = ::_read(file, into, static_cast<unsigned>(std::min(size, largest_piece)));
  if (got < 0) return std::nullopt;
  return static_cast<std::size_t>(got);
}

bool write_all(int file, const void* data, std::size_t size) {
  const char* rest = static_cast<const char*>(data);
  while (size > 0) {
    const int count = ::_write(file, rest, static_cast<unsigned>(std::min(size, largest_piece)));
    if (count < 0) return false;
    rest += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool sync_file(int file) {
  return ::_commit(file) == 0;
}

std::string system_name_problem(std::string_view name) {
  return windows_name_problem(name);
}

}  // namespace tenon::builtin
