// SPDX-License-Identifier: BSL-1.0
#include "restart/restarts.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "call/thread_records.hpp"
#include "restart/restart.hpp"
#include "restart/restart_group.hpp"
#include "supervise/ticket_hold.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// Whose event the calling thread reports.
constinit thread_local const Restarts* reports_here = nullptr;

}  // namespace

// -- Requests -----------------------------------------------------------------

Result<RestartOutcome> Restarts::request(RestartReason reason, const RestartOptions& options) {
  std::uint64_t count = 0;
  bool used = false;
  {
    const ModuleLock lock(state_.mutex);
    used = state_.used();
    if (used && is_inside()) {
      plan(reason, options, Clock::now());
      return RestartOutcome::scheduled;
    }
    count = state_.generation_number;
  }
  if (!used) {
    release_unused();
    return RestartOutcome::not_loaded;  // the next create loads the file as it is then
  }
  auto request = begin(reason, options, true, count);
  if (!request) return std::move(request).error();
  if (auto done = wait_for(**request); !done) return std::move(done).error();
  return RestartOutcome::restarted;
}

bool Restarts::is_inside() const noexcept {
  const Generation* serving = state_.generation.get();
  return state_.lifecycle.held_here() || (serving != nullptr && this_thread_is_in(*serving));
}

bool Restarts::waits_for_this_thread() const noexcept {
  return current_ != nullptr && current_->request().group != nullptr &&
         current_->request().group->waits_for_this_thread();
}

/// Ends a quarantine. Returns the event for it, if there was one.
std::optional<Event> Restarts::release() {
  if (!parts_.faults.release()) return std::nullopt;
  return state_.event(Event::Type::released);
}

void Restarts::release_unused() {
  std::optional<Event> released;
  {
    const ModuleLock lock(state_.mutex);
    if (!state_.used()) released = release();
  }
  if (released) state_.report(*released);
}

Result<Restarts::RequestPtr> Restarts::begin(RestartReason reason, const RestartOptions& options,
                                             bool waited_for, std::uint64_t count,
                                             std::shared_ptr<RestartGroup> group) {
  auto request =
      std::make_shared<RestartRequest>(reason, options, waited_for, count, std::move(group));
  const auto perform = [restarts = state_.keep(this), request] {
    const bool clean = restarts->perform(request);
    restarts->parts_.code.unload_if_unused();
    return clean;
  };
  auto begun = state_.context->workers->run_reusing_thread(perform);
  if (!begun) return std::move(begun).error();
  return request;
}

Result<void> Restarts::begin_planned(RestartReason reason, const RestartOptions& options,
                                     std::uint64_t count) {
  auto begun = begin(reason, options, false, count);
  return begun ? Result<void>() : std::move(begun).error();
}

Error RestartRequest::no_memory() {
  return Error({.code = "restart-failed",
                .status = TENON_RESOURCE_EXHAUSTED | TENON_RETRYABLE,
                .message = "the process ran out of memory"});
}

Result<void> Restarts::wait_for(RestartRequest& request) {
  {
    const ModuleLock lock(state_.mutex);
    while (!request.completed) {
      state_.done.wait_until(state_.mutex, next_check());
      parts_.hangs.abandon_overdue();
    }
  }
  if (request.old != nullptr) parts_.retired.wait_for_end(request.old);
  return std::move(request.result);
}

Restarts::Clock::time_point Restarts::next_check() const noexcept {
  const auto now = Clock::now();
  const auto latest =
      now + std::min<Clock::duration>(state_.context->restart.step_timeout,
                                      state_.context->restart.gate_timeout + SupervisedWork::grace);
  return current_ != nullptr ? std::min(current_->next_check(now), latest) : latest;
}

// -- Performing them ----------------------------------------------------------

/// Runs on a worker. Returns whether it has left no thread_local object of a plugin in the thread.
bool Restarts::perform(const RequestPtr& request) try {
  std::shared_ptr<Restart> restart;  // destroyed without the lock
  std::optional<Event> released;
  if (request->group != nullptr && !request->group->wait_for_turn(state_)) {
    request->result = state_.busy();
    complete(*request);
    return true;
  }
  bool unused = false;
  {
    const ModuleLock lock(state_.mutex);
    unused = !state_.used() && is_requested(request->reason);
    if (unused) {
      request->result = Result<void>();
      released = release();
    } else {
      const TicketHold lifecycle(state_, parts_.hangs);
      if (may_begin(*request, lifecycle)) {
        if (request->group != nullptr) request->group->begin(state_);
        restart = std::make_shared<Restart>(parts_, state_.keep(this), request);
        state_.instances.record_changes();
        current_ = restart;
        auto done = run(restart);
        if (!restart->abandoned()) end(*restart, std::move(done));
      } else if (request->reason == RestartReason::file_changed && !state_.loaded()) {
        // It seemed to be used because of a create, which the quarantine has refused.
        released = release();
      }
    }
  }
  if (released) state_.report(*released);
  if (unused) complete(*request);
  if (restart == nullptr) return true;
  if (restart->abandoned()) {
    finish_late(*restart);
    return false;
  }
  // After the lifecycle ticket was released, because the listener may need it.
  if (restart->has_released()) report(restart->released_event(), false);
  complete(*request, restart->event());
  const bool gone = request->old == nullptr || parts_.retired.drain(request->old);
  return gone && restart->leaves_thread_clean();
} catch (const std::bad_alloc&) {
  complete(*request);
  if (request->old != nullptr) parts_.retired.drain(request->old);
  return false;
}

/// Takes the result of a restart that was not abandoned.
void Restarts::end(Restart& restart, Result<void> done) {
  current_ = nullptr;
  state_.instances.ignore_changes();
  RestartRequest& request = restart.request();
  const bool succeeded = static_cast<bool>(done);
  request.result = std::move(done);
  request.old =
      succeeded ? restart.take_old() : parts_.retired.retire(restart.fresh(), std::nullopt);
  if (request.old != nullptr) request.old->claim_by_this_thread();
  begin_report(request);
}

/// Runs the restart. One that runs out of memory has failed. Releases the lock meanwhile.
Result<void> Restarts::run(const std::shared_ptr<Restart>& restart) {
  const ModuleUnlock unlocked(state_.mutex);
  parts_.hangs.watch(restart, Clock::now() + state_.context->restart.step_timeout);
  try {
    return restart->run();
  } catch (const std::exception& thrown) {
    try {
      return restart->fail(
          state_.refused(std::string("the restart could not continue: ") + thrown.what()));
    } catch (...) {
      restart->roll_back();
      throw;
    }
  }
}

/// Returns whether a worker may perform a restart. Otherwise completes the request. See is_needed.
bool Restarts::may_begin(RestartRequest& request, const TicketHold& lifecycle) {
  const bool needed = is_needed(request);
  if (lifecycle && needed && !state_.shut_down) return true;
  request.result = Result<void>();
  if (needed) {
    request.result = state_.busy();
    if (!request.waited_for) schedule_.retry(request.reason, request.options);
  }
  leave_group(request);
  request.completed = true;
  state_.done.notify_all();
  return false;
}

/// Tells the group of a request, if there is one, how it has ended.
void Restarts::leave_group(const RestartRequest& request) noexcept {
  if (request.group == nullptr) return;
  if (request.result) {
    request.group->leave(state_);
  } else {
    request.group->give_up(state_);
  }
}

/// Returns whether nothing else has met the request yet: the first of several restarts after one
/// fault, or after one change of the file, is enough. If the module was never loaded, the first
/// create loads the file as it is then. Releases the lock to look at the file.
bool Restarts::is_needed(const RestartRequest& request) {
  if (request.reason == RestartReason::file_changed) {
    if (state_.generation == nullptr) return state_.loaded();
    const ModuleUnlock unlocked(state_.mutex);
    return state_.file_has_changed();
  }
  const bool done = !is_requested(request.reason) && state_.generation != nullptr &&
                    state_.generation_number > request.generation_at_request;
  return state_.used() && !done;
}

void Restarts::make_serve(LoadedCode&& fresh) noexcept {
  schedule_.cancel_after_fault();
  state_.adopt(std::move(fresh));
}

// -- Reports ------------------------------------------------------------------

/// Announces the event of a restart, before the lifecycle ticket is released. Until `complete` the
/// module is not unloaded, so that no event of a later time is reported first.
void Restarts::begin_report(RestartRequest& request) noexcept {
  request.reporting = true;
  ++reports_;
}

bool Restarts::others_report() const noexcept {
  return reports_ > (reports_here == this ? 1U : 0U);
}

void Restarts::report(const Event& what, bool returned) noexcept {
  const Restarts* const outer = std::exchange(reports_here, this);
  state_.context->events->report(what, returned);
  reports_here = outer;
}

/// Reports how a restart ended, then completes its request. A failed restart after a fault counts
/// as another failure.
void Restarts::complete(RestartRequest& request, const Event& what) {
  report(what, request.waited_for);
  complete(request);
  if (what.type == Event::Type::restart_failed && !request.waited_for &&
      !is_requested(request.reason)) {
    parts_.faults.count(request.reason, what.message, *this);
  }
}

void Restarts::complete(RestartRequest& request) noexcept {
  const ModuleLock lock(state_.mutex);
  leave_group(request);
  request.completed = true;
  if (std::exchange(request.reporting, false)) --reports_;
  // Otherwise the drain that follows wakes threads that wait for both.
  if (request.old == nullptr || state_.shut_down) state_.done.notify_all();
}

/// Called when a function that hung has returned after all. The request was completed without this
/// worker, which now unloads what it has loaded.
void Restarts::finish_late(Restart& restart) {
  if (restart.fresh() != nullptr) {
    parts_.retired.unload(parts_.retired.never_served(restart.fresh()));
  }
  {
    const ModuleLock lock(state_.mutex);
    if (restart.phase() == Restart::Phase::filling) parts_.retired.remove_mapped();
  }
  if (const auto replaced = restart.take_old()) parts_.retired.drain(replaced);
}

// -- Crashes and hangs --------------------------------------------------------

void Restarts::retire_crashed() {
  state_.block_calls();
  parts_.retired.retire_serving(Event::Type::drained);
  state_.open_to_creates();
  parts_.retired.schedule_reclaim();
}

/// Retires the generation. Nothing serves until the next restart, as after a crash. The thread that
/// hangs in the generation keeps it loaded.
void Restarts::lose_generation() {
  state_.block_calls();
  parts_.retired.retire_serving(Event::Type::drained);
  state_.serve_nothing();
  parts_.retired.schedule_reclaim();
}

std::optional<RestartStep> Restarts::step() const {
  if (current_ == nullptr) return std::nullopt;
  return current_->step();
}

bool Restarts::is_in_progress(const SupervisedWork& work) const noexcept {
  return current_.get() == &work;
}

void Restarts::abandon_overdue() noexcept {
  const ModuleLock lock(state_.mutex);
  parts_.hangs.abandon_overdue();
}

void Restarts::abandon_overdue(Clock::time_point now) noexcept try {
  if (current_ == nullptr) return;
  if (const auto hang = current_->overdue(now)) abandon(*hang);
} catch (const std::bad_alloc&) {
  // It is found again by the next check.
}

/// Abandons the restart, which has failed. Waiting calls continue immediately, unless another
/// worker must resume the old generation first. Releases the lock meanwhile.
void Restarts::abandon(const SupervisedWork::Overdue& hang) {
  // Copied before anything changes, because that needs memory.
  const auto recovery = [restarts = state_.keep(this), restart = current_, hang] {
    restarts->recover(restart, hang);
  };
  const auto restart = abandon();
  state_.lifecycle.reserve();  // for `recover`
  if (restart->phase() != Restart::Phase::suspending && !restart->has_suspended()) {
    state_.serve_again();
  }
  const ModuleUnlock unlocked(state_.mutex);
  state_.run_on_worker(recovery);
}

/// Abandons the restart in progress, and returns it.
std::shared_ptr<Restart> Restarts::abandon() noexcept {
  auto restart = std::exchange(current_, nullptr);
  restart->abandon();
  state_.instances.ignore_changes();
  if (restart->phase() == Restart::Phase::filling) parts_.retired.add_mapped();
  return restart;
}

/// Rolls back for a worker that hangs. If that is impossible, the module gets a new generation.
void Restarts::recover(const std::shared_ptr<Restart>& abandoned,
                       const SupervisedWork::Overdue& hang) {
  const bool lost = abandoned->phase() == Restart::Phase::suspending;
  const Error error = state_.hang_error(hang);
  Event failed;
  {
    const ModuleLock lock(state_.mutex);
    const TicketHold lifecycle(state_);
    abandoned->request().result = error;
    failed = state_.event(Event::Type::restart_failed);
    failed.reason = abandoned->request().reason;
    failed.message = in_one_line(error);
    if (lost) {
      lose_generation();
    } else if (abandoned->has_suspended() && !resume(*abandoned)) {
      return;  // resuming hung as well; its own recovery completes the request
    }
    begin_report(abandoned->request());
  }
  complete(abandoned->request(), failed);
  if (lost) parts_.faults.count(RestartReason::hang, failed.message, *this);
  parts_.code.unload_if_unused();
}

/// Resumes what an abandoned restart has suspended. Returns false if that was abandoned as well.
/// Releases the lock meanwhile.
bool Restarts::resume(const Restart& abandoned) {
  const auto restart = current_ = abandoned.successor();
  {
    const ModuleUnlock unlocked(state_.mutex);
    parts_.hangs.watch(restart, Clock::now() + state_.context->restart.step_timeout);
    restart->roll_back();
  }
  if (restart->abandoned()) return false;
  current_ = nullptr;
  return true;
}

void Restarts::abandon_at_shut_down() noexcept {
  const auto abandoned = abandon();
  abandoned->request().result = state_.busy();
  abandoned->request().completed = true;  // a thread of a plugin may wait for it
  state_.done.notify_all();
  state_.lifecycle.release();
}

}}}  // namespace tenon::v0_1::detail
