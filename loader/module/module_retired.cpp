// SPDX-License-Identifier: BSL-1.0
//
// What becomes of generations that do not serve any more, and of calls that do not end in time.
#include <algorithm>
#include <utility>

#include "call/thread_records.hpp"
#include "module/module.hpp"
#include "module/restart.hpp"

namespace tenon::detail {
namespace {

// Between two looks at generations that somebody is still in.
constexpr auto first_look = std::chrono::milliseconds(1);
constexpr auto longest_look = std::chrono::milliseconds(100);

// How long the end of a host waits for each module, however long others took.
constexpr auto least_patience = std::chrono::milliseconds(500);

// A call that heeds its deadline ends a little after it.
constexpr auto grace = std::chrono::milliseconds(20);

}  // namespace

// -- Draining -----------------------------------------------------------------

/// Takes a generation that is not to serve any more; nothing where there is none. Without memory
/// for that it stays where it is. REQUIRED: the lock.
std::shared_ptr<Retired> Module::retire(GenerationPtr& generation, std::optional<Event> event) {
  if (generation == nullptr) return nullptr;
  std::list<std::shared_ptr<Retired>> room(1);
  auto old = room.front() =
      std::make_shared<Retired>(generation, std::move(event), context_.restart.step);
  retired_.splice(retired_.end(), room);
  return old;
}

void Module::unload_if_unused() noexcept {
  Lock lock(mutex_);
  if (shut_down_ && unused()) {
    // The client that code of a module which was left behind held. Nobody else looks any more.
    lock.unlock();
    return drain_retired();
  }
  // Whoever holds the lifecycle lock looks again.
  if (generation_ == nullptr || !unused() || lifecycle_ != 0) return;
  open_.store(nullptr);
  const bool inside = this_thread_is_in(*generation_);
  std::shared_ptr<Retired> old;
  try {
    // A create that has found the module open was counted before.
    if (unused()) old = retire(generation_, event(Event::Type::unloaded));
  } catch (const std::bad_alloc&) {  // the next who looks may have memory for it
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

/// Drains a generation on a worker. REQUIRED: the caller is its worker so far.
void Module::run_drain(const std::shared_ptr<Retired>& old) noexcept {
  const auto run = [module = weak_from_this().lock(), old] {
    {
      const Lock lock(module->mutex_);
      old->worker = std::this_thread::get_id();
    }
    return module->drain(old, Clock::now() + module->context_.restart.drain);
  };
  try {
    if (context_.workers->run_in_turn(run)) return;
  } catch (const std::bad_alloc&) {
  }
  run();
}

/// Waits for the end of a generation as long as a worker is busy with it. REQUIRED: the lock.
void Module::wait_for_end(Lock& lock, const std::shared_ptr<Retired>& old) noexcept {
  const auto deadline = Clock::now() + context_.restart.drain + context_.restart.step;
  while (!old->over && old->worker != std::thread::id() && Clock::now() < deadline) {
    done_.wait_until(lock, std::min(deadline, old->next_look(Clock::now())));
    give_up_overdue(lock);
  }
}

/// Ends a generation once nobody is inside, or leaves it until later. Returns whether its image is
/// gone. REQUIRED: the caller is its worker.
bool Module::drain(const std::shared_ptr<Retired>& old, Clock::time_point deadline) noexcept {
  const Occupancy threads = occupancy_of(*old, deadline);
  if (threads == Occupancy::left) return unload(old);
  if (threads == Occupancy::unknown) {
    keep_mapped(old);
    return false;
  }
  Lock lock(mutex_);
  old->worker = {};
  const bool overdue = Clock::now() >= old->since + context_.restart.drain;
  const bool report = overdue && !std::exchange(old->reported, true) && old->event.has_value();
  done_.notify_all();
  lock.unlock();
  if (report) {
    tell_of(*old, Event::Type::drain_overdue,
            [] { return "a call does not end; the code stays loaded until it has"; });
  }
  lock.lock();
  look_again();
  return false;
}

/// A generation whose streams are still held counts as occupied.
Occupancy Module::occupancy_of(Retired& old, Clock::time_point deadline) noexcept {
  LeaseList& streams = old.generation->leases();
  const bool ends = [&] {
    const Lock lock(mutex_);
    return shut_down_;
  }();
  if (ends || Clock::now() >= old.since + context_.restart.drain) streams.revoke_all();
  // Nobody waits for streams here: whoever holds them may be the one who asked for the restart.
  if (streams.count() != 0) deadline = Clock::now();
  const Occupancy threads = wait_until_left(*this, *old.generation, deadline);
  return threads == Occupancy::left && streams.count() != 0 ? Occupancy::occupied : threads;
}

/// Nobody can say whether a thread is still in a generation: its objects and its code stay for
/// ever.
void Module::keep_mapped(const std::shared_ptr<Retired>& old) noexcept {
  old->generation->break_down();
  GenerationPtr kept;  // left loaded when it ends
  {
    const Lock lock(mutex_);
    retired_.remove(old);
    kept = std::move(old->generation);
  }
  kept = nullptr;
  tell_of(*old, Event::Type::unload_prevented, [] {
    return "the system refused the memory barrier (membarrier) that shows whether calls have "
           "ended; its code stays mapped";
  });
  const Lock lock(mutex_);
  stayed_++;
  old->over = true;
  done_.notify_all();
}

/// Reports something of a generation, if anybody is interested and there is memory for it.
template <class Message>
void Module::tell_of(const Retired& old, Event::Type type, Message message) noexcept try {
  if (!old.event) return;
  Event what = *old.event;
  what.type = type;
  what.draining = Clock::now() - old.since;
  what.message = message();
  tell(what);
} catch (const std::bad_alloc&) {
}

/// Runs the last functions of a generation that nobody is in. Returns whether its image is gone.
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
  watch(old, Clock::now() + context_.restart.step);
  std::optional<Reload> stayed;
  bool gone = false;
  {
    const Operation::Performance performance(*old);
    std::optional<Image> image = old->generation->stop();
    old->generation = nullptr;
    const Operation::Step step(old->package, "unload");
    gone = image && image->end();
    if (image && !gone) stayed = image->reload();
  }
  if (stayed) report_stayed(*stayed, *old);
  if (old->event) {
    const Event::Type type = old->event->type;
    tell_of(*old, type, [] { return ""; });
  }
  {
    const Lock lock(mutex_);
    ending_.remove(old);
    if (std::exchange(old->over, true)) stayed_--;  // it had been given up
  }
  done_.notify_all();  // without the lock, which those who wait need at once
  return gone;
}

void Module::report_stayed(const Reload& reload, const Retired& old) noexcept {
  {
    const Lock lock(mutex_);
    stayed_++;
  }
  tell_of(old, Event::Type::unload_prevented, [&] {
    std::string message = "its code stays mapped";
    if (!reload.symbol.empty()) message += ": " + reload.symbol + " in " + reload.file.string();
    if (!reload.cure.empty()) message += "; " + reload.cure;
    return message;
  });
  context_.reaper->look_soon();
}

/// A worker hangs in the last functions of a generation: it is left behind. REQUIRED: the lock.
void Module::give_up(Lock& lock, const std::shared_ptr<Retired>& old,
                     const Operation::Hang& hang) noexcept {
  ending_.remove(old);
  old->over = true;
  stayed_++;
  done_.notify_all();
  Event late = old->event ? *old->event : event(Event::Type::drain_overdue);
  late.type = Event::Type::drain_overdue;
  late.draining = Clock::now() - old->since;
  late.message = std::string(hung(hang).message());
  lock.unlock();
  run_on_worker([events = context_.events, late] { events->tell(late); });
  lock.lock();
}

/// Looks at retired generations soon, unless that is planned already. REQUIRED: the lock.
void Module::look_again() noexcept {
  if (next_look_ != Clock::duration::zero() || shut_down_) return;
  next_look_ = first_look;
  try {
    plan_look();
  } catch (const std::bad_alloc&) {
    next_look_ = {};  // the next who looks may have memory for it
  }
}

/// REQUIRED: the lock.
void Module::plan_look() {
  context_.timers->at(Clock::now() + next_look_, [weak = weak_from_this()] {
    const auto module = weak.lock();
    if (module == nullptr) return;
    module->run_on_worker([module] { module->drain_retired(); });
  });
}

void Module::drain_retired() noexcept {
  std::vector<std::shared_ptr<Retired>> looked_at;
  {
    const Lock lock(mutex_);
    looked_at.assign(retired_.begin(), retired_.end());
    if (looked_at.empty() || shut_down_) {
      next_look_ = Clock::duration::zero();
    } else {
      // Before the code of one of them runs, which may hang.
      next_look_ = std::min<Clock::duration>(2 * next_look_, longest_look);
      plan_look();
    }
  }
  for (const auto& old : looked_at) {
    {
      const Lock lock(mutex_);
      if (old->over || old->worker != std::thread::id()) continue;
      old->worker = std::this_thread::get_id();
    }
    drain(old, Clock::now());
  }
}

// -- The end of the host ------------------------------------------------------

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
  std::vector<Event> left = give_up_restart();
  if (frozen_) {
    // A restart that was given up may still look at it.
    if (generation_ != nullptr) leave_loaded(std::move(generation_));
  } else {
    retire(generation_, event(Event::Type::unloaded));
  }
  using Generations = std::vector<std::shared_ptr<Retired>>;
  // One module that hangs does not take the time from the others.
  const auto latest = std::max(deadline, Clock::now() + least_patience);
  // Returns those that workers drained meanwhile.
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
  // A worker may have looked at a generation just before the host ended, and nobody looks again.
  end(end(Generations(retired_.begin(), retired_.end())));
  for (const auto* list : {&ending_, &retired_}) {
    for (const auto& old : *list) {
      if (old->worker != std::this_thread::get_id() && old->event) {
        left.push_back(overdue(*old->event, "a call, or the end of the old code,"));
      }
    }
  }
  lock.unlock();
  for (const Event& event : left) tell(event);
}

/// Waits for workers that load, restart or unload, until the deadline. A host that its listener
/// destroys, on a worker, does not wait for that worker. REQUIRED: the lock.
void Module::wait_for_others(Lock& lock, Clock::time_point deadline) noexcept {
  const auto self = std::this_thread::get_id();
  const auto others_work = [&] {
    return (lifecycle_ != 0 && lifecycle_thread_ != self) ||
           std::any_of(ending_.begin(), ending_.end(),
                       [&](const auto& old) { return old->worker != self; });
  };
  while (others_work() && Clock::now() < deadline) {
    done_.wait_until(lock, std::min(deadline, next_look_at_restart()));
    give_up_overdue(lock);
  }
}

/// Whether workers other than the calling thread drain generations. REQUIRED: the lock.
bool Module::others_drain() const noexcept {
  const auto busy = [](const auto& old) {
    return old->worker != std::this_thread::get_id() && old->worker != std::thread::id();
  };
  return std::any_of(retired_.begin(), retired_.end(), busy) ||
         std::any_of(ending_.begin(), ending_.end(), busy);
}

/// Gives up a restart that outlives its host. Returns what to report. REQUIRED: the lock.
std::vector<Event> Module::give_up_restart() {
  if (restart_ == nullptr) return {};
  restart_->give_up();
  if (restart_->phase() == Restart::Phase::filling) stayed_++;
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

void Module::look_at_deadlines_at(std::int64_t deadline) noexcept {
  if (inherited()) return;  // nothing reports it
  std::int64_t next = next_deadline.load();
  while (deadline < next && !next_deadline.compare_exchange_weak(next, deadline)) {
  }
  if (deadline >= next) return;
  context_.timers->at(Clock::time_point(std::chrono::nanoseconds(deadline) + grace),
                      [weak = weak_from_this()] {
                        if (const auto module = weak.lock()) module->look_at_deadlines();
                      });
}

// A call stays in its generation; only its caller, and the plugin itself, can end it.
void Module::look_at_deadlines() noexcept {
  next_deadline.store(no_deadline);
  std::int64_t next = no_deadline;
  std::vector<Event> told;
  {
    const Lock lock(mutex_);
    const auto look = [&](const Generation& generation, const Event& as) {
      const std::int64_t now =
          (Clock::now() - grace).time_since_epoch() / std::chrono::nanoseconds(1);
      for (const OverdueCall& call : take_overdue_calls(generation, now, next)) {
        Event& overdue = told.emplace_back(as);
        overdue.type = Event::Type::call_overdue;
        const LiveInstance* instance =
            call.instance < instances_.size() ? instances_[call.instance] : nullptr;
        overdue.message = (instance != nullptr ? instance->wanted().name + ": " : "") +
                          std::string(call.method) + " did not end by its deadline";
      }
    };
    if (generation_ != nullptr) look(*generation_, event(Event::Type::call_overdue));
    for (const auto& old : retired_) {
      if (old->event) look(*old->generation, *old->event);
    }
  }
  if (next != no_deadline) look_at_deadlines_at(next);
  if (told.empty()) return;
  run_on_worker([events = context_.events, told = std::move(told)] {
    for (const Event& event : told) events->tell(event);
  });
}

}  // namespace tenon::detail
