// SPDX-License-Identifier: BSL-1.0
//
// Decompresses a stream, and checks the sums in it.
#pragma once

#include "compressor.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace backup {

/// One step after the other. Belongs to one thread at a time.
class Decompressor {
 public:
  virtual ~Decompressor() = default;
  /// Decompresses from `input` into `output` until one of them is used up, or a part of the stream
  /// has ended; another one may follow. Error: not-an-archive.
  virtual tenon::Result<Progress> step(std::string_view input, std::span<std::uint8_t> output) = 0;
};

/// How many bytes at the beginning of a stream say how it is compressed.
constexpr std::size_t signature_size = 4;

/// Returns what decompresses a stream that begins so: gzip, zstd, or not at all.
std::unique_ptr<Decompressor> make_decompressor(std::string_view beginning);

}  // namespace backup
