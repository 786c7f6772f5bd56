// SPDX-License-Identifier: BSL-1.0
//
// How often the methods of a module's plugins are called. Threads that count at the same time use
// cache lines of their own, as far as there are enough of them.
#pragma once

#include <tenon/host.hpp>
#include <tenon/kind.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "module/lock_order.hpp"

namespace tenon::detail {

/// Of one method.
class MethodCounter {
 public:
  void begin() noexcept { mine().begun.fetch_add(1, std::memory_order_relaxed); }
  void end(bool failed) noexcept {
    Shard& shard = mine();
    if (failed) shard.failed.fetch_add(1, std::memory_order_relaxed);
    shard.ended.fetch_add(1, std::memory_order_release);
  }
  void add_to(CallCounts& counts) const noexcept;

 private:
  struct alignas(64) Shard {
    std::atomic<std::uint64_t> begun{0};
    std::atomic<std::uint64_t> ended{0};
    std::atomic<std::uint64_t> failed{0};
  };

  Shard& mine() noexcept;

  static constexpr std::uint32_t shards = 16;
  Shard shards_[shards];
};

/// Of a module, over all of its generations. Thread-safe.
class CallCounters {
 public:
  /// Of the methods of one plugin, in the order of the kind's version; stay where they are.
  std::span<MethodCounter> of(const std::string& plugin, const KindVersion& version);

  /// Methods that were called, by plugin and name.
  std::vector<MethodCalls> read() const;

 private:
  struct Counted {
    std::string plugin;
    const KindVersion* version;
    std::unique_ptr<MethodCounter[]> methods;
  };

  mutable Mutex mutex_{LockRank::counters};
  std::vector<Counted> counted_;
};

}  // namespace tenon::detail
