// SPDX-License-Identifier: BSL-1.0
//
// A hash table of texts that resists collision attacks: names in manifests are untrusted.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tenon { inline namespace v0_1 {

/// Returns the hash of a text, which differs in each process. Texts of at most 512 bytes collide
/// only by chance: colliding texts cannot be chosen without reading the memory of the process.
std::uint64_t hash_of(std::string_view text) noexcept;

/// Maps texts to numbers. Const functions may be called from any thread.
class TextIndex {
 public:
  static constexpr std::uint32_t npos = UINT32_MAX;

  /// Returns the number of the text; `npos` if it has none.
  std::uint32_t find(std::string_view text) const noexcept;
  /// Gives the text a number, unless it has one, and returns the number that it has afterwards.
  /// REQUIRED: the number is not `npos`; the text lives as long as the index.
  std::uint32_t add(std::string_view text, std::uint32_t number);

 private:
  struct Slot {
    std::uint64_t hash = 0;
    std::string_view text{};
    std::uint32_t number = npos;  // `npos`: the slot is free
  };

  /// Returns the slot of the text, or the free slot for it. REQUIRED: a slot is free.
  std::size_t slot_of(std::uint64_t hash, std::string_view text) const noexcept;
  void grow();

  std::vector<Slot> slots_;  // the size is a power of two; at least half are free
  std::size_t used_ = 0;
};

}}  // namespace tenon::v0_1
