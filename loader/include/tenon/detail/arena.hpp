// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/arena.hpp: an arena for results, also for code outside a call, such as conversions
// of documents.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/export.hpp>

#include <cstddef>
#include <cstdint>

namespace tenon { inline namespace v0_1 {

/// A call that only allocates memory: it is never cancelled, and its messages are discarded. The
/// memory is valid until `reset` or until the Arena is destroyed. An Arena that is reused stops
/// allocating. Throws std::bad_alloc if memory is exhausted.
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

  /// Invalidates all memory that it returned.
  void reset() noexcept {
    arena_next = memory_;
    arena_end = memory_ + sizeof memory_;
    if (blocks_ != nullptr) [[unlikely]]
      reuse_blocks();
  }

  /// Returns whether these bytes are in memory that it returned since `reset`. Takes time in
  /// proportion to the number of blocks, whose sizes double.
  bool gave(const void* data, std::size_t size) const noexcept;

  /// Returns the C struct, which is valid as long as the Arena.
  tenon_call* raw() noexcept { return this; }

 protected:
  /// The deadline of a call without one.
  static constexpr tenon_timestamp never = INT64_MAX;

  /// For derived calls with functions of their own.
  explicit Arena(const tenon_call_functions& own) noexcept
      : tenon_call{sizeof(tenon_call), &own, memory_, memory_ + sizeof memory_, never} {}

  /// Returns memory from a new block; nullptr if memory is exhausted.
  void* allocate_block(std::size_t size) noexcept;
  /// For a call without memory: its functions allocate everything in `outer`.
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

}}  // namespace tenon::v0_1
