// SPDX-License-Identifier: BSL-1.0
//
// Writes a compressed tar file piece by piece into buffers of others.
#pragma once

#include "compressor.hpp"
#include "entry_queue.hpp"

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

namespace backup {

/// Belongs to one thread at a time.
class TarWriter {
 public:
  TarWriter(Compression compression, std::chrono::sys_seconds time);
  ~TarWriter() { is_closing_ = true; }
  TarWriter(const TarWriter&) = delete;
  TarWriter& operator=(const TarWriter&) = delete;

  /// Whether `fill` has used up all that it got.
  bool needs_input() const { return !entry_ && packed_ == tar_.size() && !finishing_; }
  /// Gives it the next entry. REQUIRED: needs_input().
  tenon::Result<void> begin(ArchiveEntry entry);
  /// Says that there is no other entry. REQUIRED: needs_input().
  tenon::Result<void> finish();
  /// Fills `into` as far as the input allows. Returns how much that was.
  tenon::Result<std::size_t> fill(std::span<std::uint8_t> into);
  /// Whether all was given out.
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
  std::string tar_;               // made, but not compressed
  std::exception_ptr exception_;  // that must not pass through libarchive
  std::size_t packed_ = 0;        // how much of that is compressed
  std::optional<ArchiveEntry> entry_;
  std::size_t written_ = 0;  // how much of its content is in the tar file
  bool finishing_ = false;
  bool ended_ = false;
  bool is_closing_ = false;  // libarchive fills up what was not finished: to be dropped
  std::unique_ptr<::archive, Free> archive_;
};

}  // namespace backup
