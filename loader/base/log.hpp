// SPDX-License-Identifier: BSL-1.0
//
// Writes log lines to the sink of the host, otherwise to standard error.
#pragma once

#include <tenon/log.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <string_view>
#include <utility>

#include "base/callback_gate.hpp"
#include "base/fork.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The log of one host and its modules; may outlive the host. Thread-safe. REQUIRED: the caller
/// holds no lock of the loader, because the sink may call the host.
class Log {
 public:
  using Sink = std::function<void(const LogLine&)>;

  explicit Log(LogLevel level, Sink sink = {}) : level_(level), sink_(std::move(sink)) {}

  bool wants(LogLevel level) const noexcept {
    return level >= level_.load(std::memory_order_relaxed);
  }
  void set_level(LogLevel level) noexcept { level_.store(level, std::memory_order_relaxed); }
  /// Sets the time of the line and writes it. Lines go to standard error if there is no sink, in
  /// forked children, after the host is destroyed, inside the sink, and if the sink throws.
  void write(LogLine line) noexcept;
  /// Writes a line of the host itself.
  void write(LogLevel level, std::string_view message) noexcept {
    write({.level = level, .message = message});
  }

  /// Stops calling the sink; see CallbackGate::close.
  bool close(std::chrono::steady_clock::time_point deadline) noexcept {
    return sink_gate_.close(deadline);
  }

 private:
  bool call_sink(const LogLine& line);

  std::atomic<LogLevel> level_;
  const Sink sink_;
  const platform::ProcessMark process_;
  CallbackGate sink_gate_;
};

/// Returns the log of calls that belong to no module and no host.
Log& log_without_host();

/// Write a line of the process to standard error.
void log_warning(std::string_view message) noexcept;
void log_fatal(std::string_view message) noexcept;

}}}  // namespace tenon::v0_1::detail
