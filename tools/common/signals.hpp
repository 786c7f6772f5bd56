// SPDX-License-Identifier: BSL-1.0
//
// Handles signals of the operator: SIGINT and SIGTERM stop the process, SIGHUP reloads modules
// whose files have changed. Windows has the first two, see worker.hpp.
#pragma once

#include <functional>
#include <thread>

#include "common/worker.hpp"

namespace tenon::tools {

/// Handles the signals to a supervised program (worker.hpp), one at a time, from construction to
/// destruction. Earlier ones are handled first.
class SignalWatch {
 public:
  /// Gets the number of the signal, and whether it is the second one. After the call for the second
  /// one the process exits with status 128 + number.
  using Stop = std::function<void(int number, bool again)>;

  /// Both functions are called on a thread of the SignalWatch. Throws std::system_error.
  SignalWatch(Stop stop, std::function<void()> hang_up);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  void run();

  const Stop stop_;
  const std::function<void()> hang_up_;
  SignalReader signals_;
  std::thread thread_;
};

}  // namespace tenon::tools
