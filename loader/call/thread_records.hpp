// SPDX-License-Identifier: BSL-1.0
//
// The restart's side of the call guard (tenon/detail/guard.hpp): finds the threads that are in a
// generation.
#pragma once

#include <tenon/detail/guard.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace detail {

/// The targets of the calls that may be in one generation. Only one thread at a time may add
/// targets; otherwise thread-safe.
class CallTargets {
 public:
  CallTargets() noexcept { add_targets(&own_, 1); }
  CallTargets(const CallTargets&) = delete;
  CallTargets& operator=(const CallTargets&) = delete;

  /// Returns the target of the functions of the module.
  const CallTarget& own() const noexcept { return own_; }
  /// Adds an array of targets. REQUIRED: at least twice as large as the previous one, unless it is
  /// one of the first few.
  void add_targets(const CallTarget* first, std::size_t count) noexcept;
  bool has_target(const CallTarget* target) const noexcept;

 private:
  struct Range {
    const CallTarget* first;
    const CallTarget* end;
  };
  static constexpr std::size_t max_ranges = 40;

  const CallTarget own_{nullptr, nullptr, this, nullptr};
  std::atomic<std::size_t> count_{0};
  Range ranges_[max_ranges];
};

/// Returns the number of records, used or free: the largest number of threads attached at a time.
std::size_t count_thread_records() noexcept;

/// Returns whether the calling thread is in a call into `serving`, at any level of nesting. If so,
/// `serving` cannot be drained meanwhile.
bool this_thread_has_entered(const CallTargets& serving) noexcept;
/// Returns whether the calling thread has entered `serving` or runs on behalf of it (CallerScope).
bool this_thread_is_in(const CallTargets& serving) noexcept;

/// Returns the target that the calling thread entered last and is still in; nullptr if none.
const CallTarget* innermost_target() noexcept;
/// Returns the generation that the calling thread entered last and is still in; nullptr if none.
CallTargets* innermost_serving() noexcept;
/// Returns the name of the plugin whose function the calling thread runs in that generation; empty
/// for a function of the module.
std::string_view innermost_plugin() noexcept;

/// Keeps the calling thread in a generation from construction to destruction, for calls that are
/// not made through an Instance.
class GenerationGuard {
 public:
  explicit GenerationGuard(const CallTargets& serving) noexcept : GenerationGuard(serving.own()) {}
  /// For functions of a plugin: enters by one of the targets of the generation. `order` may be
  /// weaker if the next operation of the thread orders the slot.
  explicit GenerationGuard(const CallTarget& target,
                           std::memory_order order = std::memory_order_seq_cst) noexcept
      : slot_(next_free_slot()) {
    if (ThreadRecord::is_slot(slot_)) [[likely]] {
      take_slot(slot_);
    } else {
      slot_ = first_slot();
    }
    if (slot_ != nullptr) slot_->store(&target, order);
  }
  /// For a thread that does not hold an instance of `module`, the module of the generation.
  /// `order` as above.
  GenerationGuard(const CallTargets& serving, CallSwitch& module,
                  std::memory_order order = std::memory_order_seq_cst) noexcept;
  TENON_ALWAYS_INLINE ~GenerationGuard() {
    if (slot_ != nullptr) [[likely]] {
      slot_->store(nullptr, std::memory_order_release);
      release_slot(slot_);
    } else {
      leave_without_slot(counted_);
    }
  }
  /// Records that the thread now runs functions of a plugin of the generation. Others need not see
  /// this at once: the slot then still has a target of the same generation.
  void run_plugin(const CallTarget& target) const noexcept;
  GenerationGuard(const GenerationGuard&) = delete;
  GenerationGuard& operator=(const GenerationGuard&) = delete;

 private:
  /// Returns the slot for a thread without a free one: its first, or nullptr if all are taken.
  [[gnu::cold]] static Slot* first_slot() noexcept;
  [[gnu::cold]] static void leave_without_slot(CallSwitch* counted) noexcept;

  Slot* slot_ = nullptr;
  CallSwitch* counted_ = nullptr;  // set if there was no slot
};

/// Cancels the blocking calls in `serving` of `module`, with the reason `restart`, except those of
/// the thread with the record `own`. Calls that begin to block later must find
/// `module.interrupting` set, or be refused because the generation has crashed.
void interrupt_calls(CallSwitch& module, const CallTargets& serving,
                     const ThreadRecord* own = nullptr) noexcept;

/// Excludes the innermost call of the calling thread from those that `interrupt_calls` cancels. The
/// call has failed in `serving`, and must return that failure even if the failure begins a restart.
/// A call without a slot is not excluded.
void exclude_failed_call(const CallTargets& serving) noexcept;

/// The deadline in the record of a call whose lateness was reported.
inline constexpr std::int64_t reported_deadline = INT64_MIN;

/// A call that did not end by its deadline.
struct OverdueCall {
  std::uint32_t instance;
  std::string_view method;
  TimedCall* timed;
  std::int64_t deadline;

  /// Has the call not be returned again. Returns false if it has ended.
  bool take() const noexcept;
};

/// Returns the calls into `serving` that have missed their deadline, until they are taken. Lowers
/// `next` to the earliest deadline of the others.
std::vector<OverdueCall> overdue_calls(const CallTargets& serving, std::int64_t now,
                                       std::int64_t& next);

/// Whether threads are still in a generation.
enum class Drain {
  empty,     // no thread is in it, and none can enter
  occupied,  // a thread is still in it after the deadline
  unknown,   // the system refused the barrier that makes the stores of threads visible
};

/// Waits until no thread is in `serving` of `module`. REQUIRED: `serving` is no longer published.
/// When the system refuses the barrier for the first time, all threads begin to order their slots
/// themselves. The result is then `unknown` for the generations that are being drained at that
/// time, but not for later ones.
Drain wait_until_empty(CallSwitch& module, const CallTargets& serving,
                       std::chrono::steady_clock::time_point deadline);

/// Returns the number of calls that the calling thread is in.
std::uint32_t call_depth() noexcept;

}}}  // namespace tenon::v0_1::detail
