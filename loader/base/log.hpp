// SPDX-License-Identifier: BSL-1.0
//
// Where lines of the log go: to the sink of the host, otherwise to standard error.
#pragma once

#include <tenon/log.hpp>

#include <chrono>
#include <functional>
#include <string_view>
#include <utility>

#include "base/callback_gate.hpp"
#include "base/fork.hpp"

namespace tenon::detail {

/// The log of one host and its modules, which may outlive the host. Thread-safe. Never called while
/// a lock of the loader is held: the sink may call the host.
class Log {
 public:
  using Sink = std::function<void(const LogLine&)>;

  explicit Log(LogLevel level, Sink sink = {}) : level_(level), sink_(std::move(sink)) {}

  bool wants(LogLevel level) const noexcept { return level >= level_; }
  /// Sets the time of the line. What the sink does not take goes to standard error: lines from
  /// inside the sink, of forked children, from after the end of the host, and those at which the
  /// sink throws.
  void write(LogLine line) noexcept;
  /// The same for a line of the host itself.
  void write(LogLevel level, std::string_view message) noexcept {
    write({.level = level, .message = message});
  }

  /// From now on the sink is not called any more; see CallbackGate::close.
  bool close(std::chrono::steady_clock::time_point deadline) noexcept {
    return sink_gate_.close(deadline);
  }

 private:
  bool call_sink(const LogLine& line);

  const LogLevel level_;
  const Sink sink_;
  const platform::ProcessMark process_;
  CallbackGate sink_gate_;
};

/// Of calls that no module makes and no host knows.
Log& log_without_host();

/// Of the process, to standard error.
void log_warning(std::string_view message) noexcept;
void log_fatal(std::string_view message) noexcept;

}  // namespace tenon::detail
