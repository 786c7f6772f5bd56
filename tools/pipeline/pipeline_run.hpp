// SPDX-License-Identifier: BSL-1.0
//
// A pipeline from its start to its end: attempts, each with new plugins and an Engine, as long as
// their errors may pass.
#pragma once

#include "engine.hpp"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace pipeline {

/// Exit statuses of the program.
enum Exit { done = 0, failed = 1, wrong_usage = 2, environment_failed = 3 };

class PipelineRun {
 public:
  /// All of them live longer.
  PipelineRun(tenon::Host& host, const PipelineFile& file, PositionStore& store,
              const Messages& messages)
      : host_(host), file_(file), store_(store), messages_(messages) {}

  /// Runs until the source ends, somebody stops it, or an error occurs that does not pass. After
  /// one that may pass it waits, makes the plugins anew and resumes. Errors are reported. Once.
  Exit run(Stages first);

  /// These three are those of the Engine. From any thread.
  void stop();
  void abandon();
  void await_teardown(std::chrono::steady_clock::time_point deadline) const;

  /// How far all attempts came together. From any thread.
  Counts counts() const;

 private:
  std::vector<tenon::Error> attempt(Stages& stages);
  std::optional<Stages> make_stages();
  void set_making(std::shared_ptr<OpenCalls> calls);
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
  std::shared_ptr<Engine> engine_;     // of the attempt under way
  std::shared_ptr<OpenCalls> making_;  // of the plugins of the next attempt
  Counts earlier_;                     // of attempts before
  bool stopped_ = false;
  bool abandoned_ = false;
};

}  // namespace pipeline
