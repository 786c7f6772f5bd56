// SPDX-License-Identifier: BSL-1.0
//
// tenon/gen/arena.hpp: the arena of a method's results, for code that needs memory outside of a
// call, such as conversions of documents.
#pragma once

#include <tenon/abi.h>
#include <tenon/export.hpp>

#include <cstddef>
#include <cstdint>

namespace tenon {

/// A call that only gives memory: it is never cancelled, and nobody hears what it says. The memory
/// lives until `reset` or until the Arena ends. Reused with `reset`, it allocates nothing in the
/// long run. Where memory ends, std::bad_alloc is thrown.
///
/// Belongs to one thread at a time.
class TENON_API Arena : protected tenon_call {
 public:
  Arena() noexcept;
  ~Arena() {
    if (blocks_ != nullptr) [[unlikely]]
      free_blocks();
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Frees all that it gave.
  void reset() noexcept {
    arena_next = memory_;
    arena_end = memory_ + sizeof memory_;
    if (blocks_ != nullptr) [[unlikely]]
      reuse_blocks();
  }

  /// Whether these bytes lie in memory that it gave since `reset`. Takes time that depends on the
  /// number of blocks alone, which grow like powers of 2.
  bool gave(const void* data, std::size_t size) const noexcept;

  /// What crosses the ABI.
  tenon_call* raw() noexcept { return this; }

 protected:
  /// The deadline of who has none.
  static constexpr tenon_timestamp never = INT64_MAX;

  /// For a call that does more.
  explicit Arena(const tenon_call_functions& functions) noexcept
      : tenon_call{sizeof(tenon_call), &functions, memory_, memory_ + sizeof memory_, never} {}

  /// Memory where the current block has none left; nullptr: there is none.
  void* allocate_block(std::size_t size) noexcept;
  /// For a call without memory of its own: its functions allocate everything in `outer`.
  explicit Arena(const Arena* outer) noexcept
      : tenon_call{sizeof(tenon_call), outer->functions, memory_, memory_, outer->deadline} {}

 private:
  struct Block;
  struct Functions;
  friend struct Functions;

  void free_blocks() noexcept;
  void reuse_blocks() noexcept;

  Block* blocks_ = nullptr;
  alignas(16) std::uint8_t memory_[512];
};

}  // namespace tenon
