// SPDX-License-Identifier: BSL-1.0
//
// Finds what stands under a text: names from manifests, which may be chosen to make look-ups slow.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tenon {

/// Hash of a text. Texts of at most 512 bytes collide by chance only: nobody who cannot read the
/// memory of the process can choose texts that do.
std::uint64_t hash_of(std::string_view text) noexcept;

/// Numbers by text. Const functions may be called from any thread.
class TextIndex {
 public:
  static constexpr std::uint32_t nothing = UINT32_MAX;

  /// The number of the text; `nothing` where it has none.
  std::uint32_t find(std::string_view text) const noexcept;
  /// Gives the text a number that is not `nothing`, unless it has one. Returns the number that it
  /// has then. REQUIRED: the text lives as long as the index.
  std::uint32_t add(std::string_view text, std::uint32_t number);

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::string_view text{};
    std::uint32_t number = nothing;  // the slot is free
  };

  /// The slot of the text, or the free one where it belongs. REQUIRED: a slot is free.
  std::size_t place_of(std::uint64_t hash, std::string_view text) const noexcept;
  void grow();

  std::vector<Slot> slots_;  // a power of two, of which at least half are free
  std::size_t used_ = 0;
};

}  // namespace tenon
