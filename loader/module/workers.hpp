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

/// Thread-safe. Each job has a thread of its own, which ends with it: what a plugin keeps for the
/// thread that created its instances (thread_local) does not keep its code loaded.
class Workers {
 public:
  using Clock = std::chrono::steady_clock;

  Workers();
  /// Lets threads that have not finished run on their own.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Starts a job. After `stop` it is dropped. Errors: no-thread.
  Result<void> run(std::function<void()> job);
  /// Waits for the jobs, except one that the caller itself runs in. Returns how many had not
  /// finished by the deadline; their threads are detached.
  std::size_t stop(Clock::time_point deadline) noexcept;

 private:
  struct State;
  const std::shared_ptr<State> state_;  // shared with the threads
};

}  // namespace tenon::detail
