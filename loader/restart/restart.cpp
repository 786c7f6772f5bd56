// SPDX-License-Identifier: BSL-1.0
#include "restart/restart.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/test_point.hpp"
#include "call/events.hpp"
#include "call/thread_records.hpp"
#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// Changes of instances are applied while the old generation serves, until few enough remain that
// creates hardly wait for them, or until the largest number of rounds.
constexpr std::size_t few_changes = 64;
constexpr int max_rounds = 10;

// Two writes within one tick of the clock of a file system, at most 10 ms, give a file the same
// time, so that a reader does not notice the second one.
constexpr auto settle_time = std::chrono::milliseconds(20);
constexpr int max_waits = 50;

/// Waits until the last write to a file is old enough that a write from now on changes its time.
void wait_for_writes(const std::filesystem::path& file) {
  for (int i = 0; i < max_waits; ++i) {
    const auto identity = platform::identity_of(file);
    if (!identity) return;
    const auto age = std::chrono::system_clock::now().time_since_epoch() -
                     std::chrono::nanoseconds(identity->modified);
    if (age >= settle_time || age < std::chrono::nanoseconds(0)) return;
    std::this_thread::sleep_for(settle_time - age);
  }
}

bool is_fault(RestartReason reason) {
  return reason != RestartReason::requested && reason != RestartReason::file_changed;
}

}  // namespace

Restart::Restart(const RestartParts& parts, std::shared_ptr<Restarts> owner,
                 std::shared_ptr<RestartRequest> request)
    : SupervisedWork(parts.state.context->restart.step_timeout),
      parts_(parts),
      owner_(std::move(owner)),
      state_(parts.state),
      request_(std::move(request)),
      serving_(state_.generation.get()),
      states_(state_.where) {}

std::shared_ptr<Restart> Restart::successor() const {
  auto next = std::make_shared<Restart>(parts_, owner_, request_);
  next->suspended_ = suspended_;
  next->blocks_creates_ = blocks_creates_;
  return next;
}

Result<void> Restart::run() {
  const Scope scope(*this);
  if (auto done = attempt(); !done) return fail(std::move(done).error());
  if (closed_at_ != Clock::time_point()) event_.calls_waited = Clock::now() - closed_at_;
  TENON_TEST_POINT("restart: served");
  if (next_.change != nullptr) next_.change->publish();
  return {};
}

RestartStep Restart::step() const {
  const auto time = Clock::now() - begun_;
  // At the end of time, each step is overdue.
  if (auto current = overdue(Clock::time_point::max())) {
    return {std::move(current->function), std::move(current->plugin), time};
  }
  if (draining_) return {"wait for calls", state_.manifest->name, time};
  return {.time = time};
}

void Restart::abandon() noexcept {
  abandoned_in_ = phase_.load();
  abandoned_.store(true);
  if (request_->group != nullptr) request_->group->give_up(state_);
}

Result<void> Restart::fail(Error error) {
  if (request_->group != nullptr) request_->group->give_up(state_);
  roll_back();
  Event failed;
  {
    const ModuleLock lock(state_.mutex);
    failed = state_.event(Event::Type::restart_failed);
  }
  failed.reason = request_->reason;
  failed.message = in_one_line(error);
  failed.load_time = event_.load_time;
  if (closed_at_ != Clock::time_point()) failed.calls_waited = Clock::now() - closed_at_;
  event_ = std::move(failed);
  return error;
}

/// Returns the event for when the new generation serves.
Event Restart::restarted_event() const {
  return {.type = Event::Type::restarted,
          .package = next_.manifest->name,
          .package_version = next_.manifest->version.to_string(),
          .generation = state_.generation_number + 1,
          .reason = request_->reason,
          .message = event_.message,
          .load_time = event_.load_time};
}

Event Restart::released_event() const {
  Event released = event_;
  released.type = Event::Type::released;
  return released;
}

Result<void> Restart::attempt() {
  const auto begun = Clock::now();
  if (auto allowed = check_switched_on(); !allowed) return allowed;
  if (auto allowed = check_reloadable(); !allowed) return allowed;
  if (request_->reason == RestartReason::file_changed) {
    const auto manifest = state_.manifest_now();
    const Step step(manifest->name, "read");
    wait_for_writes(state_.origin.file);
  }
  auto fresh = parts_.code.load(request_->options.force);
  if (!fresh) return std::move(fresh).error();
  next_ = std::move(*fresh);
  TENON_TEST_POINT("restart: loaded");
  if (abandoned()) return abandoned_error();
  for (int round = 0; round < max_rounds; ++round) {
    TENON_TEST_POINT("restart: round");
    const auto applied = apply_changes();
    if (!applied) return applied.error();
    if (*applied <= few_changes) break;
  }
  // The functions of other members that run until then end in time or are abandoned.
  if (auto all = arrive(RestartGroup::Stage::loaded); !all) return all;
  TENON_TEST_POINT("group: loaded");
  latest_ = deadline_ = Clock::now() + state_.context->restart.gate_timeout;
  // Until then, other members whose functions hang are abandoned.
  if (request_->group != nullptr) latest_ += 2 * SupervisedWork::grace;
  event_.load_time = Clock::now() - begun;
  if (auto blocked = block_creates(); !blocked) return blocked;
  return switch_over();
}

/// Returns an error if an operator has switched the package off. After a fault the instances that
/// exist stay in use.
Result<void> Restart::check_switched_on() const {
  if (is_fault(request_->reason)) return {};
  const auto services = state_.context->host.services();
  if (services == nullptr) return state_.refused("the host has ended");
  return services->check_restart(*state_.manifest_now(), state_.origin.file);
}

/// Refuses code that cannot be unloaded and would stay mapped after each restart.
Result<void> Restart::check_reloadable() const {
  const ReloadSafety* flaw = serving_ != nullptr ? serving_->not_reloadable() : nullptr;
  if (flaw == nullptr || request_->options.force) return {};
  return Error({.code = "not-reloadable",
                .where = flaw->file.string(),
                .found = flaw->symbol + ": " + flaw->reason,
                .needed = "code that the system can unload",
                .fix = flaw->fix + "; or force, and its code stays mapped"});
}

/// Returns the result of an abandoned restart, which is not used.
Error Restart::abandoned_error() const {
  return Error({.code = "restart-failed",
                .status = TENON_DEADLINE_EXCEEDED,
                .message = "a function of the plugin did not return in time"});
}

// -- Instances ----------------------------------------------------------------

/// Returns the instances in the order of their creation, so that an instance comes before those
/// that it has created.
std::vector<RestartMember> Restart::members() const {
  std::vector<RestartMember> members;
  {
    const ModuleLock lock(state_.mutex);
    members.reserve(state_.instances.count());
    state_.instances.visit([&](const LiveInstance& one) {
      members.push_back({one.index(), one.serial(), one.spec().kind->session});
    });
  }
  if (!std::ranges::is_sorted(members, {}, &RestartMember::serial)) {
    std::ranges::sort(members, {}, &RestartMember::serial);
  }
  return members;
}

bool Restart::moves_state(const RestartMember& member) const {
  return serving_ != nullptr && !request_->options.discard_state &&
         serving_->objects().saves_state(member.index);
}

bool Restart::has_state() const {
  return std::any_of(members_.begin(), members_.end(),
                     [&](const RestartMember& member) { return moves_state(member); });
}

std::vector<LiveInstances::Change> Restart::take_changes() {
  const ModuleLock lock(state_.mutex);
  if (abandoned()) return {};
  return state_.instances.take_changes();
}

/// Returns whether the new generation has the object of an instance.
bool Restart::is_made(const RestartMember& member) const {
  return member.index < made_.size() && made_[member.index].serial == member.serial;
}

/// Applies the changes of instances since the last time to the new generation. Returns their
/// number.
Result<std::size_t> Restart::apply_changes() {
  const auto changes = take_changes();
  for (const auto& [index, record] : changes) {
    if (is_built(index, record)) continue;
    // A session is closed before the next one begins.
    if (record.serial != 0 && record.spec->kind->session && !handed_over_) {
      sessions_.push_back(index);
      continue;
    }
    if (auto done = apply(index, record); !done) return std::move(done).error();
    if (abandoned()) return abandoned_error();
  }
  return changes.size();
}

/// Returns whether a generation that does not serve has created the instance. If that is the new
/// one, the object is complete. Otherwise the restart of that generation was given up, and its code
/// releases the instance when it returns.
bool Restart::is_built(std::uint32_t index, const InstanceRecord& record) {
  if (record.serial == 0) return false;
  {
    const ModuleLock lock(state_.mutex);
    const LiveInstance* instance = state_.instances.find(index);
    if (instance == nullptr || instance->serial() != record.serial) return false;
    if (instance->builder() == nullptr) return false;
    if (instance->builder() != next_.generation.get()) next_.generation->objects().reserve(index);
  }
  if (made_.size() <= index) made_.resize(index + 1);
  made_[index] = record;
  return true;
}

Result<void> Restart::apply(std::uint32_t index, const InstanceRecord& record) {
  if (made_.size() <= index) made_.resize(index + 1);
  InstanceRecord& made = made_[index];
  if (made.serial != 0 && made.serial != record.serial) {
    made = {};
    next_.generation->remove(index);
  }
  if (record.serial == 0) return {};
  if (made.serial == 0) {
    if (auto added = next_.generation->add(index, *record.spec); !added) return added;
    made = record;
  } else if (made.configured == record.configured) {
    return {};
  }
  made.configured = record.configured;
  if (record.config == nullptr || abandoned()) return {};
  const ObjectPin object(*next_.generation, index);
  return object ? object->configure(*record.config) : Result<void>();
}

// -- Switching over -----------------------------------------------------------

/// Waits for the other members of the group, if there is one.
Result<void> Restart::arrive(RestartGroup::Stage stage) {
  if (request_->group == nullptr) return {};
  return request_->group->arrive(state_, stage, latest_);
}

/// Stops creates until the module serves again.
Result<void> Restart::block_creates() {
  set_limit(deadline_ + SupervisedWork::grace);
  {
    const ModuleLock lock(state_.mutex);
    if (abandoned()) return abandoned_error();
    if (state_.shut_down) return state_.refused("the host has ended");
    state_.block_creates(latest_);
    blocks_creates_ = true;
  }
  parts_.hangs.watch(shared_from_this(), deadline_ + SupervisedWork::grace);
  return {};
}

/// Creates that have entered the old generation before the freeze may still add instances, so each
/// round decides again whether there is something to hand over.
Result<void> Restart::switch_over() {
  for (;;) {
    if (auto applied = apply_changes(); !applied) return std::move(applied).error();
    if (!handed_over_) {
      members_ = members();
      session_ = !sessions_.empty();
      if (serving_ == nullptr || session_ || has_state()) {
        if (auto handed_over = hand_over(); !handed_over) return handed_over;
        continue;
      }
      if (auto all = arrive(RestartGroup::Stage::drained); !all) return all;
      TENON_TEST_POINT("group: drained");
      std::erase_if(members_, [this](const RestartMember& one) { return !is_made(one); });
      states_.add_unsaved(members_);  // the others follow in the next round
    }
    if (auto restored = restore_states(); !restored) return restored;
    const auto published = publish();
    if (!published) return published.error();
    if (*published) return {};
  }
}

/// Closes the gate, saves the state and suspends the sessions of the old generation, if there is
/// one. After that, sessions can begin in the new one.
Result<void> Restart::hand_over() {
  if (serving_ != nullptr) {
    if (auto closed = block_calls(); !closed) return closed;
    // Threads inside other versions may have created instances until all were drained.
    if (request_->group != nullptr) members_ = members();
    session_ = std::ranges::any_of(members_, &RestartMember::session);
    if (auto saved = save_states(); !saved) return saved;
    TENON_TEST_POINT("restart: saved");
    if (session_) {
      if (auto suspended = suspend(); !suspended) return suspended;
    }
  }
  states_.add_unsaved(members_);
  handed_over_ = true;
  const ModuleLock lock(state_.mutex);
  if (abandoned()) return abandoned_error();
  state_.instances.touch(sessions_);
  return {};
}

/// Makes new calls wait, and waits for the end of calls in progress.
Result<void> Restart::block_calls() {
  closed_at_ = Clock::now();
  if (request_->group != nullptr) request_->group->drain(state_, *serving_);
  {
    const ModuleLock lock(state_.mutex);
    if (abandoned()) return abandoned_error();
    state_.calls.close();
    if (session_) state_.calls.interrupting.store(true);
  }
  if (session_) interrupt_calls(state_.calls, *serving_);
  if (auto left = drain_old(); !left) return left;
  // Creates and calls that had entered before may have left more instances and streams.
  members_ = members();
  if (!serving_->streams().empty()) {
    if (auto left = drain_old(); !left) return left;
  }
  if (request_->group != nullptr) request_->group->drained(state_);
  return arrive(RestartGroup::Stage::drained);
}

/// Revokes the streams of the members that change, and waits until no thread is in the old
/// generation.
Result<void> Restart::drain_old() {
  for (const RestartMember& member : members_) {
    if (member.session || moves_state(member)) serving_->streams().revoke(member.index);
  }
  draining_.store(true);
  const Drain threads = wait_until_empty(state_.calls, *serving_, deadline_);
  draining_.store(false);
  if (threads == Drain::empty) return {};
  if (threads == Drain::unknown) {
    return Error({.code = "restart-failed",
                  .status = TENON_UNAVAILABLE | TENON_RETRYABLE,
                  .message =
                      "the system refused the memory barrier (membarrier) that shows whether "
                      "calls have ended; the next restart works without it",
                  .where = state_.where});
  }
  return Error({.code = "restart-failed",
                .status = TENON_DEADLINE_EXCEEDED,
                .message = "a call into the module did not end in time",
                .where = state_.where});
}

Result<void> Restart::save_states() {
  if (!has_state()) return {};
  const auto from = state_.manifest_now();
  if (auto begun = states_.begin(*from, *next_.manifest); !begun) return begun;
  phase_.store(Phase::saving);
  for (const RestartMember& member : members_) {
    auto saved = states_.save(*serving_, member, deadline_);
    if (abandoned()) return abandoned_error();
    if (saved) continue;
    if (!is_fault(request_->reason)) return saved;
    // A module that failed may not be able to save its state.
    event_.message = "the state was lost: " + in_one_line(saved.error());
    state_.context->log->write(LogLevel::warn, event_.message);
  }
  phase_.store(Phase::filling);
  return {};
}

Result<void> Restart::suspend() {
  phase_.store(Phase::suspending);
  for (const RestartMember& member : members_) {
    {
      const ModuleLock lock(state_.mutex);
      if (abandoned()) return abandoned_error();
      suspended_.push_back(member.index);
    }
    auto done = [&] {
      const ObjectPin object(*serving_, member.index);
      return object ? object->suspend(deadline_) : Result<void>();
    }();
    if (abandoned()) return abandoned_error();
    if (!done) return done;
  }
  phase_.store(Phase::filling);
  return {};
}

Result<void> Restart::restore_states() {
  for (const StateTransfer::Saved& saved : states_.take()) {
    if (!is_made(saved.member)) continue;
    auto restored = states_.restore(*next_.generation, saved, deadline_);
    if (abandoned()) return abandoned_error();
    if (!restored) return restored;
  }
  return {};
}

/// Makes the new generation serve. Returns false if an instance has changed meanwhile, which must
/// be applied first. Fails after the deadline if calls have waited, or creates would wait longer.
Result<bool> Restart::publish() {
  TENON_TEST_POINT("restart: applied");
  const GenerationGuard guard(*next_.generation);  // for late changes
  Generation& published = *next_.generation;
  {
    const ModuleLock lock(state_.mutex);
    if (abandoned()) return abandoned_error();
    const bool changed = state_.instances.has_changes();
    if ((changed || closed_at_ != Clock::time_point()) && Clock::now() > deadline_) {
      return Error(
          {.code = "restart-failed",
           .status = TENON_DEADLINE_EXCEEDED,
           .message = "the module was not ready in time, and calls or creates waited for it",
           .where = state_.where});
    }
    if (changed) return false;
    Event restarted = restarted_event();
    auto place = parts_.retired.prepare_to_retire(Event::Type::drained);
    if (request_->group != nullptr) {
      ended_late_.reserve(made_.size());
      configured_late_.reserve(made_.size());
      state_.seal();
      {
        const ModuleUnlock unlocked(state_.mutex);
        if (auto all = arrive(RestartGroup::Stage::ready); !all) return std::move(all).error();
        TENON_TEST_POINT("restart: ready");
      }
      if (abandoned()) return abandoned_error();  // the host has ended
      take_late_changes();
    }
    commit(std::move(restarted), std::move(place));
  }
  apply_late_changes(published, guard);
  return true;
}

/// Cannot fail.
void Restart::commit(Event restarted, RetiredGenerations::Place place) noexcept {
  old_ = parts_.retired.retire_serving(std::move(place));
  if (old_ != nullptr) old_->claim_by_this_thread();  // drains it after publishing
  event_ = std::move(restarted);
  blocks_creates_ = false;
  state_.instances.visit([](LiveInstance& instance) {
    // The new code has begun the sessions of its own instances.
    if (instance.spec().kind->session && instance.builder() == nullptr) instance.make_stale();
  });
  if (!is_fault(request_->reason)) released_ = parts_.faults.release();
  suspended_.clear();
  // Functions of a package that requires no other can use only builtins.
  leaves_thread_clean_ =
      next_.generation->leaves_threads_clean() && next_.manifest->requirements.empty();
  owner_->make_serve(std::move(next_));
}

void Restart::apply_late_changes(Generation& published, const GenerationGuard& guard) {
  for (const PluginObject& object : ended_late_) published.destroy(object, guard);
  for (const auto& [index, record] : configured_late_) {
    const ObjectPin object(published, index);
    if (!object) continue;
    if (auto done = object->configure(*record.config); !done) {
      state_.context->log->write(LogLevel::warn, in_one_line(done.error()));
    }
  }
}

/// Collects what has changed while this restart waited for the group: instances may be released,
/// and threads in a generation without a gate may configure.
void Restart::take_late_changes() noexcept {
  if (!state_.instances.has_changes()) return;
  for (std::uint32_t index = 0; index < made_.size(); ++index) {
    const InstanceRecord& made = made_[index];
    if (made.serial == 0) continue;
    const LiveInstance* instance = state_.instances.find(index);
    if (instance == nullptr || instance->serial() != made.serial) {
      ended_late_.push_back(next_.generation->objects().extract(index, true));
    } else if (InstanceRecord record = instance->record(); record.configured != made.configured) {
      configured_late_.emplace_back(index, std::move(record));
    }
  }
}

void Restart::roll_back() noexcept {
  if (!std::exchange(blocks_creates_, false)) return;
  const Scope scope(*this);
  set_limit(Clock::time_point::max());
  std::vector<std::uint32_t> suspended;
  {
    const ModuleLock lock(state_.mutex);
    if (abandoned()) return;
    phase_.store(Phase::suspending);
    suspended.swap(suspended_);
  }
  for (const std::uint32_t index : suspended) {
    if (serving_ == nullptr || serving_->broken()) break;
    const ObjectPin object(*serving_, index);
    if (!object) continue;
    if (auto resumed = object->resume(); !resumed) {
      state_.context->log->write(LogLevel::warn, in_one_line(resumed.error()));
    }
    if (abandoned()) return;
  }
  phase_.store(Phase::filling);
  const ModuleLock lock(state_.mutex);
  if (!abandoned()) state_.serve_again();
}

}}}  // namespace tenon::v0_1::detail
