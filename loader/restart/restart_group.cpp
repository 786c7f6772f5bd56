// SPDX-License-Identifier: BSL-1.0
#include "restart/restart_group.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/test_point.hpp"
#include "restart/restarts.hpp"
#include "state/module_state.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// How often a worker that waits looks for another one that hangs. Timers look, too, unless memory
// is exhausted.
constexpr auto look_interval = std::chrono::seconds(1);

}  // namespace

RestartGroup::RestartGroup(std::span<const std::shared_ptr<Restarts>> members) {
  members_.reserve(members.size());
  for (const auto& restarts : members) members_.push_back({restarts, &restarts->state()});
  // Two groups must have the same order.
  std::ranges::sort(members_, {}, &Member::state);
}

RestartGroup::Member& RestartGroup::find(const ModuleState& member) noexcept {
  return *std::ranges::find(members_, &member, &Member::state);
}

/// Returns whether the members before `end` have come to the stage or left.
bool RestartGroup::all_at(const Member* end, Stage stage) const noexcept {
  return std::all_of(members_.data(), end,
                     [stage](const Member& one) { return one.left || one.stage >= stage; });
}

/// Returns false if the group has failed, or if the deadline passes first. Releases the lock
/// meanwhile.
bool RestartGroup::wait_for(const Member* end, Stage stage, Clock::time_point deadline) {
  while (failed_ == nullptr && !all_at(end, stage)) {
    if (Clock::now() >= deadline) return false;
    const auto look = Clock::now() + look_interval;
    changed_.wait_until(mutex_, std::min(deadline, look));
    if (Clock::now() < look) continue;
    const sync::Unlock unlocked(mutex_);
    abandon_overdue();
  }
  return failed_ == nullptr;
}

void RestartGroup::abandon_overdue() noexcept {
  for (const Member& member : members_) member.restarts->abandon_overdue();
}

bool RestartGroup::wait_for_turn(const ModuleState& member) {
  const sync::Lock lock(mutex_);
  // Those that it waits for get their lock or fail in time; see TicketHold.
  return wait_for(&find(member), Stage::begun, Clock::time_point::max());
}

void RestartGroup::begin(const ModuleState& member) noexcept {
  const sync::Lock lock(mutex_);
  find(member).stage = Stage::begun;
  changed_.notify_all();
}

Result<void> RestartGroup::arrive(const ModuleState& member, Stage stage,
                                  Clock::time_point deadline) {
  const sync::Lock lock(mutex_);
  Member& one = find(member);
  one.stage = std::max(one.stage, stage);
  changed_.notify_all();
  if (wait_for(members_.data() + members_.size(), stage, deadline)) return {};
  const bool late = failed_ == nullptr;
  const std::string others = late ? names_before(stage) : failed_->where;
  if (late) fail(member);
  return Error({.code = "restart-failed",
                .status = late ? TENON_DEADLINE_EXCEEDED : TENON_ABORTED,
                .message = "another version of the package was not " +
                           std::string(late ? "ready in time" : "restarted") + ": " + others,
                .where = member.where});
}

/// Returns the files of the members that have not come to the stage.
std::string RestartGroup::names_before(Stage stage) const {
  std::string names;
  for (const Member& one : members_) {
    if (one.left || one.stage >= stage) continue;
    if (!names.empty()) names += ", ";
    names += one.state->where;
  }
  return names;
}

void RestartGroup::drain(const ModuleState& member, const CallTargets& old) noexcept {
  {
    const sync::Lock lock(mutex_);
    find(member).old = &old;
  }
  // Threads in the old generation may wait for other members already.
  for (const Member& one : members_) {
    { const ModuleLock lock(one.state->mutex); }
    one.restarts->state().changed.notify_all();
  }
}

void RestartGroup::drained(const ModuleState& member) noexcept {
  const sync::Lock lock(mutex_);
  find(member).old = nullptr;
}

void RestartGroup::fail(const ModuleState& member) noexcept {
  if (failed_ != nullptr || all_at(members_.data() + members_.size(), Stage::ready)) return;
  failed_ = &member;
  changed_.notify_all();
}

void RestartGroup::give_up(const ModuleState& member) noexcept {
  const sync::Lock lock(mutex_);
  fail(member);
}

void RestartGroup::leave(const ModuleState& member) noexcept {
  const sync::Lock lock(mutex_);
  find(member).left = true;
  changed_.notify_all();
}

bool RestartGroup::waits_for_this_thread() const noexcept {
  const sync::Lock lock(mutex_);
  return failed_ == nullptr && std::ranges::any_of(members_, [](const Member& one) {
           return one.old != nullptr && this_thread_has_entered(*one.old);
         });
}

const ModuleState* RestartGroup::failed() const noexcept {
  const sync::Lock lock(mutex_);
  return failed_;
}

namespace {

using Members = std::span<const std::shared_ptr<Restarts>>;

/// Plans a restart of each module if the calling thread is inside one of them.
bool schedule_inside(Members members, const RestartOptions& options) {
  const auto is_inside = [](const auto& restarts) {
    const ModuleLock lock(restarts->state().mutex);
    return restarts->is_inside();
  };
  if (std::ranges::none_of(members, is_inside)) return false;
  for (const auto& restarts : members) {
    const ModuleLock lock(restarts->state().mutex);
    restarts->plan(RestartReason::requested, options, RestartGroup::Clock::now());
  }
  return true;
}

Result<RestartOutcome> restart_used(Members members, const RestartOptions& options) {
  if (members.empty()) return RestartOutcome::not_loaded;
  if (members.size() == 1) return members[0]->request(RestartReason::requested, options);
  if (schedule_inside(members, options)) return RestartOutcome::scheduled;
  const auto group = std::make_shared<RestartGroup>(members);
  std::vector<std::pair<Restarts*, Restarts::RequestPtr>> begun;
  begun.reserve(members.size());
  Result<void> result;
  for (const auto& restarts : members) {
    const std::uint64_t count = [&] {
      const ModuleLock lock(restarts->state().mutex);
      return restarts->state().generation_number;
    }();
    auto request = restarts->begin(RestartReason::requested, options, true, count, group);
    if (request) {
      begun.emplace_back(restarts.get(), std::move(*request));
      TENON_TEST_POINT("group: begun");
      continue;
    }
    group->give_up(restarts->state());
    result = std::move(request).error();
    break;
  }
  for (const auto& [restarts, request] : begun) {
    auto done = restarts->wait_for(*request);
    if (!done && group->failed() == &restarts->state()) result = std::move(done);
  }
  if (!result) return std::move(result).error();
  return RestartOutcome::restarted;
}

bool is_used(const std::shared_ptr<Restarts>& restarts) {
  const ModuleLock lock(restarts->state().mutex);
  return restarts->state().used();
}

}  // namespace

Result<RestartOutcome> restart_together(std::vector<std::shared_ptr<Restarts>> members,
                                        const RestartOptions& options) {
  const auto unused = std::stable_partition(members.begin(), members.end(), is_used);
  auto outcome = restart_used({members.begin(), unused}, options);
  if (!outcome) return outcome;
  std::for_each(unused, members.end(), [](const auto& restarts) { restarts->release_unused(); });
  return outcome;
}

}}}  // namespace tenon::v0_1::detail
