// SPDX-License-Identifier: BSL-1.0
#include "call/thread_records.hpp"

#include <tenon/detail/blocking.hpp>

#include <algorithm>
#include <cassert>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "base/fork.hpp"
#include "base/lock_order.hpp"
#include "base/log.hpp"
#include "base/own_library.hpp"
#include "platform/barrier.hpp"
#include "platform/thread_exit.hpp"
#include "platform/thread_record.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

constinit std::atomic<bool> readers_order{TENON_ORDERED_SLOTS != 0};
constinit std::atomic<bool> cancelling_calls{false};

namespace {

// Records are freed only with the library: the record of a thread that ends is reused by the next
// thread. Readers of the list of all records take no lock.
LeafMutex records_mutex;
std::atomic<ThreadRecord*> all_records{nullptr};
ThreadRecord* free_records TENON_GUARDED_BY(records_mutex) = nullptr;

// Held while calls of other threads are cancelled. These threads wait for it before their calls
// end.
LeafMutex cancelling_mutex;

// Held during the pause of order_slots.
LeafMutex pause_mutex;

/// A call without a slot that may block.
struct CountedScope {
  const Blocking* scope;
  const CallSwitch* module;
  Call* call;
  const ThreadRecord* record;  // of its thread
};
std::vector<CountedScope>& counted_calls() TENON_REQUIRES(cancelling_mutex) {
  static auto& all = *new std::vector<CountedScope>;  // outlives every thread
  return all;
}

void add_to_free_records(ThreadRecord& record) noexcept TENON_REQUIRES(records_mutex) {
  record.next_free = free_records;
  free_records = &record;
}

void give_back(void* record) noexcept {
  sync::Lock lock(records_mutex);
  platform::set_thread_record(nullptr);
  if (all_records.load() == nullptr) return;  // EndOfLibrary has freed it
  add_to_free_records(*static_cast<ThreadRecord*>(record));
}

// Held while threads are armed and disarmed. The system may call give_back under the lock that it
// takes to do so, so records_mutex is not held then.
LeafMutex exit_mutex;

platform::ThreadExit& thread_exit() noexcept TENON_REQUIRES(exit_mutex) {
  static platform::ThreadExit exit(give_back);
  return exit;
}

/// Disarms all threads when the library is unloaded, since its code is then gone, and when the
/// process exits. Also frees the records, unless threads may still call plugins.
struct EndOfLibrary {
  ~EndOfLibrary() {
    {
      const sync::Lock lock(exit_mutex);
      thread_exit().end();
    }
    const sync::Lock lock(records_mutex);
    if (platform::library_in_use()) return;
    platform::set_thread_record(nullptr);
    free_records = nullptr;
    ThreadRecord* record = all_records.exchange(nullptr);
    while (record != nullptr) delete std::exchange(record, record->next);
  }
};
const EndOfLibrary end_of_library;

// -- The order of slots ---------------------------------------------------------

/// The slot of a reader that entered before it ordered its slots itself may still be in the store
/// buffer of its processor. Store buffers drain within microseconds, and immediately when the
/// thread is stopped. This time is far longer.
constexpr auto store_buffers_drain = std::chrono::milliseconds(10);

/// Returns whether the system lacks the barrier from the start, so that readers order their slots
/// in the library.
bool readers_order_from_the_start() noexcept {
  if (TENON_CALLS_ORDER_SLOTS) return false;
  static const bool order = TENON_ORDERED_SLOTS != 0 || !platform::has_process_barrier();
  if (order) readers_order.store(true);
  return order;
}

/// Makes all calls into the module order their slots themselves, and makes the slots of earlier
/// calls visible. Waits if another thread is doing so.
void order_slots(CallSwitch& module) noexcept {
  const sync::Lock lock(pause_mutex);
  if (module.let_readers_order()) std::this_thread::sleep_for(store_buffers_drain);
}

/// Returns whether the slots show every thread that is in an unpublished generation of the module.
bool slots_are_visible(CallSwitch& module) noexcept {
  if (TENON_CALLS_ORDER_SLOTS || readers_order_from_the_start()) return true;
  if (!readers_order.load()) {
    if (platform::process_barrier()) return true;
    const bool first = !readers_order.exchange(true);
    order_slots(module);
    if (first) {
      log_warning(
          "the system refuses the memory barrier that restarts need (membarrier); calls are slower "
          "from now on, and the code of modules that were being replaced stays mapped");
    }
    return false;
  }
  order_slots(module);
  return true;
}

// A forked child has one thread, which needs no lock. The calls of the other threads do not exist
// there.
void forget_other_threads() noexcept TENON_NO_THREAD_SAFETY_ANALYSIS {
  // They may be locked by threads that the child does not have.
  new (&records_mutex) LeafMutex;
  new (&exit_mutex) LeafMutex;
  new (&cancelling_mutex) LeafMutex;
  new (&pause_mutex) LeafMutex;
  cancelling_calls.store(false);
  free_records = nullptr;
  for (ThreadRecord* record = all_records.load(); record != nullptr; record = record->next) {
    if (record == this_thread_record()) continue;
    for (auto& slot : record->slots) slot.store(nullptr, std::memory_order_relaxed);
    for (auto& timed : record->timed) timed.deadline.store(no_deadline, std::memory_order_relaxed);
    for (auto& call : record->blocking) call.store(nullptr, std::memory_order_relaxed);
    record->caller = nullptr;
    add_to_free_records(*record);
  }
}

ThreadRecord* take_record() {
  const sync::Lock lock(records_mutex);
  if (free_records != nullptr) return std::exchange(free_records, free_records->next_free);
  static const bool watching = (platform::after_fork_in_child(forget_other_threads), true);
  static_cast<void>(watching);
  auto* record = new ThreadRecord;
  record->next = all_records.load();
  if (record->next != nullptr) record->number = record->next->number + 1;
  all_records.store(record);
  return record;
}

bool is_occupied(const CallSwitch& module, const CallTargets& serving) noexcept {
  if (module.overflow.load() != 0) return true;
  for (ThreadRecord* record = all_records.load(); record != nullptr; record = record->next) {
    for (const auto& slot : record->slots) {
      const CallTarget* target = slot.load();
      if (target != nullptr && serving.has_target(target)) return true;
    }
  }
  return false;
}

}  // namespace

ThreadRecord* attach_thread() noexcept {
  ThreadRecord* record = take_record();
  const sync::Lock lock(exit_mutex);
  platform::set_thread_record(record);
  thread_exit().arm(record);
  return record;
}

std::size_t count_thread_records() noexcept {
  std::size_t count = 0;
  for (const ThreadRecord* record = all_records.load(); record != nullptr; record = record->next) {
    ++count;
  }
  return count;
}

std::uint32_t call_depth() noexcept {
  const ThreadRecord* record = this_thread_record();
  if (record == nullptr) return 0;
  return static_cast<std::uint32_t>(record->index_of(next_free_slot()) - 1);
}

bool this_thread_has_entered(const CallTargets& serving) noexcept {
  const ThreadRecord* record = this_thread_record();
  if (record == nullptr) return false;
  return std::any_of(std::begin(record->slots), std::end(record->slots), [&](const Slot& slot) {
    const CallTarget* target = slot.load();
    return target != nullptr && target->generation == &serving;
  });
}

bool this_thread_is_in(const CallTargets& serving) noexcept {
  const ThreadRecord* record = this_thread_record();
  if (record == nullptr) return false;
  for (const CallerScope* scope = record->caller; scope != nullptr; scope = scope->outer()) {
    if (scope->caller() == &serving) return true;
  }
  return this_thread_has_entered(serving);
}

const CallTarget* innermost_target() noexcept {
  return call_depth() > 0 ? (next_free_slot() - 1)->load() : nullptr;
}

CallTargets* innermost_serving() noexcept {
  const CallTarget* target = innermost_target();
  return target != nullptr ? target->generation : nullptr;
}

std::string_view innermost_plugin() noexcept {
  const CallTarget* target = innermost_target();
  if (target == nullptr || target->plugin == nullptr) return {};
  return *target->plugin;
}

// A call that is nested too deeply has no slot. Its generation is not drained meanwhile, because
// the caller of such a call also holds the module.
Slot* GenerationGuard::first_slot() noexcept {
  if (this_thread_record() != nullptr) return nullptr;  // all are taken
  attach_thread();
  Slot* slot = next_free_slot();
  take_slot(slot);
  return slot;
}

GenerationGuard::GenerationGuard(const CallTargets& serving, CallSwitch& module,
                                 std::memory_order order) noexcept
    : GenerationGuard(serving.own(), order) {
  if (slot_ != nullptr) return;
  counted_ = &module;
  counted_->overflow.fetch_add(1);
}

void GenerationGuard::leave_without_slot(CallSwitch* counted) noexcept {
  if (counted != nullptr) counted->overflow.fetch_sub(1);
}

void GenerationGuard::run_plugin(const CallTarget& target) const noexcept {
  if (slot_ != nullptr) slot_->store(&target, std::memory_order_release);
}

// -- Publication -----------------------------------------------------------------

void CallTargets::add_targets(const CallTarget* first, std::size_t count) noexcept {
  const std::size_t number = count_.load(std::memory_order_relaxed);
  assert(number < max_ranges);
  ranges_[number] = {first, first + count};
  count_.store(number + 1, std::memory_order_release);
}

bool CallTargets::has_target(const CallTarget* target) const noexcept {
  const std::less<const CallTarget*> before;  // of pointers into different arrays
  const auto end = ranges_ + count_.load(std::memory_order_acquire);
  return std::any_of(ranges_, end, [&](const Range& range) {
    return !before(target, range.first) && before(target, range.end);
  });
}

namespace {

// Distinguishes targets of a closed gate from those of instances that a generation does not have.
char gate_mark;
constexpr CallTarget first_gate{nullptr, &gate_mark};

}  // namespace

/// The state shared by publishers.
struct CallSwitch::Writers {
  LeafMutex mutex;                                     // guards the published array, too
  bool readers_order TENON_GUARDED_BY(mutex) = false;  // see let_readers_order
  // The targets of the closed gate.
  const CallTarget* gate TENON_GUARDED_BY(mutex) = &first_gate;
  std::size_t capacity TENON_GUARDED_BY(mutex) = 1;  // their number
  // Smaller arrays are kept: a call may still read them.
  std::vector<std::unique_ptr<const CallTarget[]>> gates TENON_GUARDED_BY(mutex);
};

CallSwitch::CallSwitch()
    : current_(&first_gate), published_(&first_gate), writers_(std::make_unique<Writers>()) {}

CallSwitch::~CallSwitch() = default;

void CallSwitch::publish(const CallTarget* targets) noexcept {
  const bool order = readers_order_from_the_start() || readers_order.load();
  const sync::Lock lock(writers_->mutex);
  published_.store(targets);
  current_.store(order || writers_->readers_order ? writers_->gate : targets);
}

void CallSwitch::replace(const CallTarget* outgrown, const CallTarget* targets) noexcept {
  const sync::Lock lock(writers_->mutex);
  if (published_.load() == outgrown) published_.store(targets);
  if (current_.load() == outgrown) current_.store(targets);
}

void CallSwitch::close() noexcept {
  const sync::Lock lock(writers_->mutex);
  published_.store(writers_->gate);
  current_.store(writers_->gate);
}

bool CallSwitch::closed() const noexcept {
  const sync::Lock lock(writers_->mutex);
  return published_.load() == writers_->gate;
}

bool CallSwitch::is_gate(const CallTarget& target) noexcept {
  return target.self == &gate_mark;
}

void CallSwitch::reserve(std::size_t count) {
  const sync::Lock lock(writers_->mutex);
  if (count <= writers_->capacity) return;
  const std::size_t larger = std::max<std::size_t>(2 * writers_->capacity, count + 7);
  auto targets = std::make_unique<CallTarget[]>(larger);
  std::fill_n(targets.get(), larger, first_gate);
  writers_->gates.push_back(std::move(targets));
  const CallTarget* outgrown = std::exchange(writers_->gate, writers_->gates.back().get());
  writers_->capacity = larger;
  if (published_.load() == outgrown) published_.store(writers_->gate);
  if (current_.load() == outgrown) current_.store(writers_->gate);
}

bool CallSwitch::let_readers_order() noexcept {
  const sync::Lock lock(writers_->mutex);
  current_.store(writers_->gate);
  return !std::exchange(writers_->readers_order, true);
}

// A call found in a record stays there meanwhile: its thread sees `cancelling_calls` when it
// removes the call, and waits. So the slot that is read after the call belongs to the same call.
void interrupt_calls(CallSwitch& module, const CallTargets& serving,
                     const ThreadRecord* own) noexcept {
  sync::Lock lock(cancelling_mutex);
  cancelling_calls.store(true);
  // If the system refuses the barrier, readers order their calls from then on.
  static_cast<void>(slots_are_visible(module));
  for (ThreadRecord* record = all_records.load(); record != nullptr; record = record->next) {
    if (record == own) continue;
    for (std::uint32_t level = 1; level <= ThreadRecord::levels; ++level) {
      Call* call = record->blocking[level].load();
      if (call == nullptr || !serving.has_target(record->slots[level].load())) continue;
      call->cancel(CancelReason::restart);
    }
  }
  for (const CountedScope& counted : counted_calls()) {
    if (counted.module != &module || counted.record == own) continue;
    counted.call->cancel(CancelReason::restart);
  }
  cancelling_calls.store(false);
}

void exclude_failed_call(const CallTargets& serving) noexcept {
  if (innermost_serving() != &serving) return;
  ThreadRecord& record = *this_thread_record();
  record.blocking[record.index_of(next_free_slot() - 1)].store(nullptr);
  const sync::Lock lock(cancelling_mutex);  // waits until no restart uses the call
}

void Blocking::begin_counted() noexcept {
  sync::Lock lock(cancelling_mutex);
  counted_calls().push_back({this, &module_, &call_, this_thread_record()});
  if (module_.interrupting.load()) call_.cancel(CancelReason::restart);
}

void Blocking::end_counted() noexcept {
  sync::Lock lock(cancelling_mutex);
  std::erase_if(counted_calls(), [&](const CountedScope& one) { return one.scope == this; });
}

void Blocking::wait_for_cancelling() noexcept {
  sync::Lock lock(cancelling_mutex);
}

bool OverdueCall::take() const noexcept {
  std::int64_t expected = deadline;
  return timed->deadline.compare_exchange_strong(expected, reported_deadline);
}

std::vector<OverdueCall> overdue_calls(const CallTargets& serving, std::int64_t now,
                                       std::int64_t& next) {
  std::vector<OverdueCall> overdue;
  for (ThreadRecord* record = all_records.load(); record != nullptr; record = record->next) {
    for (std::uint32_t level = 1; level <= ThreadRecord::levels; ++level) {
      TimedCall& timed = record->timed[level];
      std::int64_t deadline = timed.deadline.load();
      if (deadline == no_deadline || deadline == reported_deadline) continue;
      const OverdueCall call{timed.instance.load(), timed.method.load(), &timed, deadline};
      if (!serving.has_target(record->slots[level].load())) continue;
      if (deadline > now) {
        next = std::min(next, deadline);
      } else {
        overdue.push_back(call);
      }
    }
  }
  return overdue;
}

Drain wait_until_empty(CallSwitch& module, const CallTargets& serving,
                       std::chrono::steady_clock::time_point deadline) {
  const InLoader inside;
  if (!slots_are_visible(module)) return Drain::unknown;
  constexpr auto max_backoff = std::chrono::milliseconds(1);
  auto pause = std::chrono::microseconds(0);
  while (is_occupied(module, serving)) {
    if (std::chrono::steady_clock::now() >= deadline) return Drain::occupied;
    if (pause.count() == 0) {
      std::this_thread::yield();
      pause = std::chrono::microseconds(1);
    } else {
      std::this_thread::sleep_for(pause);
      pause = std::min<std::chrono::microseconds>(2 * pause, max_backoff);
    }
  }
  return Drain::empty;
}

}}}  // namespace tenon::v0_1::detail
