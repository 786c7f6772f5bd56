// SPDX-License-Identifier: BSL-1.0
#include "framework/window.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/test_point.hpp"

namespace tenon::tests {
namespace {

std::mutex mutex;
std::vector<Window*> windows;  // those that are open, under the mutex

}  // namespace

void reach(std::string_view point) noexcept {
  std::function<void()> actor;
  {
    const std::lock_guard lock(mutex);
    const auto window = std::ranges::find_if(
        windows, [&](const Window* one) { return one->point_ == point && !one->reached_; });
    if (window == windows.end()) return;
    (*window)->reached_ = true;
    actor = std::move((*window)->actor_);
  }
  actor();
}

Window::Window(std::string_view point, std::function<void()> actor)
    : point_(point), actor_(std::move(actor)) {
  const std::lock_guard lock(mutex);
  windows.push_back(this);
}

Window::~Window() {
  const std::lock_guard lock(mutex);
  std::erase(windows, this);
}

bool Window::reached() const {
  const std::lock_guard lock(mutex);
  return reached_;
}

}  // namespace tenon::tests
