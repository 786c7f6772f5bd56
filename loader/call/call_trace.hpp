// SPDX-License-Identifier: BSL-1.0
//
// Records the calls and events of a host for a trace.
#pragma once

#include <tenon/events.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/fork.hpp"
#include "base/lock_order.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// A call that has ended. Times are nanoseconds of the steady clock.
struct TracedCall {
  std::uint32_t method = 0;  // see CallTrace::name_of
  bool failed = false;
  std::int32_t thread = 0;  // see platform::thread_number
  std::int64_t begin = 0;
  std::uint64_t time = 0;
};

/// An event, and when it was reported.
struct TracedEvent {
  std::int64_t time = 0;
  Event event;
};

/// Keeps what was not yet taken, up to a limit, and counts what is lost. Nobody waits for the one
/// who takes it: calls are recorded without a lock, but for the name of a new thread. Thread-safe.
class CallTrace {
 public:
  static constexpr std::size_t most_calls = std::size_t{1} << 15;
  static constexpr std::size_t most_events = 1'000;

  CallTrace() = default;
  CallTrace(const CallTrace&) = delete;
  CallTrace& operator=(const CallTrace&) = delete;

  /// Begins to record. Returns false if that has begun already. Throws std::bad_alloc.
  bool begin() TENON_EXCLUDES(mutex_);
  /// Ends it. What was not taken is dropped at the next begin.
  void end() noexcept { on_.store(false); }
  /// Returns whether calls are recorded. False in a forked child: nobody takes them there.
  bool is_on() const noexcept {
    return on_.load(std::memory_order_relaxed) && !process_.inherited();
  }

  /// REQUIRED for a call: it is on.
  void add(const TracedCall& call) noexcept;
  void add(const Event& event) TENON_EXCLUDES(mutex_);

  struct Taken {
    /// The names of threads that made their first call since the trace began.
    std::vector<std::pair<std::int32_t, std::string>> threads;
    std::vector<TracedCall> calls;
    std::vector<TracedEvent> events;
    std::uint64_t lost_calls = 0;
    std::uint64_t lost_events = 0;
  };
  /// Takes at most so many calls, and all events.
  Taken take(std::size_t most = most_calls) TENON_EXCLUDES(mutex_);

  /// Returns the number of a method, for TracedCall. The same name may get several.
  std::uint32_t number_of(std::string name) TENON_EXCLUDES(mutex_);
  std::string name_of(std::uint32_t method) const TENON_EXCLUDES(mutex_);

 private:
  /// An element of a ring buffer. Its turn is the number of the call that may be written to it; one
  /// more when that is complete; and that of the next one when it was taken.
  struct Cell {
    std::atomic<std::uint64_t> turn{0};
    TracedCall call;
  };

  void name_thread(std::int32_t thread) noexcept TENON_EXCLUDES(mutex_);
  Taken take_locked(std::size_t most) TENON_REQUIRES(mutex_);

  const platform::ProcessMark process_;
  std::atomic<bool> on_{false};
  std::atomic<std::uint64_t> number_{0};  // of the trace, unique in the process
  std::atomic<Cell*> cells_{nullptr};     // of `ring_`
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> lost_calls_{0};
  mutable Mutex mutex_{LockRank::traces};
  std::unique_ptr<Cell[]> ring_ TENON_GUARDED_BY(mutex_);  // from the first begin on
  std::uint64_t taken_ TENON_GUARDED_BY(mutex_) = 0;
  std::vector<std::pair<std::int32_t, std::string>> threads_ TENON_GUARDED_BY(mutex_);
  std::vector<TracedEvent> events_ TENON_GUARDED_BY(mutex_);
  std::uint64_t lost_events_ TENON_GUARDED_BY(mutex_) = 0;
  std::vector<std::string> methods_ TENON_GUARDED_BY(mutex_);
};

}}}  // namespace tenon::v0_1::detail
