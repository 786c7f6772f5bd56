// SPDX-License-Identifier: BSL-1.0
//
// Restarts the modules whose files have changed, while the pipeline runs.
#pragma once

#include "common/console.hpp"

#include <tenon/host.hpp>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace pipeline {

/// Works on a thread of its own, since a restart waits for calls to end.
class Restarts {
 public:
  /// Both live longer.
  Restarts(tenon::Host& host, tenon::tools::Console& console);
  ~Restarts();
  Restarts(const Restarts&) = delete;
  Restarts& operator=(const Restarts&) = delete;

  /// Asks for it; several times before it begins are once. From any thread.
  void request();

 private:
  void run();
  void restart_changed();

  tenon::Host& host_;
  tenon::tools::Console& console_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool requested_ = false;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace pipeline
