// SPDX-License-Identifier: BSL-1.0
//
// The thread of a host that serves control clients.
#pragma once

#include <tenon/result.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/internal_thread.hpp"
#include "control/control_events.hpp"
#include "control/control_messages.hpp"
#include "platform/local_socket.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// How many clients a server has, and what it tolerates of them.
struct ControlLimits {
  std::size_t clients = 16;
  /// Of one request, in bytes.
  std::size_t line = std::size_t{64} << 10;
  /// Of the events that wait for one client, in bytes. Further ones are lost. A client that has so
  /// much to read gets no more of a trace, whose records the host keeps up to a limit.
  std::size_t events = std::size_t{256} << 10;
  /// How long a client may send no request, and not read a reply.
  std::chrono::milliseconds patience{10'000};
};

/// The clients so far.
struct ControlCounts {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;    // there were too many
  std::uint64_t foreign = 0;    // of another user
  std::uint64_t malformed = 0;  // sent no JSON, or too long a line
  std::uint64_t silent = 0;     // sent no request
  std::uint64_t slow = 0;       // did not read
  std::uint64_t events_lost = 0;
};

/// The trace of a host, for one client at a time. The thread of the server calls the functions.
struct ControlTrace {
  /// Begins to record. Errors: in-use.
  std::function<Result<void>()> begin;
  /// Writes elements of an array: some of what was recorded since the last time. Returns their
  /// number, 0 if there are none. May be called after `end`, for the rest.
  std::function<std::size_t(json::Writer&)> write;
  std::function<void()> end;
};

/// Serves clients on a thread of its own, which never waits for one of them. A client sends one
/// request at a time.
class ControlServer {
 private:
  struct State;

 public:
  using Clock = std::chrono::steady_clock;

  /// Sends the reply to one request. May outlive the server, and then does nothing. Any thread.
  class Reply {
   public:
    void send(std::string line) const noexcept;

    // REQUIRED for the functions below: called by a handler.

    /// Returns the name of the socket, eg: "1234.1".
    std::string host() const;
    /// Returns the clients so far.
    ControlCounts counts() const noexcept;

   private:
    friend class ControlServer;
    Reply(std::weak_ptr<State> state, std::uint64_t client)
        : state_(std::move(state)), client_(client) {}

    std::weak_ptr<State> state_;
    std::uint64_t client_;
  };
  /// Handles a request on the thread of the server. It runs no code of plugins or of the program,
  /// and passes what may take long to a worker. One `send` of the reply must follow.
  using Handler = std::function<void(const ControlRequest&, const Reply&)>;

  /// Starts the thread. It replies to `events` itself, and to `trace` if there is one. Errors:
  /// those of SocketDirectory::open and SocketDirectory::listen, no-thread.
  static Result<std::unique_ptr<ControlServer>> start(std::shared_ptr<ControlEvents> events,
                                                      Handler handler,
                                                      const ControlLimits& limits = {},
                                                      ControlTrace trace = {});
  /// Detaches the thread if it has not ended.
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  /// Ends the thread, the connections and the socket. Waits until the deadline, and at least for
  /// half a second, unless the thread itself calls this. Returns false if it has not ended by then.
  bool stop(Clock::time_point deadline) noexcept;

 private:
  explicit ControlServer(std::shared_ptr<State> state) : state_(std::move(state)) {}

  const std::shared_ptr<State> state_;  // shared with the thread, which may outlive the server
  InternalThread thread_;
};

}}}  // namespace tenon::v0_1::detail
