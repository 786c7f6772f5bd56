// SPDX-License-Identifier: BSL-1.0
//
// Reads a tar file from a stream, compressed or not.
#pragma once

#include <tenon/call.hpp>
#include <tenon/result.hpp>
#include <tenon/stream.hpp>

#include <archive.h>
#include <archive_entry.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decompressor.hpp"

namespace backup {

/// The content of a compressed stream, in blocks.
class UnpackedStream {
 public:
  UnpackedStream(tenon::Reader packed, std::uint64_t max_bytes, tenon::Call& call);

  /// Returns the next block, which is valid until the next call; an empty one at the end. Errors:
  /// those of the reader; broken-archive; archive-too-large.
  tenon::Result<std::string_view> next();
  /// Returns the number of zeros at the end of the content that `next` has returned.
  std::uint64_t zeros_at_end() const noexcept { return zeros_; }

 private:
  tenon::Result<void> refill();
  tenon::Result<std::size_t> unpack();
  tenon::Result<std::string_view> counted(std::string_view block);

  tenon::Reader packed_;
  const std::uint64_t max_bytes_;
  tenon::Call& call_;
  std::unique_ptr<Decompressor> decompressor_;
  std::vector<std::uint8_t> input_;
  std::size_t begin_ = 0;  // of the data in input_
  std::size_t end_ = 0;
  bool exhausted_ = false;  // the reader has ended
  bool complete_ = false;   // the stream may end here
  std::vector<std::uint8_t> output_;
  std::uint64_t bytes_ = 0;
  std::uint64_t zeros_ = 0;
};

/// Reads one entry after the other.
class TarReader {
 public:
  explicit TarReader(UnpackedStream& stream);

  /// Returns the next entry, which is valid until the next call, or nullptr at the end.
  tenon::Result<::archive_entry*> next();
  /// Returns the next piece of the content of the entry, which is valid until the next call; empty
  /// at the end.
  tenon::Result<std::string_view> content();
  /// Reads to the end of the stream. Error: broken-archive if it is truncated or corrupt.
  tenon::Result<void> finish();

 private:
  struct Free {
    void operator()(::archive* archive) const { ::archive_read_free(archive); }
  };
  static la_ssize_t read(::archive* archive, void* self, const void** block);
  bool stream_failed() const { return stream_failure_ || exception_; }
  tenon::Error failure() const;

  UnpackedStream& stream_;
  std::optional<tenon::Error> stream_failure_;
  std::exception_ptr exception_;  // exceptions must not pass through libarchive
  std::vector<char> piece_;
  bool is_open_ = false;
  std::unique_ptr<::archive, Free> archive_;
};

/// Returns the error for an archive that cannot be read. `found`: the reason.
tenon::Error not_an_archive(std::string found);

}  // namespace backup
