// SPDX-License-Identifier: BSL-1.0
//
// Reports calls of a module that did not end by their deadline.
#pragma once

#include <tenon/events.hpp>

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "base/lock_order.hpp"
#include "code/generation.hpp"
#include "state/module_state.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The generations of a module that no longer serve.
class DrainingGenerations {
 public:
  using Visit = std::function<void(const Generation&, const Event&)>;
  /// Visits those that calls may be in and that have an event, with the event.
  virtual void visit(const Visit& visit) const TENON_REQUIRES(module_lock) = 0;

 protected:
  ~DrainingGenerations() = default;
};

/// Thread-safe. An overdue call is only reported: its caller or the plugin must end it.
class CallDeadlines {
 public:
  CallDeadlines(ModuleState& state, const DrainingGenerations& draining) noexcept
      : state_(state), draining_(draining) {}
  CallDeadlines(const CallDeadlines&) = delete;
  CallDeadlines& operator=(const CallDeadlines&) = delete;

  /// Ensures that calls are checked for missed deadlines at this time.
  void check_at(std::int64_t deadline) noexcept;

 private:
  void plan(std::int64_t deadline);
  bool lower_next(std::int64_t deadline) noexcept;
  bool check(std::int64_t deadline, std::vector<Event>& overdue);
  void find(std::vector<Event>& overdue);
  void add_overdue(std::vector<Event>& overdue, const Generation& generation, const Event& as,
                   std::int64_t& next) const TENON_REQUIRES(module_lock);

  ModuleState& state_;
  const DrainingGenerations& draining_;
  LeafMutex mutex_;
  std::vector<std::int64_t> timers_ TENON_GUARDED_BY(mutex_);  // the deadlines with a timer
};

}}}  // namespace tenon::v0_1::detail
