// SPDX-License-Identifier: BSL-1.0
//
// The restart's side of the call guard (tenon/gen/instance.hpp): which threads are in which
// generation.
#pragma once

#include <tenon/gen/instance.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::detail {

/// A generation as the guard sees it: the targets of the calls that may be in it. Not more than one
/// thread at a time adds targets; all else is thread-safe.
class Serving {
 public:
  Serving() noexcept { add_targets(&own_, 1); }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  /// The target of the functions of the module.
  const CallTarget& own() const noexcept { return own_; }
  /// From now on an array of targets belongs to it. REQUIRED: at least twice as many as in the one
  /// before, or one of the first few.
  void add_targets(const CallTarget* first, std::size_t count) noexcept;
  bool has_target(const CallTarget* target) const noexcept;

 private:
  struct Range {
    const CallTarget* first;
    const CallTarget* end;
  };
  static constexpr std::size_t most_ranges = 40;

  const CallTarget own_{nullptr, nullptr, this, nullptr};
  std::atomic<std::size_t> count_{0};
  Range ranges_[most_ranges];
};

/// The records that exist, used or free: as many as threads were attached at the same time.
std::size_t count_thread_records() noexcept;

/// Whether the calling thread is inside a call into `serving`, at any level of nesting. `serving`
/// cannot be drained meanwhile.
bool this_thread_has_entered(const Serving& serving) noexcept;
/// The same, or whether it runs on behalf of `serving`, see AskerScope: code of that generation is
/// on its stack.
bool this_thread_is_in(const Serving& serving) noexcept;

/// Where the calling thread is that entered it last and is still there; nullptr where there is
/// none.
const CallTarget* innermost_target() noexcept;
/// The generation that the calling thread entered last and is still in; nullptr where there is
/// none.
Serving* innermost_serving() noexcept;
/// The name of the plugin whose function the thread runs in it; empty where it runs one of the
/// module.
std::string_view innermost_plugin() noexcept;

/// The calling thread is in `serving` from construction to destruction: for the calls that are not
/// made through an Instance.
class Inside {
 public:
  explicit Inside(const Serving& serving) noexcept : Inside(serving.own()) {}
  /// The same for functions of a plugin, by one of the targets of the generation. `order`: weaker
  /// where the thread orders the slot by what it does next.
  explicit Inside(const CallTarget& target,
                  std::memory_order order = std::memory_order_seq_cst) noexcept
      : slot_(ThreadRecord::is_slot(free_slot) ? free_slot++ : first_slot()) {
    if (slot_ != nullptr) slot_->store(&target, order);
  }
  /// The same for a thread that does not hold an instance of `module`, whose generation it is.
  Inside(const Serving& serving, ServingModule& module) noexcept;
  ~Inside() {
    if (slot_ != nullptr) [[likely]] {
      slot_->store(nullptr, std::memory_order_release);
      free_slot = slot_;
    } else {
      leave_without_slot();
    }
  }
  /// From now on the thread runs functions of a plugin of the generation.
  void run_plugin(const CallTarget& target) const noexcept;
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  /// The slot of a thread that has no free one: its first, or nullptr where all are taken.
  [[gnu::cold]] static Slot* first_slot() noexcept;
  [[gnu::cold]] void leave_without_slot() noexcept;

  Slot* slot_ = nullptr;
  ServingModule* counted_ = nullptr;  // where there was no slot
};

/// Cancels the calls in `serving` of `module` that block, with the reason `restart`, except those
/// of the thread whose record is `own`. Calls that begin to block later must find
/// `module.interrupting` set, or be refused because the generation has crashed.
void interrupt_calls(ServingModule& module, const Serving& serving,
                     const ThreadRecord* own = nullptr) noexcept;

/// A call that did not end by its deadline.
struct OverdueCall {
  std::uint32_t instance;
  std::string_view method;
};

/// The calls into `serving` that have missed their deadline, each only once. `next` becomes the
/// earliest deadline of the others, where that is earlier.
std::vector<OverdueCall> take_overdue_calls(const Serving& serving, std::int64_t now,
                                            std::int64_t& next);

/// Whether threads are still in a generation.
enum class Occupancy {
  left,      // none is, and none can enter any more
  occupied,  // the deadline passed, and one still is
  unknown,   // nobody can say: the system refused the barrier that shows what threads have stored
};

/// Waits until no thread is in `serving` of `module`, which must not be published any more. When
/// the system refuses the barrier for the first time, all threads are told to order their slots
/// themselves, and the answer is `unknown` for the generations that were being left then. It is not
/// for those that are left afterwards.
Occupancy wait_until_left(ServingModule& module, const Serving& serving,
                          std::chrono::steady_clock::time_point deadline);

/// In how many calls the thread is.
std::uint32_t call_depth() noexcept;

}  // namespace tenon::detail
