// SPDX-License-Identifier: BSL-1.0
//
// Restarts of several versions of a package that succeed or fail together.
#pragma once

#include <tenon/restart.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/lock_order.hpp"
#include "call/thread_records.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

class ModuleState;
class Restarts;

/// Thread-safe. A worker restarts each member. The workers wait for each other: none closes its
/// gate, saves a state or publishes before all of them can. A worker that fails makes the others
/// fail, unless all are ready to publish, which cannot fail.
class RestartGroup {
 public:
  using Clock = std::chrono::steady_clock;

  /// How far the restart of a member is.
  enum class Stage {
    planned,
    begun,    // holds the lifecycle lock
    loaded,   // the new generation has its instances
    drained,  // no thread is in the old generation, or nothing is handed over
    ready,    // the restart can publish without fail
  };

  explicit RestartGroup(std::span<const std::shared_ptr<Restarts>> members);
  RestartGroup(const RestartGroup&) = delete;
  RestartGroup& operator=(const RestartGroup&) = delete;

  /// Waits until the members before this one have begun, so that two groups with the same members
  /// never wait for each other. Returns false if the group has failed.
  bool wait_for_turn(const ModuleState& member);
  /// Tells that a member has begun.
  void begin(const ModuleState& member) noexcept;
  /// Tells that a member has come to a stage, and waits for the others until the deadline. Errors:
  /// restart-failed, if another member fails or is late. After success for `ready`, the group does
  /// not fail.
  Result<void> arrive(const ModuleState& member, Stage stage, Clock::time_point deadline);
  /// Tells that a member is going to close the gate of its old generation, and then waits until no
  /// thread is in it.
  void drain(const ModuleState& member, const CallTargets& old) noexcept;
  /// Tells that no thread is in it.
  void drained(const ModuleState& member) noexcept;
  /// Makes the group fail, because this member has failed.
  void give_up(const ModuleState& member) noexcept;
  /// Removes a member that needs no restart.
  void leave(const ModuleState& member) noexcept;

  /// Returns whether a member waits until the calling thread has left its old generation. Other
  /// members must then let the thread in, and no thread that passes is in them once all members are
  /// drained: it leaves them first.
  bool waits_for_this_thread() const noexcept;
  /// Returns the member that has failed first; nullptr if none has.
  const ModuleState* failed() const noexcept;

 private:
  /// One module.
  struct Member {
    std::shared_ptr<Restarts> restarts;
    const ModuleState* state;
    Stage stage = Stage::planned;
    bool left = false;
    const CallTargets* old = nullptr;  // while it drains that
  };

  Member& find(const ModuleState& member) noexcept TENON_REQUIRES(mutex_);
  bool wait_for(const Member* end, Stage stage, Clock::time_point deadline) TENON_REQUIRES(mutex_);
  std::string names_before(Stage stage) const TENON_REQUIRES(mutex_);
  bool all_at(const Member* end, Stage stage) const noexcept TENON_REQUIRES(mutex_);
  void fail(const ModuleState& member) noexcept TENON_REQUIRES(mutex_);
  void abandon_overdue() noexcept;

  mutable Mutex mutex_{LockRank::restarting};
  Condition changed_;
  std::vector<Member> members_;  // the vector does not change
  const ModuleState* failed_ TENON_GUARDED_BY(mutex_) = nullptr;
};

/// Restarts the modules of these restarts together; see Host::restart. If that succeeds, also ends
/// the quarantine of those that are not loaded.
Result<RestartOutcome> restart_together(std::vector<std::shared_ptr<Restarts>> members,
                                        const RestartOptions& options);

}}}  // namespace tenon::v0_1::detail
