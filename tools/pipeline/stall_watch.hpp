// SPDX-License-Identifier: BSL-1.0
//
// Reports that a pipeline makes no progress, and ends it if that lasts too long.
#pragma once

#include <tenon/mutex.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "messages.hpp"
#include "open_calls.hpp"

namespace pipeline {

/// The times without progress after which a pipeline acts.
struct StallLimits {
  std::chrono::nanoseconds report_after = std::chrono::seconds(30);
  std::optional<std::chrono::nanoseconds> fail_after;  // absent: never
};

/// A plugin that the pipeline waits for.
struct Stall {
  std::string plugin;
  /// eg: "next_acks has not acknowledged the record at position "7""
  std::string problem;
  std::chrono::nanoseconds lasted;
};

/// Returns the calls that have lasted for `time` or longer, except those that wait for records.
std::vector<Stall> stalls(const OpenCalls& calls, std::chrono::nanoseconds time);

/// Watches a pipeline on a thread of its own, from construction to destruction.
class StallWatch {
 public:
  /// Returns the stalls that have lasted for `time` or longer.
  using Find = std::function<std::vector<Stall>(std::chrono::nanoseconds time)>;
  /// Ends the pipeline. Called at most once.
  using GiveUp = std::function<void(const tenon::Error& error)>;

  /// All arguments must outlive the object. Stalls are reported when they have lasted for
  /// `report_after`, and again each time that this time has doubled. The functions are called on
  /// the thread of the StallWatch. Throws std::system_error.
  StallWatch(const StallLimits& limits, const Messages& messages, Find find, GiveUp give_up);
  ~StallWatch();
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;

 private:
  void run();
  void report() TENON_EXCLUDES(mutex_);
  void check_limit() TENON_EXCLUDES(mutex_);

  const StallLimits limits_;
  const Messages& messages_;
  const Find find_;
  const GiveUp give_up_;
  std::chrono::nanoseconds next_report_;
  bool given_up_ = false;
  tenon::sync::Mutex mutex_;
  tenon::sync::ConditionVariable changed_;
  bool ended_ TENON_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace pipeline
