// SPDX-License-Identifier: BSL-1.0
//
// The threads of a host that run what may take long or hang: restarts, and the end of generations.
#pragma once

#include <tenon/result.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace tenon::detail {

/// Thread-safe. What a plugin keeps for a thread that ran its functions (thread_local) keeps its
/// code loaded until the thread ends; so no thread runs jobs for long.
class Workers {
 public:
  using Clock = std::chrono::steady_clock;

  Workers();
  /// Lets threads that have not finished run on their own.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Starts a job on a thread of its own, which ends with it. After `stop` it is dropped. Errors:
  /// no-thread.
  Result<void> run(std::function<void()> job);
  /// The same for short jobs that leave nothing of a plugin to their thread: it takes others of
  /// them for a second. A job returns whether it kept to that; otherwise the thread ends with it.
  Result<void> run_in_turn(std::function<bool()> job);
  /// Waits for the jobs, except one that the caller itself runs in. Returns how many had not
  /// finished by the deadline; their threads are detached.
  std::size_t stop(Clock::time_point deadline) noexcept;

 private:
  struct State;

  Result<void> start(std::function<bool()> job);

  const std::shared_ptr<State> state_;  // shared with the threads
};

}  // namespace tenon::detail
