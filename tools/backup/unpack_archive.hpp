// SPDX-License-Identifier: BSL-1.0
//
// Reads the items of an archive.
#pragma once

#include <tenon/call.hpp>
#include <tenon/result.hpp>
#include <tenon/stream.hpp>

#include <filesystem>

#include "archive_limits.hpp"
#include "items.hpp"

namespace backup {

/// Unpacks a tar archive, which may be compressed with gzip or zstd. The items are written to one
/// file without a name in `directory`, which disappears with the Items, even after a crash. An
/// archive without items is valid.
///
/// The Items get the text of metadata/definitions.json. Directories and other files in metadata/
/// are skipped. Everything else must be a file with the path of an item. Errors: bad-path,
/// bad-entry (a link, a device), duplicate-resource, archive-too-large, broken-archive (corrupt or
/// truncated), cannot-write (eg: the disk is full), and those of the reader.
/// Their `where` is the path of the entry, or of the file that could not be written.
tenon::Result<Items> unpack_archive(tenon::Reader archive, const std::filesystem::path& directory,
                                    const ArchiveLimits& limits, tenon::Call& call);

}  // namespace backup
