// SPDX-License-Identifier: BSL-1.0
//
// Where what happens to modules is told: to the log, and to the host that wants to hear.
#pragma once

#include <tenon/events.hpp>
#include <tenon/result.hpp>

#include <functional>
#include <string>
#include <utility>

namespace tenon::detail {

/// What an event says of an error: all of it, in one line.
std::string in_one_line(const Error& error);

/// Thread-safe. Never called while a lock of the loader is held: the listener may ask the host.
class Events {
 public:
  explicit Events(std::function<void(const Event&)> listener) : listener_(std::move(listener)) {}

  /// An exception of the listener ends here and is logged. `answered`: whoever asked for what
  /// happened hears of it, so the log need not.
  void tell(const Event& event, bool answered = false) const noexcept;

 private:
  const std::function<void(const Event&)> listener_;
};

}  // namespace tenon::detail
