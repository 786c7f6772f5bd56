// SPDX-License-Identifier: BSL-1.0
//
// The threads of a host for work that may take long or hang: restarts, and unloading generations.
#pragma once

#include <tenon/result.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Runs jobs on background threads. Thread-safe. A thread_local object of a plugin keeps the code
/// of the plugin loaded until the thread ends, so no thread is reused for long.
class Workers {
 public:
  using Clock = std::chrono::steady_clock;

  Workers();
  /// Detaches threads that have not finished.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Runs a job on a thread of its own, which ends with the job. After `stop` the job is dropped.
  /// Errors: no-thread.
  Result<void> run(std::function<void()> job);
  /// Runs a job on an idle thread, or on a new one, which is reused for one second. A job returns
  /// false if it may have left a thread_local object of a plugin; then its thread ends.
  Result<void> run_reusing_thread(std::function<bool()> job);
  /// Waits for the threads of all jobs, except one that calls this. Returns the number of threads
  /// that have not ended by the deadline, and detaches them. Threads that destroy thread_local
  /// objects after their jobs get half a second in any case.
  std::size_t stop(Clock::time_point deadline) noexcept;

 private:
  struct State;

  Result<void> start(std::function<bool()> job);

  const std::shared_ptr<State> state_;  // shared with the threads
};

}}}  // namespace tenon::v0_1::detail
