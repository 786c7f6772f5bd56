// SPDX-License-Identifier: BSL-1.0
#include "module/thread_records.hpp"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "module/log.hpp"
#include "platform/barrier.hpp"
#include "platform/fork.hpp"
#include "platform/thread_exit.hpp"

namespace tenon::detail {

constinit thread_local ThreadRecord* thread_record TENON_TLS_AT_FIXED_OFFSET = nullptr;
constinit std::atomic<bool> cancelling_calls{false};

namespace {

// Records are never freed: a thread that ends leaves its own to the next one. Readers of the list
// of all records take no lock.
std::mutex records_mutex;
std::atomic<ThreadRecord*> all_records{nullptr};
ThreadRecord* free_records = nullptr;  // guarded by the mutex

// While calls are cancelled that other threads are in: these wait for it before they end.
std::mutex cancelling_mutex;

/// A call that may block and has no slot.
struct CountedCall {
  const Blocking* scope;
  const ServingModule* module;
  Call* call;
};
/// Guarded by `cancelling_mutex`.
std::vector<CountedCall>& counted_calls() {
  static auto& all = *new std::vector<CountedCall>;  // outlives every thread
  return all;
}

/// REQUIRED: the mutex, or no other thread.
void add_to_free_records(ThreadRecord& record) noexcept {
  record.next_free = free_records;
  free_records = &record;
}

void give_back(void* record) noexcept {
  std::lock_guard lock(records_mutex);
  thread_record = nullptr;
  add_to_free_records(*static_cast<ThreadRecord*>(record));
}

// -- The order of slots ---------------------------------------------------------

/// Who orders the store of a slot before the load that follows it.
enum class Ordering {
  by_barrier,  // restarts, for all threads
  changing,
  by_readers,
};

Ordering first_ordering() noexcept {
  return TENON_ORDERED_SLOTS || !platform::has_process_barrier() ? Ordering::by_readers
                                                                 : Ordering::by_barrier;
}

std::atomic<Ordering>& ordering() noexcept {
  static std::atomic<Ordering> now = first_ordering();
  return now;
}

/// From now on every reader orders its slots itself. Readers that entered before they were told may
/// have a slot in the store buffer of their processor. It drains within microseconds, and at once
/// when the thread is stopped; the pause is far longer.
void order_by_readers() noexcept {
  constexpr auto pause = std::chrono::milliseconds(10);
  auto before = Ordering::by_barrier;
  if (!ordering().compare_exchange_strong(before, Ordering::changing)) return;
  {
    std::lock_guard lock(records_mutex);
    for (ThreadRecord* record = all_records.load(); record != nullptr; record = record->next) {
      record->ordered.store(true);
    }
  }
  std::this_thread::sleep_for(pause);
  ordering().store(Ordering::by_readers);
  log_warning(
      "the system refuses the memory barrier that restarts need (membarrier); calls are slower "
      "from "
      "now on, and the code of modules that were being replaced stays mapped");
}

/// Whether the slots show every thread that is in a generation that is not published any more.
bool slots_are_visible() noexcept {
  if (ordering().load() == Ordering::by_readers) return true;
  if (platform::process_barrier()) return true;
  order_by_readers();
  return false;
}

// The child of a fork has one thread. The calls of the others do not exist there.
void forget_other_threads() noexcept {
  // Their owners may be threads that the child does not have.
  new (&records_mutex) std::mutex;
  new (&cancelling_mutex) std::mutex;
  cancelling_calls.store(false);
  if (ordering().load() == Ordering::changing) {
    if (thread_record != nullptr) thread_record->ordered.store(true);
    ordering().store(Ordering::by_readers);
  }
  free_records = nullptr;
  for (ThreadRecord* record = all_records.load(); record != nullptr; record = record->next) {
    if (record == thread_record) continue;
    for (auto& slot : record->slots) slot.store(nullptr, std::memory_order_relaxed);
    for (auto& timed : record->timed) timed.deadline.store(no_deadline, std::memory_order_relaxed);
    for (auto& call : record->blocking) call.store(nullptr, std::memory_order_relaxed);
    record->asker = nullptr;
    record->depth = 0;
    record->ordered.store(ordering().load() != Ordering::by_barrier);
    add_to_free_records(*record);
  }
}

/// REQUIRED: the mutex.
ThreadRecord* take_record() {
  if (free_records != nullptr) return std::exchange(free_records, free_records->next_free);
  static const bool watching = (platform::after_fork_in_child(forget_other_threads), true);
  static_cast<void>(watching);
  auto* record = new ThreadRecord;
  record->ordered.store(ordering().load() != Ordering::by_barrier);
  record->next = all_records.load();
  all_records.store(record);
  return record;
}

bool somebody_is_in(const ServingModule& module, const Serving& serving) noexcept {
  if (module.overflow.load() != 0) return true;
  for (ThreadRecord* record = all_records.load(); record != nullptr; record = record->next) {
    for (const auto& slot : record->slots) {
      if (slot.load() == &serving) return true;
    }
  }
  return false;
}

}  // namespace

ThreadRecord* attach_thread() noexcept {
  static const platform::ThreadExit at_exit(give_back);
  {
    std::lock_guard lock(records_mutex);
    thread_record = take_record();
  }
  at_exit.arm(thread_record);
  return thread_record;
}

std::size_t count_thread_records() noexcept {
  std::size_t count = 0;
  for (const ThreadRecord* record = all_records.load(); record != nullptr; record = record->next) {
    count++;
  }
  return count;
}

bool this_thread_has_entered(const Serving& serving) noexcept {
  const ThreadRecord* record = thread_record;
  if (record == nullptr) return false;
  return std::any_of(std::begin(record->slots), std::end(record->slots),
                     [&](const auto& slot) { return slot.load() == &serving; });
}

bool this_thread_is_in(const Serving& serving) noexcept {
  if (thread_record == nullptr) return false;
  for (const AskerScope* scope = thread_record->asker; scope != nullptr; scope = scope->outer()) {
    if (scope->asker() == &serving) return true;
  }
  return this_thread_has_entered(serving);
}

Serving* innermost_serving() noexcept {
  const ThreadRecord* record = thread_record;
  return record != nullptr && record->depth > 0 ? record->slots[record->depth - 1].load() : nullptr;
}

std::string_view innermost_plugin() noexcept {
  const ThreadRecord* record = thread_record;
  if (record == nullptr || record->depth == 0) return {};
  const std::string* plugin = record->plugins[record->depth - 1];
  return plugin != nullptr ? std::string_view(*plugin) : std::string_view();
}

// Who is too deeply nested for a slot goes without one: its generation is not drained meanwhile,
// since whoever makes such a call also holds the module.
Inside::Inside(Serving& serving, const std::string* plugin) noexcept {
  ThreadRecord* record = thread_record != nullptr ? thread_record : attach_thread();
  if (record->depth >= ThreadRecord::levels) return;
  record->plugins[record->depth] = plugin;
  slot_ = &record->slots[record->depth++];
  slot_->store(&serving);
}

Inside::Inside(Serving& serving, ServingModule& module) noexcept : Inside(serving) {
  if (slot_ != nullptr) return;
  counted_ = &module;
  counted_->overflow.fetch_add(1);
}

Inside::~Inside() {
  if (counted_ != nullptr) counted_->overflow.fetch_sub(1);
  if (slot_ == nullptr) return;
  slot_->store(nullptr, std::memory_order_release);
  thread_record->depth--;
}

void Inside::run_plugin(const std::string& name) const noexcept {
  if (slot_ != nullptr) thread_record->plugins[slot_ - thread_record->slots] = &name;
}

// A call that is found in a record stays there until the end of the look: whoever takes it out sees
// `cancelling_calls` and waits. So its slot, read after it, is that of the same call.
void interrupt_calls(const ServingModule& module, const Serving& serving) noexcept {
  std::lock_guard lock(cancelling_mutex);
  cancelling_calls.store(true);
  static_cast<void>(
      slots_are_visible());  // where it refuses, readers order their calls from now on
  for (ThreadRecord* record = all_records.load(); record != nullptr; record = record->next) {
    for (std::uint32_t level = 0; level < ThreadRecord::levels; level++) {
      Call* call = record->blocking[level].load();
      if (call == nullptr || record->slots[level].load() != &serving) continue;
      call->cancel(CancelReason::restart);
    }
  }
  for (const CountedCall& counted : counted_calls()) {
    if (counted.module == &module) counted.call->cancel(CancelReason::restart);
  }
  cancelling_calls.store(false);
}

void Blocking::begin_counted() noexcept {
  std::lock_guard lock(cancelling_mutex);
  counted_calls().push_back({this, &module_, &call_});
  if (module_.interrupting.load()) call_.cancel(CancelReason::restart);
}

void Blocking::end_counted() noexcept {
  std::lock_guard lock(cancelling_mutex);
  std::erase_if(counted_calls(), [&](const CountedCall& one) { return one.scope == this; });
}

void Blocking::wait_for_cancelling() noexcept {
  std::lock_guard lock(cancelling_mutex);
}

std::vector<OverdueCall> take_overdue_calls(const Serving& serving, std::int64_t now,
                                            std::int64_t& next) {
  constexpr std::int64_t told = INT64_MIN;
  std::vector<OverdueCall> overdue;
  for (ThreadRecord* record = all_records.load(); record != nullptr; record = record->next) {
    for (std::uint32_t level = 0; level < ThreadRecord::levels; level++) {
      TimedCall& timed = record->timed[level];
      std::int64_t deadline = timed.deadline.load();
      if (deadline == no_deadline || deadline == told) continue;
      const OverdueCall call{timed.instance.load(), timed.method.load()};
      if (record->slots[level].load() != &serving) continue;
      if (deadline > now) {
        next = std::min(next, deadline);
      } else if (timed.deadline.compare_exchange_strong(deadline, told)) {
        overdue.push_back(call);
      }
    }
  }
  return overdue;
}

Occupancy wait_until_left(const ServingModule& module, const Serving& serving,
                          std::chrono::steady_clock::time_point deadline) {
  if (!slots_are_visible()) return Occupancy::unknown;
  constexpr auto longest_pause = std::chrono::milliseconds(1);
  auto pause = std::chrono::microseconds(0);
  while (somebody_is_in(module, serving)) {
    if (std::chrono::steady_clock::now() >= deadline) return Occupancy::occupied;
    if (pause.count() == 0) {
      std::this_thread::yield();
      pause = std::chrono::microseconds(1);
    } else {
      std::this_thread::sleep_for(pause);
      pause = std::min<std::chrono::microseconds>(2 * pause, longest_pause);
    }
  }
  return Occupancy::left;
}

}  // namespace tenon::detail
