// SPDX-License-Identifier: BSL-1.0
//
// Reports events of modules to the log, to a trace and to the listener of the host.
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
#include "call/call_trace.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the complete text of an error in one line, as events quote it.
std::string in_one_line(const Error& error);
/// Returns `event` as the report that `what` outlives the host of its module.
Event overdue(Event event, const char* what);

/// Thread-safe. Never called while a lock of the loader is held: the listener may call the host, or
/// destroy it.
class Events {
 public:
  Events(std::shared_ptr<Log> log, std::shared_ptr<CallTrace> trace,
         std::function<void(const Event&)> listener)
      : log_(std::move(log)), trace_(std::move(trace)), listener_(std::move(listener)) {}

  /// Logs and traces the event, and calls the listener. An exception of the listener is logged.
  /// `returned`: the caller of the host gets the same failure as an error, so that no warning is
  /// logged.
  void report(const Event& event, bool returned = false) noexcept;

  /// Stops calling the listener; see CallbackGate::close.
  bool close(std::chrono::steady_clock::time_point deadline) noexcept {
    return listener_gate_.close(deadline);
  }

 private:
  void call_listener(const Event& event);

  const std::shared_ptr<Log> log_;
  const std::shared_ptr<CallTrace> trace_;
  const std::function<void(const Event&)> listener_;
  CallbackGate listener_gate_;
};

}}}  // namespace tenon::v0_1::detail
