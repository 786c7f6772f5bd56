// SPDX-License-Identifier: BSL-1.0
//
// Writes the trace of a host into a file.
#pragma once

#include <tenon/result.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "base/internal_thread.hpp"
#include "base/log.hpp"
#include "call/call_trace.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The file is a JSON array. If the process is killed, the end of the array is missing, which
/// readers of the format accept.
class TraceFile {
 private:
  struct State;

 public:
  using Clock = std::chrono::steady_clock;

  /// Creates the file, begins the trace, and starts a thread that writes. If the file can no longer
  /// be written, that is logged and the trace ends. Errors: cannot-write, no-thread.
  static Result<std::unique_ptr<TraceFile>> create(const std::filesystem::path& path,
                                                   std::string app,
                                                   std::shared_ptr<CallTrace> trace,
                                                   std::shared_ptr<Log> log);
  /// Detaches the thread if it has not ended.
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Writes the rest and ends the trace. Waits until the deadline, and at least for half a second.
  /// Returns false if the thread has not ended by then.
  bool stop(Clock::time_point deadline) noexcept;

 private:
  explicit TraceFile(std::shared_ptr<State> state) : state_(std::move(state)) {}

  const std::shared_ptr<State> state_;  // shared with the thread, which may outlive the object
  InternalThread thread_;
};

}}}  // namespace tenon::v0_1::detail
