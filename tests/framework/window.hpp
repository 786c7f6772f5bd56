// SPDX-License-Identifier: BSL-1.0
//
// Runs a second actor between two steps of the code under test, at a point of base/test_point.hpp.
// The program compiles the sources with the points a second time; see
// tests/integration/meson.build.
//
//   Window window("rescan: scanned", [&] { elsewhere([&] { host.restart(package); }); });
//   host.rescan();
//   EXPECT_TRUE(window.reached());
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace tenon::tests {

class Window {
 public:
  /// Runs the actor once, on the thread that reaches the point first.
  Window(std::string_view point, std::function<void()> actor);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Returns whether the actor has begun.
  bool reached() const;

 private:
  friend void reach(std::string_view point) noexcept;

  const std::string point_;
  std::function<void()> actor_;
  bool reached_ = false;
};

/// Runs an action on a thread of its own, and waits until it ends: the thread that reaches a point
/// may hold locks, and counts as inside of a plugin or a restart.
template <class Action>
void elsewhere(Action action) {
  std::thread(std::move(action)).join();
}

}  // namespace tenon::tests
