// SPDX-License-Identifier: BSL-1.0
//
// What makes a module restart, how its workers do it, and what becomes of a worker that hangs.
#include <algorithm>
#include <optional>
#include <utility>

#include "call/thread_records.hpp"
#include "module/lifecycle_lock.hpp"
#include "module/module.hpp"
#include "module/restart.hpp"

namespace tenon::detail {
namespace {

// Between two attempts of a restart that could not begin.
constexpr auto retry = std::chrono::milliseconds(200);

bool is_asked(RestartReason reason) {
  return reason == RestartReason::asked || reason == RestartReason::file_changed;
}

}  // namespace

// -- Asking for a restart -----------------------------------------------------

bool Module::changed() const {
  Lock lock(mutex_);
  const bool used = generation_ != nullptr || !unused() || failures_.quarantined();
  if (!used || origin_.builtin != nullptr) return false;
  const platform::FileIdentity loaded = identity_;
  lock.unlock();
  const auto now = platform::identity_of(origin_.file);
  return now && !(*now == loaded);
}

Result<Restarted> Module::restart(RestartReason reason, const RestartHow& how) {
  Lock lock(mutex_);
  if (generation_ == nullptr && unused()) {
    const bool quarantined = failures_.quarantined();
    failures_.release();
    const Event released = event(Event::Type::released);
    lock.unlock();
    if (quarantined) tell(released);
    return Restarted::not_loaded;  // the next create loads what the file holds then
  }
  const bool inside = (lifecycle_ != 0 && lifecycle_thread_ == std::this_thread::get_id()) ||
                      (generation_ != nullptr && this_thread_is_in(*generation_));
  if (inside) {
    restart_later(reason, how, Clock::now());
    return Restarted::soon;
  }
  const std::uint64_t count = count_;
  lock.unlock();
  auto request = begin_restart(reason, how, true, count);
  if (!request) return std::move(request).error();
  lock.lock();
  if (auto done = wait_for(lock, **request); !done) return std::move(done).error();
  return Restarted::now;
}

void Module::restart_soon(RestartReason reason) {
  const Lock lock(mutex_);
  restart_later(reason, {}, Clock::now());
}

/// When the next restart of this sort is due. REQUIRED: the lock.
Module::Clock::time_point& Module::restart_due(RestartReason reason) noexcept {
  return is_asked(reason) ? asked_restart_due_ : fault_restart_due_;
}

/// On a worker. Of several that are due the first one is enough. REQUIRED: the lock.
void Module::restart_later(RestartReason reason, const RestartHow& how, Clock::time_point when) {
  Clock::time_point& due = restart_due(reason);
  if (due <= when || shut_down_) return;
  due = when;
  context_.timers->at(when, [weak = weak_from_this(), reason, how, when, count = count_] {
    const auto module = weak.lock();
    if (module == nullptr) return;
    {
      const Lock lock(module->mutex_);
      Clock::time_point& due = module->restart_due(reason);
      if (due != when) return;
      due = Clock::time_point::max();
      if (module->failures_.quarantined() && !is_asked(reason)) return;
    }
    module->restart_now(reason, how, count);
  });
}

/// `count`: of generations, when it was planned.
void Module::restart_now(RestartReason reason, const RestartHow& how, std::uint64_t count) {
  if (const auto begun = begin_restart(reason, how, false, count); !begun) {
    context_.log->write(LogLevel::warn, in_one_line(begun.error()));
    const Lock lock(mutex_);
    restart_later(reason, how, Clock::now() + retry);
  }
}

/// `waited_for`: the caller waits for the answer, and for the end of the old generation. `count`:
/// of generations, when the reason for the restart came up.
Result<std::shared_ptr<RestartRequest>> Module::begin_restart(RestartReason reason,
                                                              const RestartHow& how,
                                                              bool waited_for,
                                                              std::uint64_t count) {
  auto request = std::make_shared<RestartRequest>(reason, how, waited_for, count);
  auto begun =
      context_.workers->run([module = shared_from_this(), request] { module->perform(request); });
  if (!begun) return std::move(begun).error();
  return request;
}

Error RestartRequest::no_memory() {
  return Error({.code = "restart-failed",
                .status = TENON_RESOURCE_EXHAUSTED | TENON_RETRYABLE,
                .message = "the process ran out of memory"});
}

/// Waits until the restart has succeeded or failed, and then for the generation that lost, as long
/// as a worker is busy with it. REQUIRED: the lock.
Result<void> Module::wait_for(Lock& lock, RestartRequest& request) {
  while (!request.answered) {
    done_.wait_until(lock, next_look_at_restart());
    give_up_overdue(lock);
  }
  if (request.old != nullptr) wait_for_end(lock, request.old);
  return std::move(request.answer);
}

/// When somebody who waits for the restart looks at it next. A gate that closes after that look is
/// not overdue before this time. REQUIRED: the lock.
Module::Clock::time_point Module::next_look_at_restart() const noexcept {
  const auto now = Clock::now();
  const auto latest = now + std::min<Clock::duration>(context_.restart.step,
                                                      context_.restart.gate + Operation::grace);
  return restart_ != nullptr ? std::min(restart_->next_look(now), latest) : latest;
}

// -- Performing it ------------------------------------------------------------

/// The work of one worker. A last instance that was released meanwhile has left the unloading to
/// it.
void Module::perform(const std::shared_ptr<RestartRequest>& request) {
  try {
    perform_restart(request);
  } catch (const std::bad_alloc&) {
    answer(*request);
    if (request->old != nullptr) drain(request->old, Clock::now() + context_.restart.drain);
  }
  unload_if_unused();
}

void Module::perform_restart(const std::shared_ptr<RestartRequest>& request) {
  std::shared_ptr<Restart> restart;  // ends without the lock
  bool given_up = false;
  {
    Lock lock(mutex_);
    const LifecycleLock lifecycle(*this, lock);
    if (!begins(*request, static_cast<bool>(lifecycle))) return;
    restart = std::make_shared<Restart>(*this, request);
    touched_.clear();
    for (const LiveInstance* instance : instances_) {
      if (instance != nullptr) touched_.push_back(instance->index_);
    }
    restart_ = restart;
    auto done = run_and_lock(restart, lock);
    given_up = restart->given_up();
    if (!given_up) {
      restart_ = nullptr;
      const bool succeeded = static_cast<bool>(done);
      request->answer = std::move(done);
      request->old = succeeded ? restart->take_old() : retire(restart->fresh(), std::nullopt);
      if (request->old != nullptr) request->old->worker = std::this_thread::get_id();
    }
  }
  if (given_up) return end_late(*restart);
  // Without the lifecycle lock, which the listener may need.
  if (restart->has_released()) tell(restart->released_event());
  answer(*request, restart->event());
  if (request->old != nullptr) drain(request->old, Clock::now() + context_.restart.drain);
}

/// A restart that runs out of memory has failed. The lock is held again at the end.
Result<void> Module::run_and_lock(const std::shared_ptr<Restart>& restart, Lock& lock) {
  lock.unlock();
  watch(restart, Clock::now() + context_.restart.step);
  Result<void> done;
  try {
    done = restart->run();
  } catch (const std::exception& thrown) {
    try {
      done = restart->fail(refused(std::string("the restart could not go on: ") + thrown.what()));
    } catch (...) {
      restart->go_back();
      lock.lock();
      throw;
    }
  }
  lock.lock();
  return done;
}

/// Whether a worker may go on with a restart. Otherwise answers it: of several that follow one
/// fault, the first is enough. REQUIRED: the lock.
bool Module::begins(RestartRequest& request, bool has_lifecycle_lock) {
  const bool used = generation_ != nullptr || !unused();
  const bool done =
      !is_asked(request.reason) && generation_ != nullptr && count_ > request.asked_at;
  if (has_lifecycle_lock && used && !done && !shut_down_) return true;
  request.answer = Result<void>();
  if (used && !done) {
    request.answer = busy();
    if (!request.waited_for) {
      restart_later(request.reason, request.how, Clock::now() + retry);
    }
  }
  request.answered = true;
  done_.notify_all();
  return false;
}

/// Reports how a restart ended, then answers who waits for it. A restart after a fault that fails
/// counts as another one.
void Module::answer(RestartRequest& request, const Event& what) {
  context_.events->tell(what, request.waited_for);
  answer(request);
  if (what.type == Event::Type::restart_failed && !request.waited_for &&
      !is_asked(request.reason)) {
    count_failure(request.reason, what.message);
  }
}

void Module::answer(RestartRequest& request) noexcept {
  const Lock lock(mutex_);
  request.answered = true;
  // Otherwise the drain that follows wakes whoever waits for both.
  if (request.old == nullptr) done_.notify_all();
}

/// The function that hung has returned after all. Others have answered and gone on; what the worker
/// created ends with it.
void Module::end_late(Restart& restart) {
  if (restart.fresh() != nullptr) {
    unload(std::make_shared<Retired>(restart.fresh(), std::nullopt, context_.restart.step));
  }
  {
    const Lock lock(mutex_);
    if (restart.phase() == Restart::Phase::filling) stayed_--;
  }
  if (const auto replaced = restart.take_old()) {
    drain(replaced, Clock::now() + context_.restart.drain);
  }
}

// -- What hangs ---------------------------------------------------------------

/// Looks at an operation at this time, and again until it is over. Without memory for that, only
/// who waits for the operation looks at it.
void Module::watch(const std::shared_ptr<Operation>& operation, Clock::time_point when) noexcept
    try {
  operation->keep(
      context_.timers->plan(when, [weak = weak_from_this(), watched = std::weak_ptr(operation)] {
        const auto module = weak.lock();
        const auto looked_at = watched.lock();
        if (module == nullptr || looked_at == nullptr) return;
        {
          Lock lock(module->mutex_);
          module->give_up_overdue(lock);
          const bool restarts = looked_at == module->restart_;
          const bool ends = std::any_of(module->ending_.begin(), module->ending_.end(),
                                        [&](const auto& old) { return old == looked_at; });
          if (!restarts && !ends) return;
        }
        module->watch(looked_at, looked_at->next_look(Clock::now()));
      }));
} catch (const std::bad_alloc&) {
}

/// Goes on without workers that hang. REQUIRED: the lock.
void Module::give_up_overdue(Lock& lock) noexcept {
  const auto now = Clock::now();
  if (restart_ != nullptr) {
    if (const auto hang = restart_->overdue(now)) give_up(lock, *hang);
  }
  std::optional<Operation::Hang> hang;
  const auto hangs = [&](const auto& old) { return (hang = old->overdue(now)).has_value(); };
  for (auto old = std::ranges::find_if(ending_, hangs); old != ending_.end();
       old = std::ranges::find_if(ending_, hangs)) {
    give_up(lock, std::shared_ptr(*old), *hang);
  }
}

Error Module::hung(const Operation::Hang& hang) const {
  return Error({.code = "restart-failed",
                .status = TENON_DEADLINE_EXCEEDED,
                .message = hang.function + " of " + hang.plugin +
                           " did not return in time; its thread and its code are left behind",
                .where = where(),
                .plugin = hang.plugin,
                .method = hang.function});
}

/// The restart has failed. Calls that wait are let through at once, unless the old generation has
/// to be resumed first, which another worker does. REQUIRED: the lock.
void Module::give_up(Lock& lock, const Operation::Hang& hang) noexcept {
  const auto restart = std::exchange(restart_, nullptr);
  restart->give_up();
  touched_.clear();
  lifecycle_ = ++tickets_;  // passed on to `recover`
  lifecycle_thread_ = {};
  if (restart->phase() == Restart::Phase::filling) stayed_++;
  if (restart->phase() != Restart::Phase::suspending && !restart->has_suspended()) serve_again();
  lock.unlock();
  const auto recovery = [module = weak_from_this().lock(), restart, hang] {
    module->recover(restart, hang);
  };
  run_on_worker(recovery);
  lock.lock();
}

/// Goes back to the old generation in the place of a worker that hangs; where that is impossible,
/// the module goes on with a fresh one.
void Module::recover(const std::shared_ptr<Restart>& given_up, const Operation::Hang& hang) {
  const bool lost = given_up->phase() == Restart::Phase::suspending;
  const Error error = hung(hang);
  Event failed;
  bool gives_up = false;
  {
    Lock lock(mutex_);
    const LifecycleLock lifecycle(*this);
    given_up->request().answer = error;
    failed = event(Event::Type::restart_failed);
    failed.reason = given_up->request().reason;
    failed.message = in_one_line(error);
    if (lost) {
      lose_generation();
    } else if (given_up->has_suspended()) {
      const auto restart = restart_ = given_up->successor();
      lock.unlock();
      watch(restart, Clock::now() + context_.restart.step);
      restart->go_back();
      lock.lock();
      gives_up = restart->given_up();
      if (!gives_up) restart_ = nullptr;
    }
  }
  if (gives_up) return;  // resuming hung as well; its own recovery has answered
  answer(given_up->request(), failed);
  if (lost) count_failure(RestartReason::hang, failed.message);
  unload_if_unused();
}

/// Nothing serves, as after a crash, until the next restart. The generation is retired; the thread
/// that hangs in it keeps it loaded. REQUIRED: the lock.
void Module::lose_generation() {
  close();
  gate_deadline_ = Clock::now() + context_.restart.gate;
  frozen_ = false;
  interrupting.store(false);
  retire(generation_, event(Event::Type::drained));
  changed_.notify_all();
  look_again();
}

// -- Faults -------------------------------------------------------------------

void Module::fault(Generation& generation, RestartReason why, const Error& error) noexcept {
  GenerationPtr broken;  // kept for ever when it ends
  if (why == RestartReason::crash) generation.break_down();
  if (inherited()) return;  // nothing restarts
  Lock lock(mutex_);
  const bool serves = &generation == generation_.get();
  const bool first = generation_ == nullptr && !has_instances();
  if (!serves && !(first && why == RestartReason::crash)) return;  // its creator gets the error
  if (serves && why == RestartReason::crash) {
    close();
    gate_deadline_ = Clock::now() + context_.restart.gate;
    broken = std::move(generation_);
    open_to_creates();
  }
  // A generation that fails in many calls at once has failed once.
  const bool known = serves && std::exchange(faulted_, count_) == count_;
  Event faulted = event(Event::Type::faulted);
  lock.unlock();
  // Its sessions have ended, so nobody else wakes the calls that block in them. The call that
  // crashed reports the crash.
  if (broken != nullptr) interrupt_calls(*this, *broken, thread_record);
  if (known) return;
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
  close();
  open_to_creates();
  changed_.notify_all();
  Event quarantined = event(Event::Type::quarantined);
  quarantined.message = reasons();
  // No restart wakes the calls that block in it. The call that failed reports its own failure.
  std::optional<Inside> inside;
  const Serving* serving = generation_.get();
  if (serving != nullptr) {
    interrupting.store(true);
    inside.emplace(*serving, *this);  // keeps it loaded
  }
  lock.unlock();
  if (serving != nullptr) interrupt_calls(*this, *serving, thread_record);
  inside.reset();
  tell(quarantined);
}

}  // namespace tenon::detail
