// SPDX-License-Identifier: BSL-1.0
//
// A thread for calls of plugins that may never return.
#pragma once

#include <tenon/call.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

namespace backup {

/// Belongs to one thread, what `canceller` returns excepted.
class Lane {
 public:
  class Turn;
  using Body = std::function<void(Turn&)>;

  Lane();
  /// Ends the thread. REQUIRED: the body has returned, or was left behind.
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Runs a body that makes calls one after the other. REQUIRED: the body before has returned.
  void start(Body body);
  /// Waits until the body has returned. Returns false if a call is late: it has not returned some
  /// time after its deadline, or some seconds after it was cancelled. Throws what the body threw.
  bool wait();
  /// The same, but returns false by `until` at the latest.
  bool wait_until(std::chrono::steady_clock::time_point until);
  /// Returns a function that cancels the call under way, and all that the body would make after it.
  /// It may be called from any thread, also when the Lane is gone.
  std::function<void()> canceller() const;
  /// Leaves the body behind if its call is late, and the thread with it: the body must own what it
  /// uses. The call may return some day; another one cannot begin, and nothing can be started.
  /// Returns false if the call is not late any more.
  bool leave();

 private:
  struct State;

  static void serve(const std::shared_ptr<State>& state);

  const std::shared_ptr<State> state_;
  std::thread thread_;
};

/// What a body makes its calls with. Belongs to the thread of the lane.
class Lane::Turn {
 public:
  explicit Turn(State& state) : state_(state) {}

  /// Begins a call; what it returned before is invalid. Returns nullptr if none may be made,
  /// because the lane was cancelled or left behind. Without a timeout there is no deadline.
  tenon::Call* begin(std::optional<std::chrono::nanoseconds> timeout = {});
  /// Waits for some time, or until the lane is cancelled or left behind.
  void pause(std::chrono::nanoseconds time);

 private:
  State& state_;
};

}  // namespace backup
