// SPDX-License-Identifier: BSL-1.0
//
// Writes a compressed tar file incrementally into buffers of the caller.
#pragma once

#include <tenon/result.hpp>

#include <archive.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "compressor.hpp"
#include "entry_queue.hpp"

namespace backup {

/// Belongs to one thread at a time.
class TarWriter {
 public:
  TarWriter(Compression compression, std::chrono::sys_seconds time);
  ~TarWriter() { is_closing_ = true; }
  TarWriter(const TarWriter&) = delete;
  TarWriter& operator=(const TarWriter&) = delete;

  /// Returns whether `fill` needs another entry.
  bool needs_input() const { return !entry_ && packed_ == tar_.size() && !finishing_; }
  /// Begins the next entry. REQUIRED: needs_input().
  tenon::Result<void> begin(ArchiveEntry entry);
  /// Marks the end of the entries. REQUIRED: needs_input().
  tenon::Result<void> finish();
  /// Writes as much of the file into `into` as the entries so far allow. Returns the number of
  /// bytes.
  tenon::Result<std::size_t> fill(std::span<std::uint8_t> into);
  /// Returns whether the whole file has been returned.
  bool ended() const { return ended_; }

 private:
  struct Free {
    void operator()(::archive* archive) const { ::archive_write_free(archive); }
  };
  static la_ssize_t keep(::archive* archive, void* self, const void* data, std::size_t size);
  tenon::Result<void> add_content();
  tenon::Error failure() const;

  const std::chrono::sys_seconds time_;
  std::unique_ptr<Compressor> compressor_;
  std::string tar_;               // not compressed yet
  std::exception_ptr exception_;  // exceptions must not pass through libarchive
  std::size_t packed_ = 0;        // bytes of tar_ that are compressed
  std::optional<ArchiveEntry> entry_;
  std::size_t written_ = 0;  // bytes of its content in the tar file
  bool finishing_ = false;
  bool ended_ = false;
  bool is_closing_ = false;  // drop the padding that libarchive adds to an unfinished file
  std::unique_ptr<::archive, Free> archive_;
};

}  // namespace backup
