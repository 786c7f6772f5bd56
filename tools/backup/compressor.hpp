// SPDX-License-Identifier: BSL-1.0
//
// Compresses a stream. libarchive could, too, but leaves out the checksums of zstd, and does not
// check those of gzip.
#pragma once

#include <tenon/result.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace backup {

enum class Compression : std::uint8_t { gzip, zstd };

/// What is left to do after a step.
struct Progress {
  std::size_t taken = 0;  // of the input
  std::size_t given = 0;  // of the room for output
  bool ended = false;     // all that was given is complete
};

/// One step after the other. Belongs to one thread at a time.
class Compressor {
 public:
  virtual ~Compressor() = default;
  /// Compresses from `input` into `output` until one of them is used up. `last`: nothing follows
  /// `input`; then repeat until it has ended.
  virtual tenon::Result<Progress> step(std::string_view input, std::span<std::uint8_t> output,
                                       bool last) = 0;
};

/// Returns one with the default level.
std::unique_ptr<Compressor> make_compressor(Compression compression);

}  // namespace backup
