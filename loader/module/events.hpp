// SPDX-License-Identifier: BSL-1.0
//
// Where events of modules are reported: to the log, and to the listener of the host.
#pragma once

#include <tenon/events.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/callback_gate.hpp"
#include "base/log.hpp"

namespace tenon::detail {

/// All of an error's text, in one line, as events quote it.
std::string in_one_line(const Error& error);

/// Thread-safe. Never called while a lock of the loader is held: the listener may call the host, or
/// destroy it.
class Events {
 public:
  Events(std::shared_ptr<Log> log, std::function<void(const Event&)> listener)
      : log_(std::move(log)), listener_(std::move(listener)) {}

  /// Logs the event and calls the listener. An exception of the listener is logged. `answered`: the
  /// caller of the host gets the same as an error, so that a warning in the log would repeat it.
  void tell(const Event& event, bool answered = false) noexcept;

  /// From now on the listener is not called any more; see CallbackGate::close.
  bool close(std::chrono::steady_clock::time_point deadline) noexcept {
    return listener_gate_.close(deadline);
  }

 private:
  const std::shared_ptr<Log> log_;
  const std::function<void(const Event&)> listener_;
  CallbackGate listener_gate_;
};

}  // namespace tenon::detail
