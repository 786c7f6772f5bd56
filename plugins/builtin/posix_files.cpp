// SPDX-License-Identifier: BSL-1.0
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptor.hpp"
#include "system_files.hpp"

namespace tenon::builtin {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::FILE* open_to_read(const std::string& path) {
  return std::fopen(path.c_str(), "rb");
}

bool seek(std::FILE* file, std::int64_t offset) {
  return ::fseeko(file, offset, SEEK_SET) == 0;
}

std::int64_t read_line(char** text, std::size_t* capacity, std::FILE* file) {
  return ::getline(text, capacity, file);
}

std::optional<std::uint64_t> inode_of(std::FILE* file) {
  struct stat status;
  if (::fstat(::fileno(file), &status) != 0) return std::nullopt;
  return status.st_ino;
}

std::optional<RegularFile> regular_file(const std::filesystem::path& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return RegularFile{status.st_ino, nanoseconds(status.st_mtim)};
}

std::optional<FileState> state_of(int file) {
  struct stat status;
  if (::fstat(file, &status) != 0) return std::nullopt;
  return FileState{status.st_ino, static_cast<std::uint64_t>(status.st_size),
                   nanoseconds(status.st_mtim)};
}

std::optional<std::size_t> read_some(int file, void* into, std::size_t size) {
  const ssize_t got = retry([&] { return ::read(file, into, size); });
  if (got < 0) return std::nullopt;
  return static_cast<std::size_t>(got);
}

bool write_all(int file, const void* data, std::size_t size) {
  const char* rest = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t count = retry([&] { return ::write(file, rest, size); });
    if (count < 0) return false;
    rest += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool sync_file(int file) {
  return retry([&] { return ::fsync(file); }) == 0;
}

std::string system_name_problem(std::string_view) {
  return {};
}

}  // namespace tenon::builtin
