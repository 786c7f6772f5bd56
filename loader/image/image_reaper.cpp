// SPDX-License-Identifier: BSL-1.0
#include "image/image_reaper.hpp"

#include <algorithm>

namespace tenon::detail {
namespace {

// The end of a thread releases an image, and nothing reports that.
constexpr auto initial_backoff = std::chrono::milliseconds(10);
constexpr auto max_backoff = std::chrono::milliseconds(5000);

}  // namespace

void ImageReaper::look_soon() noexcept {
  if (due_.exchange(true)) return;
  try {
    look_in(initial_backoff);
  } catch (const std::bad_alloc&) {
    due_.store(false);  // the next who looks may have memory for it
  }
}

void ImageReaper::look_in(std::chrono::milliseconds pause) {
  timers_->at(TimerQueue::Clock::now() + pause, [weak = weak_from_this(), pause] {
    const auto reaper = weak.lock();
    if (reaper == nullptr) return;
    // An image that goes runs its destructors, which may take long.
    const auto started = reaper->workers_->run([reaper, pause] { reaper->look(pause); });
    if (!started) reaper->look_in(max_backoff);
  });
}

void ImageReaper::look(std::chrono::milliseconds pause) {
  images_->sweep();
  due_.store(false);
  if (images_->lingering() == 0 || due_.exchange(true)) return;
  look_in(std::min(2 * pause, max_backoff));
}

}  // namespace tenon::detail
