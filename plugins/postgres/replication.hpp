// SPDX-License-Identifier: BSL-1.0
//
// The replication protocol: the server sends its log, and the client confirms positions in it.
#pragma once

#include <tenon/mutex.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "connection.hpp"
#include "position.hpp"
#include "slot.hpp"

namespace tenon::postgres {

/// Computes the position up to which the log can be confirmed. Thread-safe.
class Progress {
 public:
  /// Starts after the record with a position, or from the start if it is empty.
  explicit Progress(const std::string& position) : produced_(position) { acknowledged(position); }

  /// Sets the position that the server has stored as confirmed.
  void confirmed(Lsn end);
  /// Sets the position of the last record that was produced.
  void produced(std::string position);
  /// Notes that all records up to a position are acknowledged.
  void acknowledged(std::string_view position);
  /// Notes that all records of the log up to `end` were produced.
  void received(Lsn end);

  /// Returns the position up to which the log is no longer needed.
  Lsn confirmed() const;

 private:
  mutable sync::Mutex mutex_;
  std::string produced_ TENON_GUARDED_BY(mutex_);
  std::string acknowledged_ TENON_GUARDED_BY(mutex_);
  Lsn confirmed_ TENON_GUARDED_BY(mutex_) = 0;
  Lsn received_ TENON_GUARDED_BY(mutex_) = 0;
};

/// Data from the server: a message of pgoutput, or a keepalive, which reports that the log up to
/// `end` has no further messages.
struct LogData {
  CopyData data;
  std::string_view message;  // refers to `data`; empty for a keepalive
  Lsn end = 0;
  bool wants_reply = false;
};

/// Reads the log from a slot. A background thread confirms the log, also while nothing is read.
class LogStream {
 public:
  /// Starts at `start`, or at the confirmed position of the slot if that is later. `progress` must
  /// outlive the stream.
  LogStream(const std::string& url, const WaitLimits& limits, const Slot& slot, Lsn start,
            const Progress& progress);
  /// Confirms the log a last time. Waits up to a second until the server has read that.
  ~LogStream();
  LogStream(const LogStream&) = delete;
  LogStream& operator=(const LogStream&) = delete;

  /// Returns the next data if they have arrived. Does not wait.
  std::optional<LogData> take();
  /// Waits until the server sends something.
  void wait(const WaitLimits& limits) const;
  /// Sends the confirmed position to the server.
  void confirm();

 private:
  void send_status(bool request_reply) TENON_REQUIRES(mutex_);
  void keep_confirming();

  const std::string action_;
  const Duration interval_;
  const Progress& progress_;
  sync::Mutex mutex_;
  Connection connection_;  // written and read under the mutex; waits need none
  Lsn sent_ TENON_GUARDED_BY(mutex_) = 0;
  sync::ConditionVariable stopped_changed_;
  bool stopped_ TENON_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace tenon::postgres
