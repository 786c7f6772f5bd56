// SPDX-License-Identifier: BSL-1.0
//
// Restarts modules whose files have changed while the pipelines run.
#pragma once

#include <tenon/host.hpp>
#include <tenon/mutex.hpp>

#include <thread>

#include "common/console.hpp"

namespace pipeline {

/// Restarts modules on a thread of its own, because a restart waits for calls to return.
class Restarts {
 public:
  /// Both arguments must outlive the object.
  Restarts(tenon::Host& host, tenon::tools::Console& console);
  ~Restarts();
  Restarts(const Restarts&) = delete;
  Restarts& operator=(const Restarts&) = delete;

  /// Requests a restart of changed modules. Requests before it begins are merged. May be called
  /// from any thread.
  void request();

 private:
  void run();
  void restart_changed() TENON_EXCLUDES(mutex_);

  tenon::Host& host_;
  tenon::tools::Console& console_;
  tenon::sync::Mutex mutex_;
  tenon::sync::ConditionVariable changed_;
  bool requested_ TENON_GUARDED_BY(mutex_) = false;
  bool ended_ TENON_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace pipeline
