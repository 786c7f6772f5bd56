// SPDX-License-Identifier: BSL-1.0
//
// Where events of modules are reported: to the log, and to the listener of the host.
#pragma once

#include <tenon/events.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "module/lock_order.hpp"

namespace tenon::detail {

/// All of an error's text, in one line, as events quote it.
std::string in_one_line(const Error& error);

/// Thread-safe. Never called while a lock of the loader is held: the listener may call the host, or
/// destroy it.
class Events {
 public:
  explicit Events(std::function<void(const Event&)> listener) : listener_(std::move(listener)) {}

  /// Logs the event and calls the listener. An exception of the listener is logged. `answered`: the
  /// caller of the host gets the same as an error, so that a warning in the log would repeat it.
  void tell(const Event& event, bool answered = false) noexcept;

  /// From now on the listener is not called any more. Waits until it has returned on all other
  /// threads; false when it had not by the deadline.
  bool close(std::chrono::steady_clock::time_point deadline) noexcept;

 private:
  class Telling;

  const std::function<void(const Event&)> listener_;
  Mutex mutex_{LockRank::events};
  std::condition_variable_any changed_;
  bool closed_ = false;
  std::vector<std::thread::id> telling_;  // threads that are in the listener
};

}  // namespace tenon::detail
