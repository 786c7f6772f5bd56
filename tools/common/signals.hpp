// SPDX-License-Identifier: BSL-1.0
//
// Handles signals of the operator: SIGINT and SIGTERM stop the process, SIGHUP reloads modules
// whose files have changed.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace tenon::tools {

/// Blocks these signals until a SignalWatch handles them. Call it before any thread is started.
void hold_signals();

/// Handles the blocked signals, one at a time, from construction to destruction.
class SignalWatch {
 public:
  /// Gets the number of the signal, and whether it is the second one. After the call for the second
  /// one the process exits with status 128 + number.
  using Stop = std::function<void(int number, bool again)>;

  /// Both functions are called on a thread of the SignalWatch.
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
