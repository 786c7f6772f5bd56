// SPDX-License-Identifier: BSL-1.0
//
// Reads which libraries the dynamic loader loads together with a file.
#include <algorithm>

#include "binary/elf.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// Larger tables are treated as an attack.
constexpr std::size_t max_library_name_length = 4096;
constexpr std::size_t max_run_path_length = 65536;
constexpr std::size_t max_libraries = 1024;

}  // namespace

Result<ElfFile::Text> ElfFile::string_at(std::uint64_t offset, std::string_view what,
                                         std::size_t max_length) const {
  if (offset >= dynamic_.strings_size) return broken(std::string(what) + " outside of the strings");
  const auto limit = std::min<std::uint64_t>(dynamic_.strings_size - offset, max_length);
  const auto begin = file_offset(dynamic_.strings + offset, limit, what);
  if (!begin) return begin.error();
  Text found{.text = {}, .offset = *begin};
  std::array<char, 64> block;
  for (std::uint64_t done = 0; done < limit;) {
    const auto part = std::span(block).first(std::min<std::uint64_t>(block.size(), limit - done));
    if (auto read = source_->read(*begin + done, std::as_writable_bytes(part), what); !read) {
      return std::move(read).error();
    }
    const auto end = std::find(part.begin(), part.end(), '\0');
    found.text.append(part.begin(), end);
    if (end != part.end()) return found;
    done += part.size();
  }
  return broken(std::string(what) + " without an end");
}

Result<ElfFile::Linkage> ElfFile::linkage() const {
  Linkage linkage;
  std::optional<std::uint64_t> rpath, runpath;
  for (std::uint64_t i = 0; i < dynamic_range_.size / sizeof(elf::DynamicEntry); ++i) {
    elf::DynamicEntry entry;
    const auto offset = dynamic_range_.begin + i * sizeof entry;
    if (auto read = source_->read(offset, entry, "the dynamic section"); !read) return read.error();
    if (entry.tag == elf::dynamic_end) break;
    if (entry.tag == elf::dynamic_needed) {
      auto name = string_at(entry.value, "the name of a library", max_library_name_length);
      if (!name) return std::move(name).error();
      if (linkage.needed.size() == max_libraries) return broken("more than 1024 libraries needed");
      linkage.needed.push_back(std::move(*name));
    } else if (entry.tag == elf::dynamic_soname) {
      linkage.soname = offset;
    } else if (entry.tag == elf::dynamic_rpath) {
      rpath = entry.value;
    } else if (entry.tag == elf::dynamic_runpath) {
      runpath = entry.value;
    }
  }
  // DT_RPATH counts only if there is no DT_RUNPATH. The last entry of each counts.
  linkage.passes_run_path = !runpath;
  linkage.default_directories = (dynamic_.flags & elf::flag_1_no_default_directories) == 0;
  if (const auto& list = runpath ? runpath : rpath) {
    auto text = string_at(*list, "the run path", max_run_path_length);
    if (!text) return std::move(text).error();
    linkage.run_path = std::move(*text);
  }
  if (auto added = add_versions(linkage.versions_of); !added) return added.error();
  return linkage;
}

Result<void> ElfFile::add_versions(std::vector<Text>& names) const {
  auto address = dynamic_.version_needs;
  while (address != 0) {
    elf::VersionNeed need;
    if (auto read = read_address(address, need, "the needed versions"); !read) return read;
    auto name = string_at(need.file, "the name of a library", max_library_name_length);
    if (!name) return std::move(name).error();
    if (names.size() == max_libraries) return broken("versions of more than 1024 libraries");
    names.push_back(std::move(*name));
    address = need.next != 0 ? address + need.next : 0;
  }
  return {};
}

}}}  // namespace tenon::v0_1::detail
