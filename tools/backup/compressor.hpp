// SPDX-License-Identifier: BSL-1.0
//
// Compresses a stream. libarchive could do this as well, but it omits the checksums of zstd and
// does not check those of gzip.
#pragma once

#include <tenon/result.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace backup {

enum class Compression : std::uint8_t { gzip, zstd };

/// The result of one step.
struct Progress {
  std::size_t taken = 0;  // bytes of input
  std::size_t given = 0;  // bytes of output
  bool ended = false;     // the output is complete
};

/// Compresses step by step. Belongs to one thread at a time.
class Compressor {
 public:
  virtual ~Compressor() = default;
  /// Compresses from `input` into `output` until one of them is used up. If `last`, `input` is the
  /// end of the stream, and the caller repeats the step until `ended`.
  virtual tenon::Result<Progress> step(std::string_view input, std::span<std::uint8_t> output,
                                       bool last) = 0;
};

/// Returns a compressor with the default level.
std::unique_ptr<Compressor> make_compressor(Compression compression);

}  // namespace backup
