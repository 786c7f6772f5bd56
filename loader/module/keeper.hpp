// SPDX-License-Identifier: BSL-1.0
//
// The thread in the background of a host: it restarts modules that asked for it from inside their
// own calls, waits out pauses, and looks after generations that calls have not left yet.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace tenon::detail {

/// Thread-safe. Its thread begins with the first task; tasks run one at a time, when they are due.
class Keeper {
 public:
  using Clock = std::chrono::steady_clock;

  Keeper();
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  /// False after `stop`: the task is dropped.
  bool at(Clock::time_point when, std::function<void()> task);
  bool soon(std::function<void()> task) { return at(Clock::now(), std::move(task)); }

  /// Drops what is not yet due and waits for the task that runs, unless it is called from there.
  void stop() noexcept;

 private:
  struct State;
  static void run(State& state);

  // Shared with the thread, which may end its own Keeper: a task may let go of the last owner.
  std::shared_ptr<State> state_;
};

}  // namespace tenon::detail
