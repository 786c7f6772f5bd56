// SPDX-License-Identifier: BSL-1.0
#include <stdio.h>
#include <sys/stat.h>

#include "system_files.hpp"

namespace tenon::builtin {

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
  return RegularFile{status.st_ino,
                     std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

}  // namespace tenon::builtin
