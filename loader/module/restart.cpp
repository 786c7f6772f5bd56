// SPDX-License-Identifier: BSL-1.0
#include "module/restart.hpp"

#include <algorithm>
#include <utility>

#include "module/events.hpp"
#include "module/log.hpp"
#include "module/thread_records.hpp"

namespace tenon::detail {
namespace {

bool is_fault(RestartReason reason) {
  return reason == RestartReason::fatal_status || reason == RestartReason::exception ||
         reason == RestartReason::crash;
}

}  // namespace

Restart::Restart(Module& module, RestartReason reason, const RestartHow& how)
    : module_(module), reason_(reason), how_(how), serving_(module.generation_.get()) {}

Result<void> Restart::run() {
  const auto begun = Module::Clock::now();
  Result<void> done;
  bool stands = false;
  const auto attempt = [&]() -> Result<void> {
    if (auto allowed = check_reloadable(); !allowed) return allowed;
    auto fresh = module_.load();
    if (!fresh) return std::move(fresh).error();
    fresh_ = std::move(*fresh);
    // What has no session is made while the old generation serves.
    if (!has_session()) {
      if (auto made = catch_up(); !made) return made;
    }
    deadline_ = Module::Clock::now() + module_.context_.restart.gate;
    event_.loading = Module::Clock::now() - begun;
    if (auto still = module_.stand_still(deadline_); !still) return still;
    stands = true;
    return move_over();
  };
  done = attempt();
  if (!done && stands) go_back();
  if (closed_at_ != Module::Clock::time_point()) event_.closed = Module::Clock::now() - closed_at_;

  const auto so_far = event_;
  {
    std::lock_guard lock(module_.mutex_);
    event_ = module_.event(done ? Event::Type::restarted : Event::Type::restart_failed);
  }
  event_.reason = reason_;
  event_.message = done ? so_far.message : in_one_line(done.error());
  event_.loading = so_far.loading;
  event_.closed = so_far.closed;
  return done;
}

/// What cannot be unloaded would stay behind at each restart.
Result<void> Restart::check_reloadable() const {
  const Reload* flaw = serving_ != nullptr ? serving_->not_reloadable() : nullptr;
  if (flaw == nullptr || how_.insist) return {};
  return Error({.code = "not-reloadable",
                .where = flaw->file.string(),
                .found = flaw->symbol,
                .needed = "code that the system can unload",
                .fix = flaw->cure + "; or insist, and its code stays mapped"});
}

bool Restart::has_session() const {
  std::lock_guard lock(module_.mutex_);
  return std::any_of(module_.instances_.begin(), module_.instances_.end(),
                     [](const LiveInstance* instance) {
                       return instance != nullptr && instance->wanted().kind->session;
                     });
}

bool Restart::has_state() const {
  return serving_ != nullptr && !how_.discard_state &&
         std::any_of(made_.begin(), made_.end(), [&](const InstanceRecord& instance) {
           return serving_->saves_state(instance.index);
         });
}

/// Makes the instances in the new generation what they are in the old one, apart from state.
Result<void> Restart::catch_up() {
  const std::vector<InstanceRecord> now = module_.look();
  const auto same = [](const InstanceRecord& a) {
    return [&a](const InstanceRecord& b) { return a.serial == b.serial; };
  };
  // First what has ended: its index may have been taken by another.
  std::erase_if(made_, [&](const InstanceRecord& made) {
    const bool ended = std::none_of(now.begin(), now.end(), same(made));
    if (ended) fresh_.generation->remove(made.index);
    return ended;
  });
  for (const InstanceRecord& wanted : now) {
    const auto made = std::find_if(made_.begin(), made_.end(), same(wanted));
    if (made == made_.end()) {
      if (auto done = make(wanted); !done) return done;
    } else if (made->configured != wanted.configured) {
      if (auto done = fresh_.generation->configure(wanted.index, *wanted.config); !done) {
        return done;
      }
      *made = wanted;
    }
  }
  return {};
}

Result<void> Restart::make(const InstanceRecord& wanted) {
  if (auto made = fresh_.generation->add(wanted.index, wanted.wanted); !made) return made;
  made_.push_back(wanted);
  if (!wanted.config) return {};
  return fresh_.generation->configure(wanted.index, *wanted.config);
}

/// Everything that has to happen while no instance comes or goes. Only now is it known which there
/// are, and with a gate: in which state.
Result<void> Restart::move_over() {
  session_ = has_session();
  if (session_) {
    made_ = module_.look();
  } else if (auto made = catch_up(); !made) {
    return made;
  }
  if (serving_ != nullptr && (session_ || has_state())) {
    if (auto closed = close_gate(); !closed) return closed;
    if (auto saved = save_states(); !saved) return saved;
    if (session_) {
      if (auto let_go = suspend(); !let_go) return let_go;
    }
  }
  for (const InstanceRecord& instance : made_) {
    const auto of_it = [&](const Saved& saved) { return saved.index == instance.index; };
    if (std::none_of(saved_.begin(), saved_.end(), of_it)) saved_.push_back({instance.index, {}});
  }
  if (session_) made_.clear();
  do {
    if (auto made = catch_up(); !made) return made;
    if (auto restored = restore_states(); !restored) return restored;
    auto published = publish();
    if (!published) return std::move(published).error();
    if (*published) return {};
  } while (true);
}

/// From here on calls wait. Those that are inside go on to their end.
Result<void> Restart::close_gate() {
  closed_at_ = Module::Clock::now();
  {
    std::lock_guard lock(module_.mutex_);
    module_.current.store(&module_.gate_);
    if (session_) {
      module_.interrupting_ = true;
      for (Call* call : module_.blocking_) call->cancel(CancelReason::restart);
    }
  }
  for (const InstanceRecord& instance : made_) {
    if (instance.wanted.kind->session) serving_->leases().revoke(instance.index);
  }
  if (wait_until_left(module_, *serving_, deadline_)) return {};
  return Error({.code = "restart-failed",
                .status = TENON_DEADLINE_EXCEEDED,
                .message = "a call into the module did not end in time",
                .where = module_.where()});
}

Result<void> Restart::save_states() {
  if (how_.discard_state) return {};
  const Manifest from = module_.manifest();
  const auto forms = state_forms(from, fresh_.manifest);
  for (const InstanceRecord& instance : made_) {
    if (!serving_->saves_state(instance.index)) continue;
    if (!forms) {
      return Error({.code = "state-refused",
                    .where = module_.where(),
                    .found = "state in form " + known_forms(from),
                    .needed = "one that the new build reads: " + known_forms(fresh_.manifest),
                    .fix = "a build that reads it, or a restart that discards the state"});
    }
    state_forms_ = *forms;
    auto state = serving_->save_state(instance.index, *forms, deadline_);
    if (state) {
      saved_.push_back({instance.index, std::move(*state)});
    } else if (is_fault(reason_)) {
      // What failed so badly that it has to be replaced need not be able to say in which state.
      event_.message = "the state was lost: " + in_one_line(state.error());
      log_warning(event_.message);
    } else {
      return std::move(state).error();
    }
  }
  return {};
}

Result<void> Restart::suspend() {
  {
    std::lock_guard lock(module_.mutex_);
    if (!module_.still_) return {};  // too late; publish says so
    module_.suspended_ = true;
  }
  for (const InstanceRecord& instance : made_) {
    suspended_.push_back(instance.index);
    if (auto done = serving_->suspend(instance.index, deadline_); !done) return done;
  }
  return {};
}

Result<void> Restart::restore_states() {
  for (const Saved& saved : std::exchange(saved_, {})) {
    if (!saved.state && !fresh_.generation->restores_without_state(saved.index)) continue;
    if (!fresh_.generation->restores_state(saved.index)) {
      return Error({.code = "state-refused",
                    .where = module_.where(),
                    .found = "a build without restore_state",
                    .needed = "one that takes over the state of the instances",
                    .fix = "a build that has it, or a restart that discards the state"});
    }
    const Bytes* state = saved.state ? &*saved.state : nullptr;
    auto restored = fresh_.generation->restore_state(saved.index, state_forms_, state, deadline_);
    if (!restored) return restored;
  }
  return {};
}

/// False when something was configured meanwhile, and has to be made up for first.
Result<bool> Restart::publish() {
  std::lock_guard lock(module_.mutex_);
  const bool closed = closed_at_ != Module::Clock::time_point();
  if (!module_.still_ || (closed && Module::Clock::now() > deadline_)) {
    return Error({.code = "restart-failed",
                  .status = TENON_DEADLINE_EXCEEDED,
                  .message = "the module was not ready in time, and calls waited for it",
                  .where = module_.where()});
  }
  for (const InstanceRecord& made : made_) {
    if (module_.instances_[made.index]->configured_ != made.configured) return false;
  }
  for (LiveInstance* instance : module_.instances_) {
    if (instance != nullptr && instance->wanted().kind->session) instance->make_stale();
  }
  old_ = module_.adopt(std::move(fresh_));
  return true;
}

void Restart::go_back() noexcept {
  if (serving_ != nullptr && !serving_->broken()) {
    for (const std::uint32_t index : suspended_) {
      if (auto resumed = serving_->resume(index); !resumed) {
        log_warning(resumed.error().to_string());
      }
    }
  }
  std::lock_guard lock(module_.mutex_);
  module_.serve_again();
}

}  // namespace tenon::detail
