// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/intercept.hpp: vtables that intercept the calls of a plugin's methods. A host that
// counts calls, checks calls or contains crashes puts one between itself and each plugin; generated
// code fills it.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/export.hpp>
#include <tenon/detail/guard.hpp>
#include <tenon/module_info.hpp>

#include <atomic>
#include <cstdint>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Counts the calls of one method. Threads count in separate cache lines, and the first 16 threads
/// do so without an atomic read-modify-write.
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

/// Counts one call, as failed unless `succeeded` was called.
class CountedCall {
 public:
  /// With nullptr, counts nothing.
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

/// The `self` of an intercepting vtable: one object of a plugin.
class TENON_API Interceptor {
 public:
  Interceptor(const Interceptor&) = delete;
  Interceptor& operator=(const Interceptor&) = delete;

  /// One intercepted call, on the stack of the caller.
  struct Passed {
    /// Calls the method with the arguments in this struct, `passed`, and sets `status`.
    void (*pass)(void* passed);
    const CallTarget* plugin;
    tenon_call* call;
    const void* in;
    void* out;
    tenon_status status = TENON_OK;
  };

  /// Counts, checks and contains a call of the method at `index` in the version of the kind.
  tenon_status call(std::uint32_t index, Passed& passed);

  /// Returns whether the host only counts calls.
  bool only_counts() const noexcept { return only_counts_; }
  /// Returns nullptr if nothing is counted.
  MethodCounter* counter(std::uint32_t index) const noexcept {
    return counters_ != nullptr ? counters_ + index : nullptr;
  }
  /// Returns the plugin's own vtable and object.
  const CallTarget& plugin() const noexcept { return plugin_; }

 protected:
  Interceptor(const CallTarget& plugin, MethodCounter* counters, bool only_counts) noexcept
      : plugin_(plugin), counters_(counters), only_counts_(only_counts) {}
  ~Interceptor() = default;

 private:
  const CallTarget plugin_;
  MethodCounter* const counters_;
  const bool only_counts_;
};

/// A method of an intercepting vtable.
template <auto Method, std::uint32_t Index>
struct InterceptedMethod;

template <class Table, class Request, class... Response,
          tenon_status (*Table::*Method)(tenon_call*, void*, const Request*, const Response**...),
          std::uint32_t Index>
struct InterceptedMethod<Method, Index> {
  static tenon_status call(tenon_call* call, void* self, const Request* in,
                           const Response**... out) {
    auto& interceptor = *static_cast<Interceptor*>(self);
    if (interceptor.only_counts()) {
      CountedCall counted(interceptor.counter(Index));
      const CallTarget& plugin = interceptor.plugin();
      const tenon_status status =
          (static_cast<const Table*>(plugin.table)->*Method)(call, plugin.self, in, out...);
      if (status == TENON_OK) counted.succeeded();
      return status;
    }
    void* answer = nullptr;
    ((answer = out), ...);
    Interceptor::Passed passed{pass, &interceptor.plugin(), call, in, answer};
    return interceptor.call(Index, passed);
  }

 private:
  static void pass(void* data) {
    auto& passed = *static_cast<Interceptor::Passed*>(data);
    const CallTarget& plugin = *passed.plugin;
    passed.status = (static_cast<const Table*>(plugin.table)->*Method)(
        passed.call, plugin.self, static_cast<const Request*>(passed.in),
        static_cast<const Response**>(passed.out)...);
  }
};

}}}  // namespace tenon::v0_1::detail
