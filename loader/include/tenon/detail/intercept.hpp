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
/// 64.
class TENON_API MethodCounter {
 public:
  using Count = std::atomic<std::uint64_t>;
  /// The counts of one thread, or those of all threads without a shard of their own.
  struct alignas(64) Shard {
    Count begun{0};
    Count ended{0};
    Count failed{0};
    Count next_timed{0};  // calls that follow this many others are timed
  };

  /// Returns the shard of the calling thread if no other thread counts in it and the next call is
  /// not timed; otherwise nullptr.
  TENON_ALWAYS_INLINE Shard* untimed_shard() noexcept {
    const ThreadRecord* record = this_thread_record();
    if (record == nullptr || record->number >= own) [[unlikely]]
      return nullptr;
    Shard& shard = shards_[record->number];
    const bool is_timed = shard.begun.load(std::memory_order_relaxed) >=
                          shard.next_timed.load(std::memory_order_relaxed);
    return is_timed ? nullptr : &shard;
  }
  /// Returns the shard of the calling thread.
  Shard& shard() noexcept {
    const ThreadRecord* record = this_thread_record();
    return shards_[record == nullptr || record->number >= own ? own : record->number];
  }
  /// Adds one to a count of `shard`, and returns the earlier count.
  std::uint64_t add(Shard& shard, Count Shard::*count, std::memory_order order) noexcept {
    return &shard == &shards_[own] ? (shard.*count).fetch_add(1, order)
                                   : increment(shard.*count, order);
  }
  /// The same for a count that only the calling thread changes.
  static std::uint64_t increment(Count& count, std::memory_order order) noexcept {
    const std::uint64_t before = count.load(std::memory_order_relaxed);
    count.store(before + 1, order);
    return before;
  }
  /// Has the next call of each thread timed.
  void time_next() noexcept {
    for (Shard& shard : shards_) shard.next_timed.store(0, std::memory_order_relaxed);
  }

  /// A method that the plugin does not have is no failure: hosts call optional methods.
  static bool is_failure(tenon_status status) noexcept {
    return status != TENON_OK && TENON_CODE(status) != TENON_UNIMPLEMENTED;
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

/// Counts one call that is not timed, as failed unless `ended` was called with another status. All
/// that most calls run is inline, and its members stay in registers.
class UntimedCall {
 public:
  TENON_ALWAYS_INLINE explicit UntimedCall(MethodCounter::Shard& shard) noexcept : shard_(shard) {
    MethodCounter::increment(shard_.begun, std::memory_order_relaxed);
  }
  TENON_ALWAYS_INLINE ~UntimedCall() {
    if (failed_) [[unlikely]]
      MethodCounter::increment(shard_.failed, std::memory_order_relaxed);
    MethodCounter::increment(shard_.ended, std::memory_order_release);
  }
  UntimedCall(const UntimedCall&) = delete;
  UntimedCall& operator=(const UntimedCall&) = delete;

  TENON_ALWAYS_INLINE void ended(tenon_status status) noexcept {
    failed_ = MethodCounter::is_failure(status);
  }

 private:
  MethodCounter::Shard& shard_;
  bool failed_ = true;
};

/// Counts one call, and times it if it is its turn. Counts it as failed unless `ended` was called
/// with another status.
class CountedCall {
 public:
  explicit CountedCall(MethodCounter& counter) noexcept
      : counter_(counter), shard_(counter.shard()) {
    const std::uint64_t before =
        counter_.add(shard_, &MethodCounter::Shard::begun, std::memory_order_relaxed);
    if (before >= shard_.next_timed.load(std::memory_order_relaxed)) begin_ = MethodCounter::now();
  }
  ~CountedCall() {
    if (begin_ != untimed) counter_.record(shard_, begin_, failed_);
    if (failed_) counter_.add(shard_, &MethodCounter::Shard::failed, std::memory_order_relaxed);
    counter_.add(shard_, &MethodCounter::Shard::ended, std::memory_order_release);
  }
  CountedCall(const CountedCall&) = delete;
  CountedCall& operator=(const CountedCall&) = delete;

  void ended(tenon_status status) noexcept { failed_ = MethodCounter::is_failure(status); }

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

  /// Counts a call, and passes it on.
  tenon_status count(std::uint32_t index, Passed& passed);

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
    MethodCounter* const counters = interceptor.counters();
    MethodCounter::Shard* const shard =
        counters != nullptr ? counters[Index].untimed_shard() : nullptr;
    if (shard != nullptr) {
      UntimedCall counted(*shard);
      const tenon_status status =
          (static_cast<const Table*>(inner.table)->*Method)(call, inner.self, in, out...);
      counted.ended(status);
      return status;
    }
    void* answer = nullptr;
    ((answer = out), ...);
    Interceptor::Passed passed{pass, &inner, call, in, answer};
    return counters != nullptr ? interceptor.count(Index, passed) : interceptor.call(Index, passed);
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
