// SPDX-License-Identifier: BSL-1.0
//
// The protocol of replication: the server sends its log, and is told how far it is confirmed.
#pragma once

#include "connection.hpp"
#include "position.hpp"
#include "slot.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace tenon::postgres {

/// Knows how far the log can be confirmed. Its functions may be called from any thread.
class Progress {
 public:
  /// Starts after the record with a position; empty: from the start.
  explicit Progress(const std::string& position) : made_(position) { acknowledged(position); }

  /// Notes up to where the server has the log as confirmed.
  void confirmed(Lsn end);
  /// Notes the last record that was made.
  void made(std::string position);
  /// Notes that all records up to a position are acknowledged.
  void acknowledged(std::string_view position);
  /// Notes that the log up to `end` has no other records than those that were made.
  void seen(Lsn end);

  /// Returns the place up to which the log is not needed any more.
  Lsn confirmed() const;

 private:
  mutable std::mutex mutex_;
  std::string made_;
  std::string acknowledged_;
  Lsn confirmed_ = 0;
  Lsn seen_ = 0;
};

/// What the server sends: a message of pgoutput, or that the log goes on to `end` without one.
struct LogData {
  CopyData data;
  std::string_view message;  // refers to `data`; empty: a keepalive
  Lsn end = 0;
  bool wants_reply = false;
};

/// Reads the log from a slot. A thread tells the server how far it is confirmed, also while nobody
/// reads.
class LogStream {
 public:
  /// Starts at `start`, or where the slot is confirmed if that is later. `progress` must outlive
  /// the stream.
  LogStream(const std::string& url, const Patience& patience, const Slot& slot, Lsn start,
            const Progress& progress);
  /// Confirms a last time.
  ~LogStream();
  LogStream(const LogStream&) = delete;
  LogStream& operator=(const LogStream&) = delete;

  /// Returns what the server has sent; nothing if that is nothing. Does not wait.
  std::optional<LogData> take();
  /// Waits until the server sends something.
  void wait(const Patience& patience) const;
  /// Tells the server how far the log is confirmed.
  void confirm();

 private:
  void send_status(bool asks_for_reply);
  void keep_confirming();

  const std::string action_;
  const Duration interval_;
  const Progress& progress_;
  std::mutex mutex_;
  Connection connection_;  // writes and reads are guarded by mutex_
  Lsn sent_ = 0;
  std::condition_variable stopped_changed_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace tenon::postgres
