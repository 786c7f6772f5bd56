// SPDX-License-Identifier: BSL-1.0
//
// The index is ld.so.cache, which ldconfig writes: a header, entries that point at names and paths,
// and those texts. This reads the newer format, which glibc writes since 2.2, and exclusively since
// 2.32.
#include "platform/library_search.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

#include "platform/file.hpp"
#include "platform/process.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

constexpr const char* index_path = "/etc/ld.so.cache";
constexpr std::string_view index_magic = "glibc-ld.so.cache1.1";
constexpr std::size_t max_index_size = std::size_t{64} << 20;
constexpr std::size_t max_text_length = 4096;
constexpr std::string_view system_directories[] = {"/lib", "/usr/lib", "/lib64", "/usr/lib64"};

struct IndexHeader {
  char magic[20];
  std::uint32_t entries;
  std::uint32_t texts_size;
  std::uint32_t reserved[5];
};
static_assert(sizeof(IndexHeader) == 48);

struct IndexEntry {
  std::int32_t flags;
  std::uint32_t name;  // offset of its text in the file
  std::uint32_t path;
  std::uint32_t system;
  std::uint64_t hardware;
};
static_assert(sizeof(IndexEntry) == 24);

/// Returns the text at an offset; empty if it does not end, or is too long for a path.
std::string_view text_at(std::string_view index, std::size_t offset) {
  if (offset >= index.size()) return {};
  const std::string_view rest = index.substr(offset, max_text_length + 1);
  const auto end = rest.find('\0');
  return end != std::string_view::npos ? rest.substr(0, end) : std::string_view();
}

/// Returns whether a path begins with a default directory, which is how the dynamic loader
/// compares.
bool is_below_system_directory(std::string_view path) {
  return std::ranges::any_of(system_directories, [path](std::string_view directory) {
    return path.starts_with(directory) && path.substr(directory.size()).starts_with('/');
  });
}

LibraryIndex read_index() {
  const auto file = File::open(index_path);
  if (!file) return {};  // without an index only the default directories are searched
  const auto content = file->read_all(max_index_size);
  if (!content) return {};
  return read_library_index({reinterpret_cast<const char*>(content->data()), content->size()});
}

}  // namespace

LibraryIndex read_library_index(std::string_view content) {
  IndexHeader header;
  if (content.size() < sizeof header || !content.starts_with(index_magic)) return {};
  std::memcpy(&header, content.data(), sizeof header);
  if (header.entries > (content.size() - sizeof header) / sizeof(IndexEntry)) return {};
  LibraryIndex index;
  // ldconfig stores a name as the end of its path, and no text more than twice.
  std::size_t remaining = 4 * content.size();
  for (std::size_t i = 0; i < header.entries; ++i) {
    IndexEntry entry;
    std::memcpy(&entry, content.data() + sizeof header + i * sizeof entry, sizeof entry);
    const auto name = text_at(content, entry.name);
    const auto path = text_at(content, entry.path);
    if (name.empty() || path.empty()) continue;
    if (name.size() + path.size() > remaining) return {};
    remaining -= name.size() + path.size();
    index[std::string(name)].emplace_back(path);
  }
  return index;
}

LibrarySearch::LibrarySearch()
    : directories_(split_path_list(trusted_environment("LD_LIBRARY_PATH"))), index_(read_index()) {}

std::vector<std::filesystem::path> LibrarySearch::candidates(const std::string& name,
                                                             bool default_directories) const {
  std::vector<std::filesystem::path> paths;
  for (const auto& directory : directories_) paths.push_back(directory / name);
  const auto listed = index_.find(name);
  if (listed != index_.end()) {
    std::ranges::copy_if(listed->second, std::back_inserter(paths), [&](const std::string& path) {
      return default_directories || !is_below_system_directory(path);
    });
  }
  if (!default_directories) return paths;
  for (const std::string_view directory : system_directories) {
    paths.push_back(std::filesystem::path(directory) / name);
  }
  return paths;
}

}}}  // namespace tenon::v0_1::platform
