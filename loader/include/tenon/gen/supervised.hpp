// SPDX-License-Identifier: BSL-1.0
//
// tenon/gen/supervised.hpp: vtables that intercept the calls of a plugin's methods. A host that
// counts calls, checks calls or contains crashes puts one between itself and each plugin; generated
// code fills it.
#pragma once

#include <tenon/abi.h>
#include <tenon/export.hpp>
#include <tenon/gen/instance.hpp>
#include <tenon/host.hpp>

#include <atomic>
#include <cstdint>

namespace tenon::detail {

/// How often a method was called. Threads that count at the same time do so in cache lines of their
/// own; the first ones to have a record do it without an atomic read-modify-write.
class TENON_API MethodCounter {
 public:
  void begin() noexcept { add(&Shard::begun, std::memory_order_relaxed); }
  void end(bool failed) noexcept {
    if (failed) [[unlikely]]
      add(&Shard::failed, std::memory_order_relaxed);
    add(&Shard::ended, std::memory_order_release);
  }
  void add_to(CallCounts& counts) const noexcept;

 private:
  using Count = std::atomic<std::uint64_t>;
  struct alignas(64) Shard {
    Count begun{0};
    Count ended{0};
    Count failed{0};
  };
  static constexpr std::uint32_t own = 16;  // shards that belong to one thread at a time

  void add(Count Shard::*count, std::memory_order order) noexcept {
    const ThreadRecord* record = thread_record;
    if (record == nullptr || record->number >= own) [[unlikely]] {
      (shards_[own].*count).fetch_add(1, order);
      return;
    }
    Count& mine = shards_[record->number].*count;
    mine.store(mine.load(std::memory_order_relaxed) + 1, order);
  }

  Shard shards_[own + 1];
};

/// One call, counted as failed unless it is known to have succeeded.
class CountedCall {
 public:
  /// nullptr: nothing is counted.
  explicit CountedCall(MethodCounter* counter) noexcept : counter_(counter) {
    if (counter_ != nullptr) counter_->begin();
  }
  ~CountedCall() {
    if (counter_ != nullptr) counter_->end(failed_);
  }
  CountedCall(const CountedCall&) = delete;
  CountedCall& operator=(const CountedCall&) = delete;

  void succeeded() noexcept { failed_ = false; }

 private:
  MethodCounter* const counter_;
  bool failed_ = true;
};

/// The `self` of a supervised table: one object of a plugin.
class TENON_API Supervised {
 public:
  Supervised(const Supervised&) = delete;
  Supervised& operator=(const Supervised&) = delete;

  /// A call of a method of the plugin. Lives on the stack of the caller.
  struct Passed {
    /// Casts the arguments back to their types, calls the method and sets `status`. Its parameter
    /// is this struct.
    void (*pass)(void* passed);
    const CallTarget* plugin;
    tenon_call* call;
    const void* in;
    void* out;
    tenon_status status = TENON_OK;
  };

  /// Watches a call of the method that stands at `index` in the kind's version.
  tenon_status call(std::uint32_t index, Passed& passed);

  /// Returns whether the host only counts calls.
  bool only_counts() const noexcept { return only_counts_; }
  /// nullptr where nothing is counted.
  MethodCounter* counter(std::uint32_t index) const noexcept {
    return counters_ != nullptr ? counters_ + index : nullptr;
  }
  /// The plugin's own vtable and object.
  const CallTarget& plugin() const noexcept { return plugin_; }

 protected:
  Supervised(const CallTarget& plugin, MethodCounter* counters, bool only_counts) noexcept
      : plugin_(plugin), counters_(counters), only_counts_(only_counts) {}
  ~Supervised() = default;

 private:
  const CallTarget plugin_;
  MethodCounter* const counters_;
  const bool only_counts_;
};

/// The method of a supervised table for one of the plugin's table.
template <auto Method, std::uint32_t Index>
struct SupervisedMethod;

template <class Table, class Request, class... Response,
          tenon_status (*Table::*Method)(tenon_call*, void*, const Request*, const Response**...),
          std::uint32_t Index>
struct SupervisedMethod<Method, Index> {
  static tenon_status call(tenon_call* call, void* self, const Request* in,
                           const Response**... out) {
    auto& supervised = *static_cast<Supervised*>(self);
    if (supervised.only_counts()) {
      CountedCall counted(supervised.counter(Index));
      const CallTarget& plugin = supervised.plugin();
      const tenon_status status =
          (static_cast<const Table*>(plugin.table)->*Method)(call, plugin.self, in, out...);
      if (status == TENON_OK) counted.succeeded();
      return status;
    }
    void* answer = nullptr;
    ((answer = out), ...);
    Supervised::Passed passed{pass, &supervised.plugin(), call, in, answer};
    return supervised.call(Index, passed);
  }

 private:
  static void pass(void* data) {
    auto& passed = *static_cast<Supervised::Passed*>(data);
    const CallTarget& plugin = *passed.plugin;
    passed.status = (static_cast<const Table*>(plugin.table)->*Method)(
        passed.call, plugin.self, static_cast<const Request*>(passed.in),
        static_cast<const Response**>(passed.out)...);
  }
};

}  // namespace tenon::detail
