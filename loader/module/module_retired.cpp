// SPDX-License-Identifier: BSL-1.0
//
// Drains and unloads generations that no longer serve, and reports calls that miss their deadline.
#include <algorithm>
#include <utility>

#include "call/thread_records.hpp"
#include "module/module.hpp"
#include "module/restart.hpp"

namespace tenon::inline v0_1::detail {
namespace {

// The first and the longest delay between two attempts to unload a generation that is in use.
constexpr auto min_reclaim_delay = std::chrono::milliseconds(1);
constexpr auto max_reclaim_delay = std::chrono::milliseconds(100);

// How long the destructor of a host waits for each module, however long others took.
constexpr auto min_patience = std::chrono::milliseconds(500);

// A call that respects its deadline ends a little after it.
constexpr auto grace = std::chrono::milliseconds(20);

}  // namespace

// -- Draining -----------------------------------------------------------------

/// Retires a generation, if there is one. If memory is exhausted, throws and leaves it in place.
/// REQUIRED: the lock.
std::shared_ptr<Retired> Module::retire(GenerationPtr& generation, std::optional<Event> event) {
  if (generation == nullptr) return nullptr;
  std::list<std::shared_ptr<Retired>> added(1);
  auto old = added.front() =
      std::make_shared<Retired>(generation, std::move(event), context_.restart.step_timeout);
  retired_.splice(retired_.end(), added);
  return old;
}

void Module::unload_if_unused() noexcept {
  Lock lock(mutex_);
  if (shut_down_ && unused()) {
    // An instance of abandoned code was released. Nothing else reclaims it after the host has
    // ended.
    lock.unlock();
    return drain_retired();
  }
  // The holder of the lifecycle lock calls this again.
  if (generation_ == nullptr || !unused() || lifecycle_ != 0) return;
  open_.store(nullptr);
  const bool inside = this_thread_is_in(*generation_);
  std::shared_ptr<Retired> old;
  try {
    // A create that has found the module open was counted before that.
    if (unused()) old = retire(generation_, event(Event::Type::unloaded));
  } catch (const std::bad_alloc&) {  // a later call may have memory
  }
  if (old == nullptr) return open_to_creates();
  close();
  old->worker = std::this_thread::get_id();
  lock.unlock();
  run_drain(old);
  if (inside) return;
  lock.lock();
  wait_for_end(lock, old);
}

/// Drains a generation on a worker. REQUIRED: the caller is its current worker.
void Module::run_drain(const std::shared_ptr<Retired>& old) noexcept {
  const auto run = [module = weak_from_this().lock(), old] {
    {
      const Lock lock(module->mutex_);
      old->worker = std::this_thread::get_id();
    }
    return module->drain(old, Clock::now() + module->context_.restart.drain_timeout);
  };
  try {
    if (context_.workers->run_reusing_thread(run)) return;
  } catch (const std::bad_alloc&) {
  }
  run();
}

/// Waits for the end of a generation while a worker drains or unloads it. REQUIRED: the lock.
void Module::wait_for_end(Lock& lock, const std::shared_ptr<Retired>& old) noexcept {
  const auto deadline =
      Clock::now() + context_.restart.drain_timeout + context_.restart.step_timeout;
  while (!old->over && old->worker != std::thread::id() && Clock::now() < deadline) {
    done_.wait_until(lock, std::min(deadline, old->next_check(Clock::now())));
    abandon_overdue(lock);
  }
}

/// Unloads a generation after all threads have left it, or leaves that until later. Returns whether
/// its image is gone. REQUIRED: the caller is its worker.
bool Module::drain(const std::shared_ptr<Retired>& old, Clock::time_point deadline) noexcept {
  const Occupancy threads = occupancy_of(*old, deadline);
  if (threads == Occupancy::left) return unload(old);
  if (threads == Occupancy::unknown) {
    keep_mapped(old);
    return false;
  }
  Lock lock(mutex_);
  old->worker = {};
  const bool overdue = Clock::now() >= old->since + context_.restart.drain_timeout;
  const bool report = overdue && !std::exchange(old->reported, true) && old->event.has_value();
  done_.notify_all();
  lock.unlock();
  if (report) {
    report_of(*old, Event::Type::drain_overdue,
              [] { return "a call does not end; the code stays loaded until it has"; });
  }
  lock.lock();
  schedule_reclaim();
  return false;
}

/// Returns the occupancy of a generation. One whose streams are still held is occupied.
Occupancy Module::occupancy_of(Retired& old, Clock::time_point deadline) noexcept {
  RevocableStreams& streams = old.generation->streams();
  const bool ends = [&] {
    const Lock lock(mutex_);
    return shut_down_;
  }();
  if (ends || Clock::now() >= old.since + context_.restart.drain_timeout) streams.revoke_all();
  // Does not wait for streams: their holder may be the thread that requested the restart.
  if (streams.count() != 0) deadline = Clock::now();
  const Occupancy threads = wait_until_left(*this, *old.generation, deadline);
  return threads == Occupancy::left && streams.count() != 0 ? Occupancy::occupied : threads;
}

/// Keeps the objects and the code of a generation for ever, because a thread may still be in it.
void Module::keep_mapped(const std::shared_ptr<Retired>& old) noexcept {
  old->generation->mark_broken();
  GenerationPtr kept;  // stays loaded when it is destroyed
  {
    const Lock lock(mutex_);
    retired_.remove(old);
    kept = std::move(old->generation);
  }
  kept = nullptr;
  report_of(*old, Event::Type::unload_prevented, [] {
    return "the system refused the memory barrier (membarrier) that shows whether calls have "
           "ended; its code stays mapped";
  });
  const Lock lock(mutex_);
  still_mapped_++;
  old->over = true;
  done_.notify_all();
}

/// Reports an event of a generation, unless it reports none or memory is exhausted.
template <class Message>
void Module::report_of(const Retired& old, Event::Type type, Message message) noexcept try {
  if (!old.event) return;
  Event what = *old.event;
  what.type = type;
  what.draining = Clock::now() - old.since;
  what.message = message();
  report(what);
} catch (const std::bad_alloc&) {
}

/// Stops and unloads a generation that all threads have left. Returns whether its image is gone.
bool Module::unload(const std::shared_ptr<Retired>& old) noexcept {
  {
    const Lock lock(mutex_);
    const auto place = std::ranges::find(retired_, old);
    if (place != retired_.end()) {
      ending_.splice(ending_.end(), retired_, place);
    } else {
      ending_.push_back(old);
    }
  }
  watch(old, Clock::now() + context_.restart.step_timeout);
  std::optional<ReloadSafety> unsafe;
  bool gone = false;
  {
    const Operation::Performance performance(*old);
    std::optional<Image> image = old->generation->stop();
    old->generation = nullptr;
    const Operation::Step step(old->package, "unload");
    gone = image && image->unload();
    if (image && !gone) unsafe = image->reload();
  }
  if (unsafe) report_still_mapped(*unsafe, *old);
  if (old->event) {
    const Event::Type type = old->event->type;
    report_of(*old, type, [] { return ""; });
  }
  {
    const Lock lock(mutex_);
    ending_.remove(old);
    if (std::exchange(old->over, true)) still_mapped_--;  // it had been abandoned
  }
  done_.notify_all();  // without the lock, which waiting threads need immediately
  return gone;
}

void Module::report_still_mapped(const ReloadSafety& reload, const Retired& old) noexcept {
  {
    const Lock lock(mutex_);
    still_mapped_++;
  }
  report_of(old, Event::Type::unload_prevented, [&] {
    std::string message = "its code stays mapped";
    if (!reload.symbol.empty()) message += ": " + reload.symbol + " in " + reload.file.string();
    if (!reload.fix.empty()) message += "; " + reload.fix;
    return message;
  });
  context_.reaper->schedule();
}

/// Abandons a generation whose last functions hang, with its worker. REQUIRED: the lock.
void Module::abandon(Lock& lock, const std::shared_ptr<Retired>& old,
                     const Operation::Hang& hang) noexcept {
  ending_.remove(old);
  old->over = true;
  still_mapped_++;
  done_.notify_all();
  Event late = old->event ? *old->event : event(Event::Type::drain_overdue);
  late.type = Event::Type::drain_overdue;
  late.draining = Clock::now() - old->since;
  late.message = std::string(hang_error(hang).message());
  lock.unlock();
  run_on_worker([events = context_.events, late] { events->report(late); });
  lock.lock();
}

/// Plans to drain retired generations soon, unless that is planned already. REQUIRED: the lock.
void Module::schedule_reclaim() noexcept {
  if (next_reclaim_ != Clock::duration::zero() || shut_down_) return;
  next_reclaim_ = min_reclaim_delay;
  try {
    plan_reclaim();
  } catch (const std::bad_alloc&) {
    next_reclaim_ = {};  // a later call may have memory
  }
}

/// REQUIRED: the lock.
void Module::plan_reclaim() {
  context_.timers->at(Clock::now() + next_reclaim_, [weak = weak_from_this()] {
    const auto module = weak.lock();
    if (module == nullptr) return;
    module->run_on_worker([module] { module->drain_retired(); });
  });
}

void Module::drain_retired() noexcept {
  std::vector<std::shared_ptr<Retired>> retired;
  {
    const Lock lock(mutex_);
    retired.assign(retired_.begin(), retired_.end());
    if (retired.empty() || shut_down_) {
      next_reclaim_ = Clock::duration::zero();
    } else {
      // Planned before code of one of them runs, which may hang.
      next_reclaim_ = std::min<Clock::duration>(2 * next_reclaim_, max_reclaim_delay);
      plan_reclaim();
    }
  }
  for (const auto& old : retired) {
    {
      const Lock lock(mutex_);
      if (old->over || old->worker != std::thread::id()) continue;
      old->worker = std::this_thread::get_id();
    }
    drain(old, Clock::now());
  }
}

// -- Destruction of the host --------------------------------------------------

void Module::begin_shut_down() noexcept {
  const Lock lock(mutex_);
  shut_down_ = true;
  close();
  open_to_creates();
  changed_.notify_all();
}

void Module::shut_down(Clock::time_point deadline) noexcept {
  Lock lock(mutex_);
  wait_for_others(lock, deadline);
  std::vector<Event> left = abandon_restart();
  if (frozen_) {
    // An abandoned restart may still use it.
    if (generation_ != nullptr) leave_loaded(std::move(generation_));
  } else {
    retire(generation_, event(Event::Type::unloaded));
  }
  using Generations = std::vector<std::shared_ptr<Retired>>;
  // A hanging module must not use up the time of the others.
  const auto latest = std::max(deadline, Clock::now() + min_patience);
  // Drains generations. Returns those that other workers were draining.
  const auto end = [&](const Generations& list) {
    Generations drained;
    for (const auto& old : list) {
      if (old->over) continue;
      if (old->worker != std::thread::id()) {
        drained.push_back(old);
        continue;
      }
      old->worker = std::this_thread::get_id();
      lock.unlock();
      run_drain(old);
      lock.lock();
    }
    done_.wait_until(lock, latest, [&] { return !others_drain(); });
    return drained;
  };
  // A worker may have found a generation in use just before the host ended. Nothing else retries.
  end(end(Generations(retired_.begin(), retired_.end())));
  for (const auto* list : {&ending_, &retired_}) {
    for (const auto& old : *list) {
      if (old->worker != std::this_thread::get_id() && old->event) {
        left.push_back(overdue(*old->event, "a call, or the end of the old code,"));
      }
    }
  }
  lock.unlock();
  for (const Event& event : left) report(event);
}

/// Waits for workers that load, restart or unload, until the deadline. If a listener destroys the
/// host on a worker, does not wait for that worker. REQUIRED: the lock.
void Module::wait_for_others(Lock& lock, Clock::time_point deadline) noexcept {
  const auto self = std::this_thread::get_id();
  const auto others_work = [&] {
    return (lifecycle_ != 0 && lifecycle_thread_ != self) ||
           std::any_of(ending_.begin(), ending_.end(),
                       [&](const auto& old) { return old->worker != self; });
  };
  while (others_work() && Clock::now() < deadline) {
    done_.wait_until(lock, std::min(deadline, next_restart_check()));
    abandon_overdue(lock);
  }
}

/// Returns whether other workers drain generations. REQUIRED: the lock.
bool Module::others_drain() const noexcept {
  const auto busy = [](const auto& old) {
    return old->worker != std::this_thread::get_id() && old->worker != std::thread::id();
  };
  return std::any_of(retired_.begin(), retired_.end(), busy) ||
         std::any_of(ending_.begin(), ending_.end(), busy);
}

/// Abandons a restart that outlives its host. Returns the events to report. REQUIRED: the lock.
std::vector<Event> Module::abandon_restart() {
  if (restart_ == nullptr) return {};
  restart_->abandon();
  if (restart_->phase() == Restart::Phase::filling) still_mapped_++;
  restart_ = nullptr;
  lifecycle_ = 0;
  return {overdue(event(Event::Type::drain_overdue), "a restart")};
}

Event Module::overdue(Event event, const char* what) {
  event.type = Event::Type::drain_overdue;
  event.message =
      std::string(what) + " has not ended; the host ends without it, and the code stays loaded";
  return event;
}

// -- Deadlines ----------------------------------------------------------------

void Module::check_deadlines_at(std::int64_t deadline) noexcept {
  if (inherited()) return;  // nothing is reported
  std::int64_t next = next_deadline.load();
  while (deadline < next && !next_deadline.compare_exchange_weak(next, deadline)) {
  }
  if (deadline >= next) return;
  context_.timers->at(Clock::time_point(std::chrono::nanoseconds(deadline) + grace),
                      [weak = weak_from_this()] {
                        if (const auto module = weak.lock()) module->check_deadlines();
                      });
}

// An overdue call is only reported: its caller or the plugin must end it.
void Module::check_deadlines() noexcept {
  next_deadline.store(no_deadline);
  std::int64_t next = no_deadline;
  std::vector<Event> overdue_calls;
  {
    const Lock lock(mutex_);
    const auto look = [&](const Generation& generation, const Event& as) {
      const std::int64_t now =
          (Clock::now() - grace).time_since_epoch() / std::chrono::nanoseconds(1);
      for (const OverdueCall& call : take_overdue_calls(generation, now, next)) {
        Event& overdue = overdue_calls.emplace_back(as);
        overdue.type = Event::Type::call_overdue;
        const LiveInstance* instance =
            call.instance < instances_.size() ? instances_[call.instance] : nullptr;
        overdue.message = (instance != nullptr ? instance->spec().name + ": " : "") +
                          std::string(call.method) + " did not end by its deadline";
      }
    };
    if (generation_ != nullptr) look(*generation_, event(Event::Type::call_overdue));
    for (const auto& old : retired_) {
      if (old->event) look(*old->generation, *old->event);
    }
  }
  if (next != no_deadline) check_deadlines_at(next);
  if (overdue_calls.empty()) return;
  run_on_worker([events = context_.events, overdue_calls = std::move(overdue_calls)] {
    for (const Event& event : overdue_calls) events->report(event);
  });
}

}  // namespace tenon::inline v0_1::detail
