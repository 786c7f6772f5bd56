// SPDX-License-Identifier: BSL-1.0
#include "archive_limits.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace backup {
namespace {

constexpr std::uint64_t block = 512;
constexpr std::uint64_t end_size = 2 * block;
/// The GNU format stores longer paths in an entry of their own.
constexpr std::size_t longest_short_path = 100;

std::uint64_t in_blocks(std::uint64_t size) {
  return block + (size + block - 1) / block * block;
}

/// Returns the bytes of an entry in a tar file.
std::uint64_t tar_size(std::string_view path, std::uint64_t size) {
  return in_blocks(size) + (path.size() > longest_short_path ? in_blocks(path.size() + 1) : 0);
}

tenon::Error too_large(std::string found, std::string needed) {
  return tenon::Error({.code = "archive-too-large",
                       .message = "the backup is too large for one archive",
                       .found = std::move(found),
                       .needed = std::move(needed),
                       .fix = "create several backups, eg: one for each namespace"});
}

}  // namespace

tenon::Result<void> ArchiveMeter::check_item(std::uint64_t size) const {
  if (size <= limits_.item_bytes) return {};
  return tenon::Error({.code = "item-too-large",
                       .message = "the item is too large for an archive",
                       .found = std::to_string(size) + " bytes",
                       .needed = "at most " + std::to_string(limits_.item_bytes) + " bytes",
                       .fix = "make the item smaller, or exclude it"});
}

tenon::Result<void> ArchiveMeter::add(std::string_view path, std::uint64_t size) {
  const tenon::sync::Lock lock(mutex_);
  if (entries_ >= limits_.entries) {
    return too_large("one more entry", "at most " + std::to_string(limits_.entries) + " entries");
  }
  const std::uint64_t bytes = bytes_ + tar_size(path, size);
  if (bytes > limits_.bytes - std::min(limits_.bytes, end_size)) {
    return too_large("more than the limit",
                     "at most " + std::to_string(limits_.bytes) + " bytes unpacked");
  }
  bytes_ = bytes;
  ++entries_;
  return {};
}

}  // namespace backup
