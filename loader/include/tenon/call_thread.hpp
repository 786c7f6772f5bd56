// SPDX-License-Identifier: BSL-1.0
//
// tenon/call_thread.hpp: a thread for calls of plugins that may never return. Most programs use a
// Supervisor (tenon/supervisor.hpp), which runs single calls. A CallThread runs many calls without
// a switch of threads for each, and calls without a deadline, such as those that read a stream.
#pragma once

#include <tenon/call.hpp>
#include <tenon/detail/export.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace tenon { inline namespace v0_1 {

/// Runs tasks, one at a time. A task makes calls. Belongs to one thread, except for the functions
/// that `canceller` returns. In a forked child, it can only be destroyed.
class TENON_API CallThread {
 public:
  class Context;
  using Task = std::function<void(Context&)>;

  CallThread();
  /// Ends the thread. A task that is still running is cancelled, and abandoned if it does not
  /// return.
  ~CallThread();
  CallThread(const CallThread&) = delete;
  CallThread& operator=(const CallThread&) = delete;

  /// Runs a task that makes calls one after the other. The first task starts the thread. The task
  /// is destroyed on that thread. REQUIRED: the previous task has returned, and none was abandoned.
  /// Errors: no-thread, host-forked.
  Result<void> start(Task task);
  /// Waits until the task has returned. Abandons the task and its thread, and returns false, if a
  /// call has not returned 500 ms after its deadline or 5 s after it was cancelled. The call may
  /// still return later, so the task must own everything that it uses. An abandoned task cannot
  /// begin another call, and no other task can be started. Rethrows exceptions of the task.
  bool finish();
  /// Waits until the task has returned, or until `until`. Returns whether it has returned. Rethrows
  /// exceptions of the task.
  bool wait_until(std::chrono::steady_clock::time_point until);
  /// Returns a function that cancels the current call and prevents further calls of the task. It
  /// may be called from any thread, even after the CallThread was destroyed.
  std::function<void()> canceller() const;

 private:
  struct State;

  bool abandon_if_overdue();

  const std::shared_ptr<State> state_;
};

/// Starts the calls of a task. Belongs to the thread of the CallThread.
class TENON_API CallThread::Context {
 public:
  explicit Context(State& state) noexcept : state_(state) {}

  /// Returns the Call for the next call. It invalidates the previous one and its results. Returns
  /// nullptr if the task was cancelled or abandoned. Without a timeout there is no deadline.
  Call* begin(std::optional<std::chrono::nanoseconds> timeout = {});
  /// Waits for this time, or until the task is cancelled or abandoned.
  void pause(std::chrono::nanoseconds time);

 private:
  State& state_;
};

}}  // namespace tenon::v0_1
