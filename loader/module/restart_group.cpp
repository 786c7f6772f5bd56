// SPDX-License-Identifier: BSL-1.0
#include "module/restart_group.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "module/module.hpp"

namespace tenon::inline v0_1::detail {
namespace {

// How often a worker that waits looks for another one that hangs. Timers look, too, unless memory
// is exhausted.
constexpr auto look_interval = std::chrono::seconds(1);

}  // namespace

RestartGroup::RestartGroup(std::span<const std::shared_ptr<Module>> modules) {
  members_.reserve(modules.size());
  for (const auto& module : modules) members_.push_back({module});
  // Two groups must have the same order.
  std::ranges::sort(members_, {}, &Member::module);
}

RestartGroup::Member& RestartGroup::find(const Module& module) noexcept {
  return *std::ranges::find(members_, &module, [](const Member& one) { return one.module.get(); });
}

/// Returns whether the members before `end` have come to the stage or left.
bool RestartGroup::all_at(const Member* end, Stage stage) const noexcept {
  return std::all_of(members_.data(), end,
                     [stage](const Member& one) { return one.left || one.stage >= stage; });
}

/// Returns false if the group has failed, or if the deadline passes first.
bool RestartGroup::wait_for(Lock& lock, const Member* end, Stage stage,
                            Clock::time_point deadline) {
  while (failed_ == nullptr && !all_at(end, stage)) {
    if (Clock::now() >= deadline) return false;
    const auto look = Clock::now() + look_interval;
    changed_.wait_until(lock, std::min(deadline, look));
    if (Clock::now() < look) continue;
    lock.unlock();
    abandon_overdue();
    lock.lock();
  }
  return failed_ == nullptr;
}

void RestartGroup::abandon_overdue() noexcept {
  for (const Member& member : members_) {
    ModuleLock lock(member.module->shared().mutex);
    member.module->hangs().abandon_overdue(lock);
  }
}

bool RestartGroup::wait_for_turn(const Module& member) {
  Lock lock(mutex_);
  // Those that it waits for get their lock or fail in time; see LifecycleLock.
  return wait_for(lock, &find(member), Stage::begun, Clock::time_point::max());
}

void RestartGroup::begin(const Module& member) noexcept {
  const Lock lock(mutex_);
  find(member).stage = Stage::begun;
  changed_.notify_all();
}

Result<void> RestartGroup::arrive(const Module& member, Stage stage, Clock::time_point deadline) {
  Lock lock(mutex_);
  Member& one = find(member);
  one.stage = std::max(one.stage, stage);
  changed_.notify_all();
  if (wait_for(lock, members_.data() + members_.size(), stage, deadline)) return {};
  const bool late = failed_ == nullptr;
  const std::string others = late ? names_before(stage) : failed_->shared().where;
  if (late) fail(member);
  return Error({.code = "restart-failed",
                .status = late ? TENON_DEADLINE_EXCEEDED : TENON_ABORTED,
                .message = "another version of the package was not " +
                           std::string(late ? "ready in time" : "restarted") + ": " + others,
                .where = member.shared().where});
}

/// Returns the files of the members that have not come to the stage.
std::string RestartGroup::names_before(Stage stage) const {
  std::string names;
  for (const Member& one : members_) {
    if (one.left || one.stage >= stage) continue;
    if (!names.empty()) names += ", ";
    names += one.module->shared().where;
  }
  return names;
}

void RestartGroup::drain(const Module& member, const Serving& old) noexcept {
  {
    const Lock lock(mutex_);
    find(member).old = &old;
  }
  // Threads in the old generation may wait for other members already.
  for (const Member& one : members_) {
    { const ModuleLock lock(one.module->shared().mutex); }
    one.module->shared().changed.notify_all();
  }
}

void RestartGroup::drained(const Module& member) noexcept {
  const Lock lock(mutex_);
  find(member).old = nullptr;
}

/// REQUIRED: the lock.
void RestartGroup::fail(const Module& member) noexcept {
  if (failed_ != nullptr || all_at(members_.data() + members_.size(), Stage::ready)) return;
  failed_ = &member;
  changed_.notify_all();
}

void RestartGroup::give_up(const Module& member) noexcept {
  const Lock lock(mutex_);
  fail(member);
}

void RestartGroup::leave(const Module& member) noexcept {
  const Lock lock(mutex_);
  find(member).left = true;
  changed_.notify_all();
}

bool RestartGroup::waits_for_this_thread() const noexcept {
  const Lock lock(mutex_);
  return failed_ == nullptr && std::ranges::any_of(members_, [](const Member& one) {
           return one.old != nullptr && this_thread_has_entered(*one.old);
         });
}

const Module* RestartGroup::failed() const noexcept {
  const Lock lock(mutex_);
  return failed_;
}

namespace {

using Modules = std::span<const std::shared_ptr<Module>>;

/// Plans a restart of each module if the calling thread is inside one of them.
bool schedule_inside(Modules modules, const RestartOptions& options) {
  const auto is_inside = [](const auto& module) {
    const ModuleLock lock(module->shared().mutex);
    return module->restarts().is_inside();
  };
  if (std::ranges::none_of(modules, is_inside)) return false;
  for (const auto& module : modules) {
    const ModuleLock lock(module->shared().mutex);
    module->schedule().plan(RestartReason::requested, options, RestartGroup::Clock::now());
  }
  return true;
}

Result<RestartOutcome> restart_used(Modules modules, const RestartOptions& options) {
  if (modules.empty()) return RestartOutcome::not_loaded;
  if (modules.size() == 1) return modules[0]->restart(RestartReason::requested, options);
  if (schedule_inside(modules, options)) return RestartOutcome::scheduled;
  const auto group = std::make_shared<RestartGroup>(modules);
  std::vector<std::pair<Module*, Restarts::RequestPtr>> begun;
  begun.reserve(modules.size());
  Result<void> result;
  for (const auto& module : modules) {
    auto request = module->restarts().begin(RestartReason::requested, options, true,
                                            module->info().generation, group);
    if (request) {
      begun.emplace_back(module.get(), std::move(*request));
      continue;
    }
    group->give_up(*module);
    result = std::move(request).error();
    break;
  }
  for (const auto& [module, request] : begun) {
    ModuleLock lock(module->shared().mutex);
    auto done = module->restarts().wait_for(lock, *request);
    if (!done && group->failed() == module) result = std::move(done);
  }
  if (!result) return std::move(result).error();
  return RestartOutcome::restarted;
}

}  // namespace

Result<RestartOutcome> restart_together(std::vector<std::shared_ptr<Module>> modules,
                                        const RestartOptions& options) {
  const auto unused = std::stable_partition(modules.begin(), modules.end(),
                                            [](const auto& module) { return module->in_use(); });
  auto outcome = restart_used({modules.begin(), unused}, options);
  if (!outcome) return outcome;
  std::for_each(unused, modules.end(), [](const auto& module) {
    ModuleLock lock(module->shared().mutex);
    if (!module->used()) module->restarts().release_unused(lock);
  });
  return outcome;
}

}  // namespace tenon::inline v0_1::detail
