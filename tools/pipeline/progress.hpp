// SPDX-License-Identifier: BSL-1.0
//
// Shows on a terminal, a few times a second, how far a run is.
#pragma once

#include "console.hpp"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace pipeline {

/// Shows from construction to destruction. Does nothing where there is no terminal.
class Progress {
 public:
  /// `counts` is asked on a thread of the Progress.
  Progress(Console& console, std::function<Counts()> counts);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void run();

  Console& console_;
  const std::function<Counts()> counts_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace pipeline
