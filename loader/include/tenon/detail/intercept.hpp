// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/intercept.hpp: vtables that intercept the calls of a plugin's methods. A host that
// checks calls or contains crashes puts one before each plugin, and one that counts calls puts one
// before what it calls; generated code fills them.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/export.hpp>
#include <tenon/detail/guard.hpp>
#include <tenon/module_info.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tenon { inline namespace v0_1 { namespace detail {

class CallTrace;

/// Counts the calls of one method, and how long they take. Threads count in separate cache lines,
/// and the first 16 threads do so without an atomic read-modify-write. Reading the clock takes
/// longer than many calls, so of calls that take less than a microsecond, each thread times one in
/// 16.
class TENON_API MethodCounter {
 public:
  using Count = std::atomic<std::uint64_t>;
  /// The counts of one thread, or those of all threads without a shard of their own.
  struct alignas(64) Shard {
    Count begun{0};
    Count ended{0};
    Count failed{0};
    Count last_ns{0};  // how long the last timed call took
  };

  /// Returns the shard of the calling thread.
  Shard& shard() noexcept {
    const ThreadRecord* record = thread_record;
    return shards_[record == nullptr || record->number >= own ? own : record->number];
  }
  /// Adds one to a count of `shard`, and returns the earlier count.
  std::uint64_t add(Shard& shard, Count Shard::*count, std::memory_order order) noexcept {
    Count& counted = shard.*count;
    if (&shard == &shards_[own]) [[unlikely]]
      return counted.fetch_add(1, order);
    const std::uint64_t before = counted.load(std::memory_order_relaxed);
    counted.store(before + 1, order);
    return before;
  }
  /// Returns whether the call that follows `before` others is timed.
  static bool is_timed(const Shard& shard, std::uint64_t before) noexcept {
    return before % 16 == 0 || shard.last_ns.load(std::memory_order_relaxed) >= 1000;
  }
  /// Return the time in nanoseconds, and record a call that began at `begin`.
  static std::int64_t now() noexcept;
  void record(Shard& shard, std::int64_t begin, bool failed) noexcept;

  /// Timed calls are counted in ranges, four for each power of two, from 64 ns. The first range
  /// includes shorter times, the last one longer times.
  static constexpr std::size_t times = 112;
  /// Returns the number of timed calls in one of these ranges.
  std::uint64_t timed(std::size_t time) const noexcept {
    return timed_[time].load(std::memory_order_relaxed);
  }
  /// Returns the sum of the times in nanoseconds.
  std::uint64_t timed_ns() const noexcept { return timed_ns_.load(std::memory_order_relaxed); }
  void add_to(CallCounts& counts) const noexcept;

  /// Adds calls to a trace while one is recorded, under this number. Each call is then timed.
  void trace_into(CallTrace* trace, std::uint32_t number) noexcept {
    trace_ = trace;
    number_ = number;
  }

 private:
  static constexpr std::uint32_t own = 16;  // shards that belong to one thread at a time

  Shard shards_[own + 1];
  Count timed_[times]{};
  Count timed_ns_{0};
  CallTrace* trace_ = nullptr;
  std::uint32_t number_ = 0;
};

/// Counts one call, as failed unless `ended` was called with another status.
class CountedCall {
 public:
  explicit CountedCall(MethodCounter& counter) noexcept
      : counter_(counter), shard_(counter.shard()) {
    const std::uint64_t before =
        counter_.add(shard_, &MethodCounter::Shard::begun, std::memory_order_relaxed);
    if (MethodCounter::is_timed(shard_, before)) [[unlikely]]
      begin_ = MethodCounter::now();
  }
  ~CountedCall() {
    if (begin_ != untimed) [[unlikely]]
      counter_.record(shard_, begin_, failed_);
    if (failed_) [[unlikely]]
      counter_.add(shard_, &MethodCounter::Shard::failed, std::memory_order_relaxed);
    counter_.add(shard_, &MethodCounter::Shard::ended, std::memory_order_release);
  }
  CountedCall(const CountedCall&) = delete;
  CountedCall& operator=(const CountedCall&) = delete;

  /// A method that the plugin does not have is no failure: hosts call optional methods.
  void ended(tenon_status status) noexcept {
    failed_ = status != TENON_OK && TENON_CODE(status) != TENON_UNIMPLEMENTED;
  }

 private:
  static constexpr std::int64_t untimed = -1;

  MethodCounter& counter_;
  MethodCounter::Shard& shard_;
  std::int64_t begin_ = untimed;
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

  /// Checks and contains a call of the method at `index` in the version of the kind.
  tenon_status call(std::uint32_t index, Passed& passed);

  /// Returns the counters of the methods, if it only counts calls; otherwise nullptr.
  MethodCounter* counters() const noexcept { return counters_; }
  /// Returns the vtable and object that it surrounds.
  const CallTarget& inner() const noexcept { return inner_; }

 protected:
  Interceptor(const CallTarget& inner, MethodCounter* counters) noexcept
      : inner_(inner), counters_(counters) {}
  ~Interceptor() = default;

 private:
  const CallTarget inner_;
  MethodCounter* const counters_;
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
    const CallTarget& inner = interceptor.inner();
    if (MethodCounter* counters = interceptor.counters(); counters != nullptr) {
      CountedCall counted(counters[Index]);
      const tenon_status status =
          (static_cast<const Table*>(inner.table)->*Method)(call, inner.self, in, out...);
      counted.ended(status);
      return status;
    }
    void* answer = nullptr;
    ((answer = out), ...);
    Interceptor::Passed passed{pass, &inner, call, in, answer};
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
