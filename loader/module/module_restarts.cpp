// SPDX-License-Identifier: BSL-1.0
//
// Requests, performs and abandons restarts of a module.
#include <algorithm>
#include <optional>
#include <utility>

#include "call/thread_records.hpp"
#include "module/lifecycle_lock.hpp"
#include "module/module.hpp"
#include "module/restart.hpp"

namespace tenon::inline v0_1::detail {
namespace {

// The delay before another attempt of a restart that could not begin.
constexpr auto retry = std::chrono::milliseconds(200);

bool is_requested(RestartReason reason) {
  return reason == RestartReason::requested || reason == RestartReason::file_changed;
}

}  // namespace

// -- Requests -----------------------------------------------------------------

bool Module::changed() const {
  Lock lock(shared_.mutex);
  const bool used = generation_ != nullptr || !unused() || faults_.quarantined();
  if (!used || shared_.origin.builtin != nullptr) return false;
  const platform::FileIdentity loaded = identity_;
  lock.unlock();
  const auto now = platform::identity_of(shared_.origin.file);
  return now && !(*now == loaded);
}

Result<RestartOutcome> Module::restart(RestartReason reason, const RestartOptions& options) {
  Lock lock(shared_.mutex);
  if (generation_ == nullptr && unused()) {
    const bool was_quarantined = faults_.release();
    const Event released = event(Event::Type::released);
    lock.unlock();
    if (was_quarantined) shared_.report(released);
    return RestartOutcome::not_loaded;  // the next create loads the file as it is then
  }
  const bool inside =
      lifecycle_.held_here() || (generation_ != nullptr && this_thread_is_in(*generation_));
  if (inside) {
    restart_later(reason, options, Clock::now());
    return RestartOutcome::scheduled;
  }
  const std::uint64_t count = count_;
  lock.unlock();
  auto request = begin_restart(reason, options, true, count);
  if (!request) return std::move(request).error();
  lock.lock();
  if (auto done = wait_for(lock, **request); !done) return std::move(done).error();
  return RestartOutcome::restarted;
}

void Module::restart_soon(RestartReason reason) {
  const Lock lock(shared_.mutex);
  restart_later(reason, {}, Clock::now());
}

/// Returns the time of the planned restart of this sort. REQUIRED: the lock.
Module::Clock::time_point& Module::restart_due(RestartReason reason) noexcept {
  return is_requested(reason) ? requested_restart_due_ : fault_restart_due_;
}

/// Plans a restart on a worker, unless an earlier one is planned. REQUIRED: the lock.
void Module::restart_later(RestartReason reason, const RestartOptions& options,
                           Clock::time_point when) {
  Clock::time_point& due = restart_due(reason);
  if (due <= when || shared_.shut_down) return;
  due = when;
  shared_.context.timers->at(when,
                             [weak = weak_from_this(), reason, options, when, count = count_] {
                               const auto module = weak.lock();
                               if (module == nullptr) return;
                               {
                                 const Lock lock(module->shared_.mutex);
                                 Clock::time_point& due = module->restart_due(reason);
                                 if (due != when) return;
                                 due = Clock::time_point::max();
                                 if (module->faults_.quarantined() && !is_requested(reason)) return;
                               }
                               module->restart_now(reason, options, count);
                             });
}

/// `count`: the generation number when the restart was planned.
void Module::restart_now(RestartReason reason, const RestartOptions& options, std::uint64_t count) {
  if (const auto begun = begin_restart(reason, options, false, count); !begun) {
    shared_.context.log->write(LogLevel::warn, in_one_line(begun.error()));
    const Lock lock(shared_.mutex);
    restart_later(reason, options, Clock::now() + retry);
  }
}

/// Starts a restart on a worker. `waited_for`: the caller waits for the result, and for the end of
/// the old generation. `count`: the generation number when the reason for the restart appeared.
Result<std::shared_ptr<RestartRequest>> Module::begin_restart(RestartReason reason,
                                                              const RestartOptions& options,
                                                              bool waited_for,
                                                              std::uint64_t count) {
  auto request = std::make_shared<RestartRequest>(reason, options, waited_for, count);
  auto begun = shared_.context.workers->run(
      [module = shared_from_this(), request] { module->perform(request); });
  if (!begun) return std::move(begun).error();
  return request;
}

Error RestartRequest::no_memory() {
  return Error({.code = "restart-failed",
                .status = TENON_RESOURCE_EXHAUSTED | TENON_RETRYABLE,
                .message = "the process ran out of memory"});
}

/// Waits until the restart has completed, and then while a worker unloads the generation that it
/// retired. REQUIRED: the lock.
Result<void> Module::wait_for(Lock& lock, RestartRequest& request) {
  while (!request.completed) {
    shared_.done.wait_until(lock, next_restart_check());
    abandon_overdue(lock);
  }
  if (request.old != nullptr) retired_.wait_for_end(lock, request.old);
  return std::move(request.result);
}

/// Returns when a thread that waits for the restart checks it next. A gate that closes after the
/// check is not overdue before this time. REQUIRED: the lock.
Module::Clock::time_point Module::next_restart_check() const noexcept {
  const auto now = Clock::now();
  const auto latest =
      now + std::min<Clock::duration>(shared_.context.restart.step_timeout,
                                      shared_.context.restart.gate_timeout + Operation::grace);
  return restart_ != nullptr ? std::min(restart_->next_check(now), latest) : latest;
}

// -- Performing it ------------------------------------------------------------

/// Runs on a worker. Unloads the module if its last instance was released meanwhile.
void Module::perform(const std::shared_ptr<RestartRequest>& request) {
  try {
    perform_restart(request);
  } catch (const std::bad_alloc&) {
    complete(*request);
    if (request->old != nullptr)
      retired_.drain(request->old, Clock::now() + shared_.context.restart.drain_timeout);
  }
  unload_if_unused();
}

void Module::perform_restart(const std::shared_ptr<RestartRequest>& request) {
  std::shared_ptr<Restart> restart;  // destroyed without the lock
  bool abandoned = false;
  {
    Lock lock(shared_.mutex);
    const LifecycleLock lifecycle(*this, lock);
    if (!may_begin(*request, static_cast<bool>(lifecycle))) return;
    restart = std::make_shared<Restart>(*this, request);
    instances_.record_changes();
    restart_ = restart;
    auto done = run_and_lock(restart, lock);
    abandoned = restart->abandoned();
    if (!abandoned) {
      restart_ = nullptr;
      instances_.ignore_changes();
      const bool succeeded = static_cast<bool>(done);
      request->result = std::move(done);
      request->old =
          succeeded ? restart->take_old() : retired_.retire(restart->fresh(), std::nullopt);
      if (request->old != nullptr) request->old->take();
    }
  }
  if (abandoned) return finish_late(*restart);
  // After the lifecycle lock was released, because the listener may need it.
  if (restart->has_released()) shared_.report(restart->released_event());
  complete(*request, restart->event());
  if (request->old != nullptr)
    retired_.drain(request->old, Clock::now() + shared_.context.restart.drain_timeout);
}

/// Runs the restart without the lock, which is held on return. A restart that runs out of memory
/// has failed.
Result<void> Module::run_and_lock(const std::shared_ptr<Restart>& restart, Lock& lock) {
  lock.unlock();
  watch(restart, Clock::now() + shared_.context.restart.step_timeout);
  Result<void> done;
  try {
    done = restart->run();
  } catch (const std::exception& thrown) {
    try {
      done = restart->fail(
          shared_.refused(std::string("the restart could not continue: ") + thrown.what()));
    } catch (...) {
      restart->roll_back();
      lock.lock();
      throw;
    }
  }
  lock.lock();
  return done;
}

/// Returns whether a worker may perform a restart. Otherwise completes the request: the first of
/// several restarts after one fault is enough. REQUIRED: the lock.
bool Module::may_begin(RestartRequest& request, bool has_lifecycle_lock) {
  const bool used = generation_ != nullptr || !unused();
  const bool done =
      !is_requested(request.reason) && generation_ != nullptr && count_ > request.asked_at;
  if (has_lifecycle_lock && used && !done && !shared_.shut_down) return true;
  request.result = Result<void>();
  if (used && !done) {
    request.result = shared_.busy();
    if (!request.waited_for) {
      restart_later(request.reason, request.options, Clock::now() + retry);
    }
  }
  request.completed = true;
  shared_.done.notify_all();
  return false;
}

/// Reports how a restart ended, then completes its request. A failed restart after a fault counts
/// as another failure.
void Module::complete(RestartRequest& request, const Event& what) {
  shared_.context.events->report(what, request.waited_for);
  complete(request);
  if (what.type == Event::Type::restart_failed && !request.waited_for &&
      !is_requested(request.reason)) {
    faults_.count(request.reason, what.message);
  }
}

void Module::complete(RestartRequest& request) noexcept {
  const Lock lock(shared_.mutex);
  request.completed = true;
  // Otherwise the drain that follows wakes threads that wait for both.
  if (request.old == nullptr) shared_.done.notify_all();
}

/// Called when a function that hung has returned after all. The request was completed without this
/// worker, which now unloads what it has loaded.
void Module::finish_late(Restart& restart) {
  if (restart.fresh() != nullptr) {
    retired_.unload(retired_.never_served(restart.fresh()));
  }
  {
    const Lock lock(shared_.mutex);
    if (restart.phase() == Restart::Phase::filling) retired_.remove_mapped();
  }
  if (const auto replaced = restart.take_old()) {
    retired_.drain(replaced, Clock::now() + shared_.context.restart.drain_timeout);
  }
}

// -- Hanging workers ----------------------------------------------------------

/// Checks an operation at this time, and again until it is over. If memory is exhausted, only
/// threads that wait for the operation check it.
void Module::watch(const std::shared_ptr<Operation>& operation, Clock::time_point when) noexcept
    try {
  operation->keep(shared_.context.timers->plan(
      when, [weak = weak_from_this(), watched = std::weak_ptr(operation)] {
        const auto module = weak.lock();
        const auto operation_now = watched.lock();
        if (module == nullptr || operation_now == nullptr) return;
        {
          Lock lock(module->shared_.mutex);
          module->abandon_overdue(lock);
          const bool restarts = operation_now == module->restart_;
          if (!restarts && !module->retired_.is_unloading(*operation_now)) return;
        }
        module->watch(operation_now, operation_now->next_check(Clock::now()));
      }));
} catch (const std::bad_alloc&) {
}

/// Abandons workers that hang. REQUIRED: the lock.
void Module::abandon_overdue(Lock& lock) noexcept {
  const auto now = Clock::now();
  if (restart_ != nullptr) {
    if (const auto hang = restart_->overdue(now)) abandon(lock, *hang);
  }
  retired_.abandon_overdue(lock, now);
}

/// Abandons the restart, which has failed. Waiting calls continue immediately, unless another
/// worker must resume the old generation first. REQUIRED: the lock.
void Module::abandon(Lock& lock, const Operation::Hang& hang) noexcept {
  const auto restart = std::exchange(restart_, nullptr);
  restart->abandon();
  instances_.ignore_changes();
  lifecycle_.reserve();  // for `recover`
  if (restart->phase() == Restart::Phase::filling) retired_.add_mapped();
  if (restart->phase() != Restart::Phase::suspending && !restart->has_suspended()) serve_again();
  lock.unlock();
  const auto recovery = [module = weak_from_this().lock(), restart, hang] {
    module->recover(restart, hang);
  };
  shared_.run_on_worker(recovery);
  lock.lock();
}

/// Rolls back for a worker that hangs. If that is impossible, the module gets a new generation.
void Module::recover(const std::shared_ptr<Restart>& abandoned, const Operation::Hang& hang) {
  const bool lost = abandoned->phase() == Restart::Phase::suspending;
  const Error error = shared_.hang_error(hang);
  Event failed;
  bool abandons = false;
  {
    Lock lock(shared_.mutex);
    const LifecycleLock lifecycle(*this);
    abandoned->request().result = error;
    failed = event(Event::Type::restart_failed);
    failed.reason = abandoned->request().reason;
    failed.message = in_one_line(error);
    if (lost) {
      lose_generation();
    } else if (abandoned->has_suspended()) {
      const auto restart = restart_ = abandoned->successor();
      lock.unlock();
      watch(restart, Clock::now() + shared_.context.restart.step_timeout);
      restart->roll_back();
      lock.lock();
      abandons = restart->abandoned();
      if (!abandons) restart_ = nullptr;
    }
  }
  if (abandons) return;  // resuming hung as well; its own recovery has completed the request
  complete(abandoned->request(), failed);
  if (lost) faults_.count(RestartReason::hang, failed.message);
  unload_if_unused();
}

/// Retires the generation. Nothing serves until the next restart, as after a crash. The thread that
/// hangs in the generation keeps it loaded. REQUIRED: the lock.
void Module::lose_generation() {
  close_gate();
  frozen_ = false;
  interrupting.store(false);
  retired_.retire(generation_, event(Event::Type::drained));
  shared_.changed.notify_all();
  retired_.schedule_reclaim();
}

}  // namespace tenon::inline v0_1::detail
