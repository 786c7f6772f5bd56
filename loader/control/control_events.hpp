// SPDX-License-Identifier: BSL-1.0
//
// The events of a host for control clients: those that a client subscribes to, and the last ones of
// each module.
#pragma once

#include <tenon/events.hpp>
#include <tenon/mutex.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace detail {

/// The events of one version of a package so far.
struct ModuleHistory {
  static constexpr std::size_t event_types =
      static_cast<std::size_t>(Event::Type::unload_prevented) + 1;

  std::array<std::uint64_t, event_types> counts{};
  /// The last failure; empty if there was none since the last restart or release.
  std::string last_failure = {};
  /// Of the last restart.
  std::chrono::nanoseconds load_time{0};
  std::chrono::nanoseconds calls_waited{0};

  std::uint64_t count(Event::Type type) const noexcept {
    return counts[static_cast<std::size_t>(type)];
  }
};

/// Thread-safe. No function waits for a client.
class ControlEvents {
 public:
  ControlEvents() noexcept;
  ~ControlEvents();
  ControlEvents(const ControlEvents&) = delete;
  ControlEvents& operator=(const ControlEvents&) = delete;

  /// Records an event, and queues it if there are subscribers. If 1,000 are queued, it is lost for
  /// them.
  void report(const Event& event) noexcept TENON_EXCLUDES(mutex_);
  ModuleHistory history(const std::string& package, const std::string& version) const
      TENON_EXCLUDES(mutex_);

  // For the server.

  /// An event of the system that is signalled when there is something to do.
  std::intptr_t wake() const noexcept { return wake_; }
  /// Events with their numbers, counted from 1, as JSON, and the number of those that were lost.
  struct Queue {
    std::deque<std::pair<std::uint64_t, std::string>> events;
    std::uint64_t lost = 0;
  };
  /// Queues events from now on. Returns the last 100.
  Queue subscribe() TENON_EXCLUDES(mutex_);
  /// Queues no more events.
  void unsubscribe() noexcept TENON_EXCLUDES(mutex_);
  /// Takes the queued events.
  Queue take() noexcept TENON_EXCLUDES(mutex_);

 private:
  const std::intptr_t wake_;
  mutable sync::Mutex mutex_;
  std::uint64_t last_number_ TENON_GUARDED_BY(mutex_) = 0;
  std::map<std::string, ModuleHistory, std::less<>> modules_ TENON_GUARDED_BY(mutex_);
  Queue recent_ TENON_GUARDED_BY(mutex_);
  bool subscribed_ TENON_GUARDED_BY(mutex_) = false;
  Queue queue_ TENON_GUARDED_BY(mutex_);
};

}}}  // namespace tenon::v0_1::detail
