// SPDX-License-Identifier: BSL-1.0
//
// What the operator tells the process: SIGINT and SIGTERM to stop, SIGHUP to take over modules
// whose files have changed.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace tenon::tools {

/// Holds these signals back until a SignalWatch acts on them. Before any thread is started.
void hold_signals();

/// Acts on the signals that were held back, from construction to destruction. One at a time.
class SignalWatch {
 public:
  /// Gets the number of a signal to stop, and whether it is the second one. The process ends when
  /// that call has returned, with the status 128 + number.
  using Stop = std::function<void(int number, bool again)>;

  /// Both are called on a thread of the SignalWatch.
  SignalWatch(Stop stop, std::function<void()> hang_up);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  void run();

  const Stop stop_;
  const std::function<void()> hang_up_;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

}  // namespace tenon::tools
