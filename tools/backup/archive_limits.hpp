// SPDX-License-Identifier: BSL-1.0
//
// The limits of an archive. Writers and readers check the same ones, so that each archive that is
// written can be read.
#pragma once

#include <tenon/mutex.hpp>
#include <tenon/result.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace backup {

/// The limits of an archive. They also stop small archives that unpack to a very large size.
struct ArchiveLimits {
  std::uint64_t bytes = std::uint64_t{16} << 30;       // of the unpacked archive
  std::uint64_t item_bytes = std::uint64_t{16} << 20;  // of one item
  std::size_t entries = 2'000'000;                     // of any kind
};

/// Counts the entries that are added to an archive. Thread-safe.
class ArchiveMeter {
 public:
  explicit ArchiveMeter(const ArchiveLimits& limits) : limits_(limits) {}

  /// Checks the size of an item in bytes. Error: item-too-large.
  tenon::Result<void> check_item(std::uint64_t size) const;
  /// Counts an entry whose content has `size` bytes. Error: archive-too-large, if there is no room
  /// for the entry.
  tenon::Result<void> add(std::string_view path, std::uint64_t size);

 private:
  const ArchiveLimits limits_;
  tenon::sync::Mutex mutex_;
  std::uint64_t bytes_ TENON_GUARDED_BY(mutex_) = 0;  // of the entries in the tar file
  std::size_t entries_ TENON_GUARDED_BY(mutex_) = 0;
};

}  // namespace backup
