// SPDX-License-Identifier: BSL-1.0
//
// How a module is replaced, what it does that asks for that, and what becomes of what served.
#include <algorithm>
#include <utility>

#include "module/log.hpp"
#include "module/module.hpp"
#include "module/restart.hpp"
#include "module/right.hpp"
#include "module/thread_records.hpp"

namespace tenon::detail {
namespace {

// Between two looks at generations that somebody is still in.
constexpr auto first_look = std::chrono::milliseconds(1);
constexpr auto longest_look = std::chrono::milliseconds(100);

// A call that heeds its deadline ends a little after it.
constexpr auto grace = std::chrono::milliseconds(20);

}  // namespace

// -- Restart ------------------------------------------------------------------

bool Module::changed() const {
  Lock lock(mutex_);
  const bool used = generation_ != nullptr || has_instances() || failures_.quarantined();
  if (!used || origin_.builtin != nullptr) return false;
  const platform::FileIdentity loaded = identity_;
  lock.unlock();
  const auto now = platform::identity_of(origin_.file);
  return now && !(*now == loaded);
}

Result<Restarted> Module::restart(RestartReason reason, const RestartHow& how) {
  Lock lock(mutex_);
  if (generation_ == nullptr && !has_instances() && !failures_.quarantined()) {
    return Restarted::not_loaded;  // the next create loads what the file holds then
  }
  const bool released = release();
  const bool used = generation_ != nullptr || has_instances();
  const bool inside = holder_ == std::this_thread::get_id() ||
                      (generation_ != nullptr && this_thread_is_in(*generation_));
  if (inside) restart_later(reason, how, Clock::now());
  const Event release_event = event(Event::Type::released);
  lock.unlock();
  if (released) tell(release_event);
  if (inside) return Restarted::soon;
  if (!used) return Restarted::not_loaded;
  if (auto done = replace(reason, how, true); !done) return std::move(done).error();
  return Restarted::now;
}

void Module::restart_soon(RestartReason reason) {
  Lock lock(mutex_);
  const bool released = release();
  const Event release_event = event(Event::Type::released);
  lock.unlock();
  if (released) tell(release_event);
  lock.lock();
  restart_later(reason, {}, Clock::now());
}

/// Whatever has happened is forgotten; answers whether that ends a quarantine. REQUIRED: the lock.
bool Module::release() {
  const bool quarantined = failures_.quarantined();
  failures_.release();
  not_before_ = {};
  return quarantined;
}

/// `waits`: somebody waits for the answer, and for the old generation to be gone.
Result<void> Module::replace(RestartReason reason, const RestartHow& how, bool waits) {
  Result<void> done;
  std::optional<Left> old;
  Event what;
  bool other_file;
  {
    Lock lock(mutex_);
    Right right(*this, lock);
    if (!right) return busy();
    if (generation_ == nullptr && !has_instances()) return {};
    const platform::FileIdentity before = identity_;
    lock.unlock();
    Restart restart(*this, reason, how);
    done = restart.run();
    old = restart.take_old();
    what = restart.event();
    lock.lock();
    other_file = !(identity_ == before);
  }
  context_.events->tell(what, waits);  // without the right, which who listens may need
  if (!done) return done;
  if (other_file) context_.directory.module_changed();
  if (waits) {
    drain(std::move(old));
  } else if (old) {
    look_after(std::move(*old));
  }
  return {};
}

/// By the keeper. Of several that are due the first one is enough. REQUIRED: the lock.
void Module::restart_later(RestartReason reason, const RestartHow& how, Clock::time_point when) {
  if (restart_due_ <= when) return;
  restart_due_ = when;
  context_.keeper->at(when, [weak = weak_from_this(), reason, how, when] {
    const auto module = weak.lock();
    if (module == nullptr) return;
    {
      std::lock_guard lock(module->mutex_);
      if (module->restart_due_ != when) return;
      module->restart_due_ = Clock::time_point::max();
      if (module->failures_.quarantined()) return;
    }
    module->restart_now(reason, how);
  });
}

void Module::restart_now(RestartReason reason, const RestartHow& how) {
  auto done = replace(reason, how, false);
  const bool asked = reason == RestartReason::asked || reason == RestartReason::file_changed;
  if (!done && !asked) count_failure(reason, in_one_line(done.error()));
}

// -- Faults -------------------------------------------------------------------

void Module::fault(Generation& generation, RestartReason why, const Error& error) noexcept {
  GenerationPtr broken;  // is kept by its end
  if (why == RestartReason::crash) generation.break_down();
  Lock lock(mutex_);
  const bool serves = &generation == generation_.get();
  const bool first = generation_ == nullptr && !has_instances();
  if (!serves && !(first && why == RestartReason::crash)) return;  // whoever made it hears of it
  if (serves && why == RestartReason::crash) {
    current.store(&gate_);
    gate_deadline_ = Clock::now() + context_.restart.gate;
    broken = std::move(generation_);
  }
  // A generation that fails in many calls at once has failed once.
  if (serves && std::exchange(faulted_, count_) == count_) return;
  Event faulted = event(Event::Type::faulted);
  lock.unlock();
  faulted.reason = why;
  faulted.message = in_one_line(error);
  tell(faulted);
  count_failure(why, faulted.message);
}

void Module::count_failure(RestartReason why, const std::string& text) {
  Lock lock(mutex_);
  if (failures_.quarantined()) return;
  const auto now = Clock::now();
  const Failures::Verdict verdict = failures_.record(now, text);
  if (!verdict.quarantined) {
    const auto when = now + verdict.pause;
    if (generation_ == nullptr && verdict.pause.count() > 0) not_before_ = when;
    restart_later(why, {}, when);
    changed_.notify_all();
    return;
  }
  current.store(&gate_);
  changed_.notify_all();
  Event quarantined = event(Event::Type::quarantined);
  quarantined.message = reasons();
  lock.unlock();
  tell(quarantined);
}

// -- What served --------------------------------------------------------------

/// Ends a generation that is not published any more, or leaves it to the keeper.
void Module::drain(std::optional<Left> old) {
  if (!old) return;
  Lock lock(mutex_);
  const auto place = left_.insert(left_.end(), std::move(*old));
  place->looked_at = true;
  lock.unlock();
  if (!end(place, Clock::now() + context_.restart.drain)) look_again();
}

/// False when somebody is still inside at the deadline. REQUIRED: nobody else looks at it.
bool Module::end(std::list<Left>::iterator old, Clock::time_point deadline) {
  LeaseList& streams = old->generation->leases();
  if (Clock::now() >= old->since + context_.restart.drain) streams.revoke_all();
  // Nobody waits for streams here: whoever holds them may be the one who asked for the restart.
  if (streams.count() != 0) deadline = Clock::now();
  const bool left = !this_thread_is_in(*old->generation) &&
                    wait_until_left(*this, *old->generation, deadline) && streams.count() == 0;
  Lock lock(mutex_);
  if (!left) {
    old->looked_at = false;
    if (old->told || Clock::now() < old->since + context_.restart.drain) return false;
    old->told = true;
    Event overdue = old->end;
    overdue.type = Event::Type::drain_overdue;
    overdue.draining = Clock::now() - old->since;
    overdue.message = "a call does not end; the code stays loaded until it has";
    lock.unlock();
    tell(overdue);
    return false;
  }
  Left ended = std::move(*old);
  left_.erase(old);
  lock.unlock();
  unload(std::move(ended));
  return true;
}

/// Without the lock: to end a generation is to run code of the plugin.
void Module::unload(Left old) noexcept {
  std::optional<Image> image = old.generation->stop();
  old.generation = nullptr;
  if (image && !image->end()) {
    const Reload& reload = image->reload();
    Event stays = old.end;
    stays.type = Event::Type::unload_prevented;
    stays.message = "its code stays mapped";
    if (!reload.symbol.empty())
      stays.message += ": " + reload.symbol + " in " + reload.file.string();
    if (!reload.cure.empty()) stays.message += "; " + reload.cure;
    {
      std::lock_guard lock(mutex_);
      stayed_++;
    }
    tell(stays);
    context_.reaper->look_soon();
  }
  old.end.draining = Clock::now() - old.since;
  tell(old.end);
}

void Module::look_after(Left old) {
  {
    std::lock_guard lock(mutex_);
    left_.push_back(std::move(old));
  }
  look_again();
}

/// Lets the keeper look at what is left, unless it is about to.
void Module::look_again() noexcept {
  std::lock_guard lock(mutex_);
  if (next_look_ != Clock::duration::zero()) return;
  next_look_ = first_look;
  context_.keeper->at(Clock::now() + next_look_, [weak = weak_from_this()] {
    if (const auto module = weak.lock()) module->end_left();
  });
}

void Module::end_left() noexcept {
  std::vector<std::list<Left>::iterator> looked_at;
  Lock lock(mutex_);
  for (auto old = left_.begin(); old != left_.end(); ++old) {
    if (std::exchange(old->looked_at, true)) continue;
    looked_at.push_back(old);
  }
  lock.unlock();
  for (const auto old : looked_at) end(old, Clock::now());
  lock.lock();
  if (left_.empty()) {
    next_look_ = Clock::duration::zero();
    return;
  }
  next_look_ = std::min<Clock::duration>(2 * next_look_, longest_look);
  context_.keeper->at(Clock::now() + next_look_, [weak = weak_from_this()] {
    if (const auto module = weak.lock()) module->end_left();
  });
}

// -- Deadlines ----------------------------------------------------------------

void Module::look_at_deadlines_at(std::int64_t deadline) noexcept {
  std::int64_t next = next_deadline.load();
  while (deadline < next && !next_deadline.compare_exchange_weak(next, deadline)) {
  }
  if (deadline >= next) return;
  context_.keeper->at(Clock::time_point(std::chrono::nanoseconds(deadline) + grace),
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
    std::lock_guard lock(mutex_);
    const auto look = [&](const GenerationPtr& generation, const Event& as) {
      const std::int64_t now =
          (Clock::now() - grace).time_since_epoch() / std::chrono::nanoseconds(1);
      for (const OverdueCall& call : take_overdue_calls(*generation, now, next)) {
        Event& overdue = told.emplace_back(as);
        overdue.type = Event::Type::call_overdue;
        const LiveInstance* instance = instances_[call.instance];
        overdue.message = (instance != nullptr ? instance->wanted().name + ": " : "") +
                          std::string(call.method) + " did not end by its deadline";
      }
    };
    if (generation_ != nullptr) look(generation_, event(Event::Type::call_overdue));
    for (const Left& old : left_) look(old.generation, old.end);
  }
  if (next != no_deadline) look_at_deadlines_at(next);
  for (const Event& event : told) tell(event);
}

}  // namespace tenon::detail
