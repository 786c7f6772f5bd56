// SPDX-License-Identifier: BSL-1.0
//
// Shows the progress of a run on a terminal, a few times a second.
#pragma once

#include <tenon/mutex.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "common/console.hpp"

namespace tenon::tools {

/// Shows progress from construction to destruction. Does nothing if there is no terminal.
class Progress {
 public:
  /// Returns the line to show. `since` is the time since construction.
  using Line = std::function<std::string(std::chrono::duration<double> since)>;

  /// `line` is called on a thread of its own. If it throws, the previous line stays.
  Progress(Console& console, Line line);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void run();

  Console& console_;
  const Line line_;
  sync::Mutex mutex_;
  sync::ConditionVariable changed_;
  bool ended_ TENON_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace tenon::tools
