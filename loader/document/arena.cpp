// SPDX-License-Identifier: BSL-1.0
#include <tenon/detail/arena.hpp>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace tenon { inline namespace v0_1 {
namespace {

constexpr std::size_t first_block = 4096;

std::size_t padded(std::size_t size) noexcept {
  return (size + 15) & ~std::size_t{15};
}

}  // namespace

/// A block on the heap, used after the memory in the Arena itself.
struct alignas(16) Arena::Block {
  Block* next;
  std::size_t size;  // of the memory that follows

  std::uint8_t* begin() noexcept { return reinterpret_cast<std::uint8_t*>(this + 1); }
  const std::uint8_t* begin() const noexcept {
    return reinterpret_cast<const std::uint8_t*>(this + 1);
  }
};

/// The functions of an Arena that is used as a call.
struct Arena::Functions {
  static void* allocate(tenon_call* call, std::size_t size) {
    void* memory = static_cast<Arena*>(call)->allocate_block(size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  static void fail(tenon_call*, tenon_status, tenon_string) {}
  static void log(tenon_call*, std::int32_t, tenon_string) {}
  static std::int32_t cancelled(tenon_call*) { return TENON_NOT_CANCELLED; }
  static std::int32_t wait(tenon_call*, tenon_duration) { return TENON_NOT_CANCELLED; }
  static std::intptr_t wait_handle(tenon_call*) { return -1; }
  static tenon_string message(tenon_call*) { return {nullptr, 0}; }
  static std::int32_t log_wanted(tenon_call*, std::int32_t) { return 0; }
  static void log_line(tenon_call*, const tenon_log_line*) {}

  static const tenon_call_functions table;
};

constinit const tenon_call_functions Arena::Functions::table = {sizeof(tenon_call_functions),
                                                                allocate,
                                                                fail,
                                                                log,
                                                                cancelled,
                                                                wait,
                                                                wait_handle,
                                                                message,
                                                                log_wanted,
                                                                log_line};

Arena::Arena() noexcept : Arena(Functions::table) {}

void Arena::free_blocks() noexcept {
  while (blocks_ != nullptr) std::free(std::exchange(blocks_, blocks_->next));
}

// Merges the blocks, so that the next use needs only one.
void Arena::reuse_blocks() noexcept {
  if (blocks_->next != nullptr) {
    std::size_t total = 0;
    while (blocks_ != nullptr) {
      total += blocks_->size;
      std::free(std::exchange(blocks_, blocks_->next));
    }
    if (allocate_block(total) == nullptr) return;
  }
  arena_next = blocks_->begin();
  arena_end = arena_next + blocks_->size;
}

bool Arena::gave(const void* data, std::size_t size) const noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(data);
  const auto holds = [&](const std::uint8_t* begin, std::size_t capacity) {
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    return first >= at && first - at <= capacity && size <= capacity - (first - at);
  };
  if (holds(memory_, sizeof memory_)) return true;
  for (const Block* block = blocks_; block != nullptr; block = block->next) {
    if (holds(block->begin(), block->size)) return true;
  }
  return false;
}

void* Arena::allocate_block(std::size_t size) noexcept {
  const std::size_t needed = padded(size);
  const std::size_t last = blocks_ != nullptr ? blocks_->size : first_block / 2;
  const std::size_t capacity = std::max(needed, 2 * last);
  void* memory = needed >= size ? std::malloc(sizeof(Block) + capacity) : nullptr;
  if (memory == nullptr) return nullptr;
  blocks_ = new (memory) Block{blocks_, capacity};
  arena_next = blocks_->begin() + needed;
  arena_end = blocks_->begin() + capacity;
  return blocks_->begin();
}

}}  // namespace tenon::v0_1
