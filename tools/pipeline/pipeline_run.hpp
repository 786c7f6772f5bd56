// SPDX-License-Identifier: BSL-1.0
//
// Runs a pipeline in several attempts, each with new plugins and a new Engine, as long as its
// errors are transient.
#pragma once

#include <tenon/mutex.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "engine.hpp"
#include "figures.hpp"

namespace pipeline {

/// Exit statuses of the program.
enum Exit { done = 0, failed = 1, wrong_usage = 2, io_failed = 3 };

/// The time that plugins get for their teardown when their methods were cancelled.
inline constexpr std::chrono::seconds longest_teardown(3);

/// A pipeline of this process.
class PipelineRun {
 public:
  /// All arguments must outlive the object.
  PipelineRun(tenon::Host& host, const PipelineFile& file, PositionStore& store,
              const Messages& messages)
      : host_(host), file_(file), store_(store), messages_(messages), figures_(host, file.name) {}

  /// Runs until the source ends, `stop` is called, or a permanent error occurs. After a transient
  /// error it waits, creates the plugins again and resumes. Errors are reported. Called once.
  void run(Stages first) noexcept;

  /// Waits until `run` ends, and returns the exit status. Returns nothing if it gave up because
  /// there was no progress, and still waits for a method. The process has to exit after that. May
  /// be called from any thread.
  std::optional<Exit> await_end();

  /// See the Engine for these three. They may be called from any thread.
  void stop();
  void abandon();
  void await_teardown(std::chrono::steady_clock::time_point deadline) const;

  /// Returns the progress of all attempts together. May be called from any thread.
  Counts counts() const;

 private:
  Exit run_attempts(Stages first);
  void give_up(const tenon::Error& error);
  std::vector<tenon::Error> attempt(Stages& stages);
  std::optional<Stages> recreate_stages();
  void set_creating(std::shared_ptr<OpenCalls> calls);
  bool wait(std::chrono::milliseconds time);
  bool is_stopped() const TENON_EXCLUDES(mutex_);
  bool is_abandoned() const TENON_EXCLUDES(mutex_);
  std::shared_ptr<Engine> engine() const TENON_EXCLUDES(mutex_);

  tenon::Host& host_;
  const PipelineFile& file_;
  PositionStore& store_;
  const Messages& messages_;
  Figures figures_;
  mutable tenon::sync::Mutex mutex_;
  tenon::sync::ConditionVariable changed_;
  std::shared_ptr<Engine> engine_ TENON_GUARDED_BY(mutex_);  // of the current attempt
  // While the plugins of the next attempt are created.
  std::shared_ptr<OpenCalls> creating_ TENON_GUARDED_BY(mutex_);
  Counts earlier_ TENON_GUARDED_BY(mutex_);  // of previous attempts
  bool stopped_ TENON_GUARDED_BY(mutex_) = false;
  bool abandoned_ TENON_GUARDED_BY(mutex_) = false;
  bool given_up_ TENON_GUARDED_BY(mutex_) = false;
  std::optional<Exit> exit_ TENON_GUARDED_BY(mutex_);  // when `run` has ended
};

}  // namespace pipeline
