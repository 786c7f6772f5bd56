// SPDX-License-Identifier: BSL-1.0
//
// Requests to running hosts of this user, through their sockets; see loader/guide/control.md.
#pragma once

#include <tenon/result.hpp>

#include <boost/json.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/local_socket.hpp"

namespace tenon::command {

/// A connection to a host. Belongs to one thread at a time.
class ControlClient {
 public:
  using Clock = std::chrono::steady_clock;

  /// Connects to a host. Errors: those of SocketDirectory::connect.
  static Result<ControlClient> connect(const platform::SocketDirectory& directory,
                                       const platform::SocketName& host,
                                       std::chrono::milliseconds timeout);

  const platform::SocketName& host() const noexcept { return host_; }

  /// Sends a request without waiting for the reply. `request` has the keys besides the version.
  /// Errors: no-reply.
  Result<void> send(boost::json::object request);
  /// Waits for the reply to a request. Errors: that of the host; no-reply, if the timeout since the
  /// connection has passed, or the host has ended; wrong-value, if the reply cannot be understood.
  Result<boost::json::object> reply();
  /// Waits for the next message. Returns an empty object if the host has ended. Errors: no-reply,
  /// at the deadline; wrong-value.
  Result<boost::json::object> next_message(Clock::time_point deadline = Clock::time_point::max());
  /// Makes the functions above return `no-reply` once a handle can be read; -1: none.
  void stop_at(std::intptr_t handle) noexcept { stop_ = handle; }
  /// Ends the requests. The host sends what is left of a trace, and ends the connection.
  void end_sending() noexcept { socket_.end_writing(); }

 private:
  ControlClient(platform::LocalSocket socket, platform::SocketName host,
                std::chrono::milliseconds timeout)
      : socket_(std::move(socket)),
        host_(host),
        timeout_(timeout),
        deadline_(Clock::now() + timeout) {}

  /// Returns false if the host has ended.
  Result<bool> read_line(std::string& line, Clock::time_point deadline);
  bool wait(bool to_write, Clock::time_point deadline) const;
  bool must_stop() const;
  Error no_reply() const;
  Error bad_reply(std::string found) const;

  platform::LocalSocket socket_;
  platform::SocketName host_;
  std::chrono::milliseconds timeout_;
  Clock::time_point deadline_;
  std::string in_;
  std::intptr_t stop_ = -1;
};

/// Connects to a host, eg: "1234", or "1234.2" if the process has several. Errors: bad-reference,
/// if the text is no host; not-found, if there is none or if it is ambiguous; those of
/// ControlClient::connect.
Result<ControlClient> connect_to_host(const std::string& text, std::chrono::milliseconds timeout);

/// Connects to all hosts of this user. Adds the errors of those that accept no connection.
std::vector<ControlClient> connect_to_all(std::chrono::milliseconds timeout,
                                          std::vector<Error>& errors);

/// Sends one request to a host and returns its reply. Errors: those of connect_to_host, `send` and
/// `reply`.
Result<boost::json::object> ask_host(const std::string& host, boost::json::object request,
                                     std::chrono::milliseconds timeout);

// A host of another version may leave a member out, or give it another type.

std::string_view text_of(const boost::json::object& object, std::string_view key);
std::uint64_t number_of(const boost::json::object& object, std::string_view key);
double real_of(const boost::json::object& object, std::string_view key);
bool flag_of(const boost::json::object& object, std::string_view key);
const boost::json::object& object_of(const boost::json::object& object, std::string_view key);
/// Returns the elements that are objects.
std::vector<const boost::json::object*> objects_of(const boost::json::object& object,
                                                   std::string_view key);

/// Returns an error that a host has sent.
Error error_of(const boost::json::object& sent);

/// Returns a duration such as "5s" or "250ms".
std::string time_text(std::chrono::milliseconds time);
/// Return a duration such as "850 us" or "12 ms", and a bound of TimedCalls such as "64 ns".
std::string microseconds_text(std::uint64_t time);
std::string nanoseconds_text(std::uint64_t time);
/// Returns a number with at most 6 digits after the point, eg: "12" or "0.25".
std::string real_text(double value);

}  // namespace tenon::command
