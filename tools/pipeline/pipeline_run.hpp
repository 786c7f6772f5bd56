// SPDX-License-Identifier: BSL-1.0
//
// Runs a pipeline in several attempts, each with new plugins and a new Engine, as long as its
// errors are transient.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine.hpp"

namespace pipeline {

/// Exit statuses of the program.
enum Exit { done = 0, failed = 1, wrong_usage = 2, io_failed = 3 };

/// A pipeline of this process.
class PipelineRun {
 public:
  /// All arguments must outlive the object.
  PipelineRun(tenon::Host& host, const PipelineFile& file, PositionStore& store,
              const Messages& messages)
      : host_(host), file_(file), store_(store), messages_(messages) {}

  /// Runs until the source ends, `stop` is called, or a permanent error occurs. After a transient
  /// error it waits, creates the plugins again and resumes. Errors are reported. Called once.
  Exit run(Stages first);

  /// See the Engine for these three. They may be called from any thread.
  void stop();
  void abandon();
  void await_teardown(std::chrono::steady_clock::time_point deadline) const;

  /// Returns the progress of all attempts together. May be called from any thread.
  Counts counts() const;

 private:
  std::vector<tenon::Error> attempt(Stages& stages);
  std::optional<Stages> recreate_stages();
  void set_creating(std::shared_ptr<OpenCalls> calls);
  bool wait(std::chrono::milliseconds time);
  bool is_stopped() const;
  bool is_abandoned() const;
  std::shared_ptr<Engine> engine() const;

  tenon::Host& host_;
  const PipelineFile& file_;
  PositionStore& store_;
  const Messages& messages_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Engine> engine_;       // of the current attempt
  std::shared_ptr<OpenCalls> creating_;  // while the plugins of the next attempt are created
  Counts earlier_;                       // of previous attempts
  bool stopped_ = false;
  bool abandoned_ = false;
};

}  // namespace pipeline
