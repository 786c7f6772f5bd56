// SPDX-License-Identifier: BSL-1.0
#include "module/restarts.hpp"

#include <algorithm>
#include <utility>

#include "call/thread_records.hpp"
#include "module/lifecycle_lock.hpp"
#include "module/module.hpp"
#include "module/restart.hpp"
#include "module/restart_group.hpp"

namespace tenon::inline v0_1::detail {
namespace {

/// Whose event the calling thread reports.
constinit thread_local const Restarts* reports_here = nullptr;

}  // namespace

// -- Requests -----------------------------------------------------------------

Result<RestartOutcome> Restarts::request(RestartReason reason, const RestartOptions& options) {
  ModuleLock lock(shared_.mutex);
  if (!module_.used()) {
    release_unused(lock);
    return RestartOutcome::not_loaded;  // the next create loads the file as it is then
  }
  if (is_inside()) {
    module_.schedule().plan(reason, options, Clock::now());
    return RestartOutcome::scheduled;
  }
  const std::uint64_t count = module_.generation_number();
  lock.unlock();
  auto request = begin(reason, options, true, count);
  if (!request) return std::move(request).error();
  lock.lock();
  if (auto done = wait_for(lock, **request); !done) return std::move(done).error();
  return RestartOutcome::restarted;
}

bool Restarts::is_inside() const noexcept {
  const Generation* serving = module_.serving();
  return module_.lifecycle().held_here() || (serving != nullptr && this_thread_is_in(*serving));
}

bool Restarts::waits_for_this_thread() const noexcept {
  return current_ != nullptr && current_->request().group != nullptr &&
         current_->request().group->waits_for_this_thread();
}

void Restarts::release_unused(ModuleLock& lock) {
  const bool released = module_.faults().release();
  const Event event = module_.event(Event::Type::released);
  lock.unlock();
  if (released) shared_.report(event);
}

Result<Restarts::RequestPtr> Restarts::begin(RestartReason reason, const RestartOptions& options,
                                             bool waited_for, std::uint64_t count,
                                             std::shared_ptr<RestartGroup> group) {
  auto request =
      std::make_shared<RestartRequest>(reason, options, waited_for, count, std::move(group));
  auto begun = shared_.context->workers->run([module = module_.shared_from_this(), request] {
    module->restarts().perform(request);
    module->unload_if_unused();
  });
  if (!begun) return std::move(begun).error();
  return request;
}

Error RestartRequest::no_memory() {
  return Error({.code = "restart-failed",
                .status = TENON_RESOURCE_EXHAUSTED | TENON_RETRYABLE,
                .message = "the process ran out of memory"});
}

Result<void> Restarts::wait_for(ModuleLock& lock, RestartRequest& request) {
  while (!request.completed) {
    shared_.done.wait_until(lock, next_check());
    module_.hangs().abandon_overdue(lock);
  }
  if (request.old != nullptr) module_.retired().wait_for_end(lock, request.old);
  return std::move(request.result);
}

Restarts::Clock::time_point Restarts::next_check() const noexcept {
  const auto now = Clock::now();
  const auto latest =
      now + std::min<Clock::duration>(shared_.context->restart.step_timeout,
                                      shared_.context->restart.gate_timeout + Operation::grace);
  return current_ != nullptr ? std::min(current_->next_check(now), latest) : latest;
}

// -- Performing them ----------------------------------------------------------

/// Runs on a worker.
void Restarts::perform(const RequestPtr& request) try {
  std::shared_ptr<Restart> restart;  // destroyed without the lock
  std::optional<Event> released;
  bool abandoned = false;
  if (request->group != nullptr && !request->group->wait_for_turn(module_)) {
    request->result = shared_.busy();
    return complete(*request);
  }
  {
    ModuleLock lock(shared_.mutex);
    if (!module_.used() && is_requested(request->reason)) {
      request->result = Result<void>();
      release_unused(lock);
      return complete(*request);
    }
    const LifecycleLock lifecycle(module_, lock);
    if (may_begin(*request, lifecycle, lock)) {
      if (request->group != nullptr) request->group->begin(module_);
      restart = std::make_shared<Restart>(module_, request);
      module_.instances().record_changes();
      current_ = restart;
      auto done = run_and_lock(restart, lock);
      abandoned = restart->abandoned();
      if (!abandoned) end(*restart, std::move(done));
    } else if (request->reason == RestartReason::file_changed && !module_.loaded() &&
               module_.faults().release()) {
      // It seemed to be used because of a create, which the quarantine has refused.
      released = module_.event(Event::Type::released);
    }
  }
  if (released) shared_.report(*released);
  if (restart == nullptr) return;
  if (abandoned) return finish_late(*restart);
  // After the lifecycle lock was released, because the listener may need it.
  if (restart->has_released()) report(restart->released_event(), false);
  complete(*request, restart->event());
  if (request->old != nullptr) module_.retired().drain(request->old);
} catch (const std::bad_alloc&) {
  complete(*request);
  if (request->old != nullptr) module_.retired().drain(request->old);
}

/// Takes the result of a restart that was not abandoned. REQUIRED: the lock.
void Restarts::end(Restart& restart, Result<void> done) {
  current_ = nullptr;
  module_.instances().ignore_changes();
  RestartRequest& request = restart.request();
  const bool succeeded = static_cast<bool>(done);
  request.result = std::move(done);
  request.old =
      succeeded ? restart.take_old() : module_.retired().retire(restart.fresh(), std::nullopt);
  if (request.old != nullptr) request.old->take();
  begin_report(request);
}

/// Runs the restart without the lock, which is held on return. A restart that runs out of memory
/// has failed.
Result<void> Restarts::run_and_lock(const std::shared_ptr<Restart>& restart, ModuleLock& lock) {
  lock.unlock();
  module_.hangs().watch(restart, Clock::now() + shared_.context->restart.step_timeout);
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

/// Returns whether a worker may perform a restart. Otherwise completes the request. REQUIRED: the
/// lock; see is_needed.
bool Restarts::may_begin(RestartRequest& request, const LifecycleLock& lifecycle,
                         ModuleLock& lock) {
  const bool needed = is_needed(request, lock);
  if (lifecycle && needed && !shared_.shut_down) return true;
  request.result = Result<void>();
  if (needed) {
    request.result = shared_.busy();
    if (!request.waited_for) module_.schedule().retry(request.reason, request.options);
  }
  leave_group(request);
  request.completed = true;
  shared_.done.notify_all();
  return false;
}

/// Tells the group of a request, if there is one, how it has ended.
void Restarts::leave_group(const RestartRequest& request) noexcept {
  if (request.group == nullptr) return;
  if (request.result) {
    request.group->leave(module_);
  } else {
    request.group->give_up(module_);
  }
}

/// Returns whether nothing else has met the request yet: the first of several restarts after one
/// fault, or after one change of the file, is enough. If the module was never loaded, the first
/// create loads the file as it is then. REQUIRED: the lock, which is released to look at the file.
bool Restarts::is_needed(const RestartRequest& request, ModuleLock& lock) {
  if (request.reason == RestartReason::file_changed) {
    if (module_.serving() == nullptr) return module_.loaded();
    lock.unlock();
    const bool changed = module_.changed();
    lock.lock();
    return changed;
  }
  const bool done = !is_requested(request.reason) && module_.serving() != nullptr &&
                    module_.generation_number() > request.asked_at;
  return module_.used() && !done;
}

void Restarts::begin_report(RestartRequest& request) noexcept {
  request.reporting = true;
  ++reports_;
}

bool Restarts::others_report() const noexcept {
  return reports_ > (reports_here == this ? 1U : 0U);
}

void Restarts::report(const Event& what, bool returned) noexcept {
  const Restarts* const outer = std::exchange(reports_here, this);
  shared_.context->events->report(what, returned);
  reports_here = outer;
}

void Restarts::complete(RestartRequest& request, const Event& what) {
  report(what, request.waited_for);
  complete(request);
  if (what.type == Event::Type::restart_failed && !request.waited_for &&
      !is_requested(request.reason)) {
    module_.faults().count(request.reason, what.message);
  }
}

void Restarts::complete(RestartRequest& request) noexcept {
  const ModuleLock lock(shared_.mutex);
  leave_group(request);
  request.completed = true;
  if (std::exchange(request.reporting, false)) --reports_;
  // Otherwise the drain that follows wakes threads that wait for both.
  if (request.old == nullptr || shared_.shut_down) shared_.done.notify_all();
}

/// Called when a function that hung has returned after all. The request was completed without this
/// worker, which now unloads what it has loaded.
void Restarts::finish_late(Restart& restart) {
  if (restart.fresh() != nullptr) {
    module_.retired().unload(module_.retired().never_served(restart.fresh()));
  }
  {
    const ModuleLock lock(shared_.mutex);
    if (restart.phase() == Restart::Phase::filling) module_.retired().remove_mapped();
  }
  if (const auto replaced = restart.take_old()) module_.retired().drain(replaced);
}

std::shared_ptr<Restart> Restarts::abandon() noexcept {
  auto restart = std::exchange(current_, nullptr);
  restart->abandon();
  module_.instances().ignore_changes();
  if (restart->phase() == Restart::Phase::filling) module_.retired().add_mapped();
  return restart;
}

bool Restarts::resume(ModuleLock& lock, const Restart& abandoned) {
  const auto restart = current_ = abandoned.successor();
  lock.unlock();
  module_.hangs().watch(restart, Clock::now() + shared_.context->restart.step_timeout);
  restart->roll_back();
  lock.lock();
  if (restart->abandoned()) return false;
  current_ = nullptr;
  return true;
}

}  // namespace tenon::inline v0_1::detail
