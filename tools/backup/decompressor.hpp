// SPDX-License-Identifier: BSL-1.0
//
// Decompresses a stream and verifies its checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "compressor.hpp"

namespace backup {

/// Decompresses step by step. Belongs to one thread at a time.
class Decompressor {
 public:
  virtual ~Decompressor() = default;
  /// Decompresses from `input` into `output` until one of them is used up, or a part of the stream
  /// has ended. Another part may follow. Error: broken-archive.
  virtual tenon::Result<Progress> step(std::string_view input, std::span<std::uint8_t> output) = 0;
};

/// The number of bytes at the beginning of a stream that identify its compression.
constexpr std::size_t signature_size = 4;

/// Returns the decompressor for a stream with this beginning: gzip, zstd, or uncompressed.
std::unique_ptr<Decompressor> make_decompressor(std::string_view beginning);

}  // namespace backup
