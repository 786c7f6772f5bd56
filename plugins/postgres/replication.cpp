// SPDX-License-Identifier: BSL-1.0
#include "replication.hpp"

#include <algorithm>
#include <utility>

namespace tenon::postgres {
namespace {

using namespace std::chrono_literals;

void append_number(std::string& bytes, std::uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(number >> shift));
}

/// Returns the time in the format of the protocol: microseconds since 2000.
std::uint64_t time_of_server() {
  constexpr auto year_2000 = 946'684'800s;
  const auto now = std::chrono::system_clock::now().time_since_epoch() - year_2000;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

LogData read_log(CopyData data) {
  MessageReader reader(data.bytes());
  LogData log{std::move(data), {}, 0, false};
  switch (const std::uint8_t kind = reader.byte()) {
    case 'w':
      reader.int64();  // begin of the message
      log.end = reader.int64();
      reader.int64();  // time
      log.message = reader.rest();
      return log;
    case 'k':
      log.end = reader.int64();
      reader.int64();  // time
      log.wants_reply = reader.byte() != 0;
      return log;
    default:
      throw sdk::Failure(TENON_DATA_LOSS, "the server sent a replication message of unknown kind ",
                         int{kind});
  }
}

}  // namespace

void Progress::confirmed(Lsn end) {
  const sync::Lock lock(mutex_);
  confirmed_ = std::max(confirmed_, end);
}

void Progress::produced(std::string position) {
  const sync::Lock lock(mutex_);
  produced_ = std::move(position);
}

void Progress::acknowledged(std::string_view position) {
  const std::optional<Position> parsed = parse_position(position);
  const sync::Lock lock(mutex_);
  acknowledged_ = position;
  // The server sends a transaction again if its commit begins at the confirmed position.
  if (parsed && parsed->phase == Phase::stream) confirmed_ = std::max(confirmed_, parsed->lsn);
}

void Progress::received(Lsn end) {
  const sync::Lock lock(mutex_);
  received_ = std::max(received_, end);
}

Lsn Progress::confirmed() const {
  const sync::Lock lock(mutex_);
  return acknowledged_ == produced_ ? std::max(confirmed_, received_) : confirmed_;
}

LogStream::LogStream(const std::string& url, const WaitLimits& limits, const Slot& slot, Lsn start,
                     const Progress& progress)
    : action_("cannot read from replication slot " + slot.name),
      interval_(std::min<Duration>(limits.timeout / 3, 10s)),
      progress_(progress),
      connection_(url, limits, Connection::Protocol::replication) {
  connection_.fix_formats(limits, action_);
  connection_.begin_copy(limits, action_,
                         sdk::text("START_REPLICATION SLOT ", quoted_name(slot.name), " LOGICAL ",
                                   to_text(start), " (proto_version '1', publication_names ",
                                   quoted_text(quoted_name(slot.publication)), ")"));
  thread_ = std::thread([this] { keep_confirming(); });
}

LogStream::~LogStream() {
  {
    const sync::Lock lock(mutex_);
    stopped_ = true;
  }
  stopped_changed_.notify_one();
  thread_.join();
  send_status(false);
  connection_.try_end_copy(1s);
}

std::optional<LogData> LogStream::take() {
  const sync::Lock lock(mutex_);
  std::optional<CopyData> data = connection_.take_copy(action_);
  if (!data) return std::nullopt;
  return read_log(*std::move(data));
}

void LogStream::wait(const WaitLimits& limits) const {
  connection_.wait_for_input(limits);
}

void LogStream::confirm() {
  const sync::Lock lock(mutex_);
  send_status(false);
}

void LogStream::send_status(bool request_reply) {
  sent_ = progress_.confirmed();
  std::string status = "r";
  for (int i = 0; i < 3; ++i) append_number(status, sent_);  // written, flushed, applied
  append_number(status, time_of_server());
  status.push_back(request_reply ? '\1' : '\0');
  connection_.try_put_copy(status);
}

void LogStream::keep_confirming() {
  // The server replies to each status of this thread, so that a dead server is detected.
  const Duration pause = std::min<Duration>(interval_, 1s);
  auto next = std::chrono::steady_clock::now() + interval_;
  sync::Lock lock(mutex_);
  while (!stopped_changed_.wait_for(lock, pause,
                                    [this]() TENON_REQUIRES(mutex_) { return stopped_; })) {
    const bool is_due = std::chrono::steady_clock::now() >= next;
    if (!is_due && progress_.confirmed() == sent_) continue;
    send_status(true);
    next = std::chrono::steady_clock::now() + interval_;
  }
}

}  // namespace tenon::postgres
