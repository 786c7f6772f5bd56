// SPDX-License-Identifier: BSL-1.0
//
// Which libraries the system would load together with a file.
#include "manifest/elf.hpp"

#include <algorithm>

namespace tenon {
namespace {

// What is longer or more than this is an attack.
constexpr std::size_t longest_name = 4096;
constexpr std::size_t most_libraries = 1024;

void split_into(std::vector<std::string>& folders, std::string_view list) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const auto end = std::min(list.find(':', begin), list.size());
    if (end > begin) folders.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
}

}  // namespace

Result<std::string> ElfFile::string_at(std::uint64_t offset, std::string_view what) const {
  std::string text;
  for (std::uint64_t at = offset; at < dynamic_.strings_size && text.size() < longest_name; ++at) {
    char c = 0;
    if (auto read = read_address(dynamic_.strings + at, c, what); !read) return read.error();
    if (c == '\0') return text;
    text += c;
  }
  return broken(std::string(what) + " without an end");
}

Result<ElfFile::Linkage> ElfFile::linkage() const {
  Linkage linkage;
  std::string rpath;
  for (std::uint64_t i = 0; i < dynamic_range_.size / sizeof(elf::DynamicEntry); ++i) {
    elf::DynamicEntry entry;
    const auto offset = dynamic_range_.begin + i * sizeof entry;
    if (auto read = source_->read(offset, entry, "the dynamic section"); !read) return read.error();
    if (entry.tag == elf::dynamic_end) break;
    const bool library = entry.tag == elf::dynamic_needed;
    const bool run_path = entry.tag == elf::dynamic_runpath;
    if (!library && !run_path && entry.tag != elf::dynamic_rpath) continue;
    auto text = string_at(entry.value, library ? "the name of a library" : "the run path");
    if (!text) return std::move(text).error();
    if (library) {
      if (linkage.needed.size() == most_libraries) return broken("more than 1024 libraries needed");
      linkage.needed.push_back(std::move(*text));
    } else if (run_path) {
      split_into(linkage.run_path, *text);
    } else {
      rpath = std::move(*text);
    }
  }
  // The older form counts only where the newer one is absent.
  if (linkage.run_path.empty()) split_into(linkage.run_path, rpath);
  return linkage;
}

}  // namespace tenon
