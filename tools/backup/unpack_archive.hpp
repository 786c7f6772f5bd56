// SPDX-License-Identifier: BSL-1.0
//
// Reads the items of an archive.
#pragma once

#include "items.hpp"

#include <tenon/call.hpp>
#include <tenon/result.hpp>
#include <tenon/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace backup {

/// The limits of an archive. They also stop small archives that unpack to a very large size.
struct ArchiveLimits {
  std::uint64_t bytes = std::uint64_t{16} << 30;       // of the unpacked archive
  std::uint64_t item_bytes = std::uint64_t{16} << 20;  // of one item
  std::size_t entries = 2'000'000;                     // of any kind
};

/// Unpacks a tar archive, which may be compressed with gzip or zstd. The items are written to one
/// file without a name in `folder`, which disappears with the Items, even after a crash. An archive
/// without items is valid.
///
/// Folders and files in metadata/ are skipped. Everything else must be a file with the path of an
/// item. Errors: bad-path, bad-entry (a link, a device), duplicate-resource, archive-too-large,
/// broken-archive (corrupt or truncated), cannot-write (eg: the disk is full), and those of the
/// reader.
/// Their `where` is the path of the entry, or of the file that could not be written.
tenon::Result<Items> unpack_archive(tenon::Reader archive, const std::filesystem::path& folder,
                                    const ArchiveLimits& limits, tenon::Call& call);

}  // namespace backup
