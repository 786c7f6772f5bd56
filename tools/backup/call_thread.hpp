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

/// Runs bodies, one at a time, each of which makes calls. Belongs to one thread, except for the
/// functions that `canceller` returns.
class Lane {
 public:
  class Turn;
  using Body = std::function<void(Turn&)>;

  Lane();
  /// Ends the thread. A body that has not returned is cancelled first, and left behind if it does
  /// not return then.
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Runs a body that makes calls one after the other. REQUIRED: the body before has returned.
  void start(Body body);
  /// Waits until the body has returned. Returns false if it was left behind, and the thread with
  /// it, because a call was late: it had not returned some time after its deadline, or some seconds
  /// after it was cancelled. The body must own what it uses: its call may return some day. Another
  /// one cannot begin, and nothing can be started. Throws what the body threw.
  bool finish();
  /// Waits until the body has returned, or until `until`. Returns whether it has returned. Throws
  /// what the body threw.
  bool wait_until(std::chrono::steady_clock::time_point until);
  /// Returns a function that cancels the call under way, and all that the body would make after it.
  /// It may be called from any thread, also when the Lane is gone.
  std::function<void()> canceller() const;

 private:
  struct State;

  static void serve(const std::shared_ptr<State>& state);
  bool leave_if_late();

  const std::shared_ptr<State> state_;
  std::thread thread_;
};

/// Begins the calls of a body. Belongs to the thread of the Lane.
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
