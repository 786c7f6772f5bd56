// SPDX-License-Identifier: BSL-1.0
//
// The requests of control clients to a host.
#pragma once

#include <tenon/events.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/workers.hpp"
#include "control/control_events.hpp"
#include "control/control_server.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

class HostCore;

/// Serves control clients. Its threads keep the memory of the core alive, but are no users of the
/// host: the destruction of the host does not wait for requests in progress, as for automatic
/// restarts. Thread-safe.
class HostControl {
 public:
  using Clock = std::chrono::steady_clock;

  HostControl() : events_(std::make_shared<ControlEvents>()) {}

  /// Returns a listener that passes events to the clients and then to `listener`.
  std::function<void(const Event&)> listener(std::function<void(const Event&)> listener) const;
  /// Starts to serve. Errors: those of ControlServer::start; control-refused, in a process with the
  /// privileges of another user. REQUIRED: called once, before the functions below.
  Result<void> start(const std::weak_ptr<HostCore>& core);
  /// Ends the connections, after those requests that are handled at once. Returns false if the
  /// thread has not ended by the deadline.
  bool stop(Clock::time_point deadline) noexcept;
  /// Waits until requests in progress have ended, and abandons them at the deadline. Those that
  /// wait for the calling thread are abandoned at once.
  void stop_jobs(Clock::time_point deadline) noexcept;

 private:
  struct Job;
  using Reply = ControlServer::Reply;

  void handle(const std::shared_ptr<HostCore>& core, const ControlRequest& request,
              const Reply& reply);
  Result<void> begin(Job job);
  ControlTrace trace(const std::weak_ptr<HostCore>& core) const;
  std::string status(const HostCore& core, const Reply& reply) const;
  void restart(const Job& job, json::Writer& out) const;
  void restart(HostCore& core, const std::string& package, json::Writer& out) const;

  const std::shared_ptr<ControlEvents> events_;
  const Clock::time_point started_ = Clock::now();
  Workers jobs_;
  std::unique_ptr<ControlServer> server_;
};

}}}  // namespace tenon::v0_1::detail
