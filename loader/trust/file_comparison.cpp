// SPDX-License-Identifier: BSL-1.0
#include "trust/file_comparison.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace tenon {
namespace {

/// Nothing where a file cannot be read. REQUIRED: both had the same size when they were opened.
std::optional<bool> contents_differ(const platform::File& a, const platform::File& b) {
  constexpr std::size_t piece = 1 << 16;
  std::vector<std::byte> of_a(piece);
  std::vector<std::byte> of_b(piece);
  for (std::uint64_t offset = 0;; offset += piece) {
    const auto count_a = a.read_at(offset, of_a);
    const auto count_b = b.read_at(offset, of_b);
    if (!count_a || !count_b) return std::nullopt;
    if (*count_a != *count_b) return true;
    const auto end = of_a.begin() + static_cast<std::ptrdiff_t>(*count_a);
    if (!std::equal(of_a.begin(), end, of_b.begin())) return true;
    if (*count_a < piece) return false;
  }
}

bool same_file(const platform::FileIdentity& a, const platform::FileIdentity& b) {
  return a.device == b.device && a.inode == b.inode;
}

}  // namespace

bool FileComparison::differ(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto file_a = platform::File::open(a);
  const auto file_b = platform::File::open(b);
  if (!file_a || !file_b || same_file(file_a->identity(), file_b->identity())) return false;
  if (file_a->identity().size != file_b->identity().size) return true;
  const std::pair key(a.native(), b.native());
  {
    std::lock_guard lock(mutex_);
    const auto known = compared_.find(key);
    if (known != compared_.end() && known->second.a == file_a->identity() &&
        known->second.b == file_b->identity()) {
      return known->second.differ;
    }
  }
  const auto differs = contents_differ(*file_a, *file_b);
  if (!differs) return false;
  std::lock_guard lock(mutex_);
  compared_.insert_or_assign(key, Compared{file_a->identity(), file_b->identity(), *differs});
  return *differs;
}

}  // namespace tenon
