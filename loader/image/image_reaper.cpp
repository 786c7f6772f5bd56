// SPDX-License-Identifier: BSL-1.0
#include "image/image_reaper.hpp"

#include <algorithm>

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// Polling, because the end of a thread may release an image without any notification.
constexpr auto initial_backoff = std::chrono::milliseconds(10);
constexpr auto max_pause = std::chrono::milliseconds(5000);

}  // namespace

void ImageReaper::schedule() noexcept {
  if (!scheduled_.exchange(true)) sweep_after(initial_backoff);
}

void ImageReaper::sweep_after(std::chrono::milliseconds pause) noexcept {
  try {
    timers_->at(TimerQueue::Clock::now() + pause, [weak = weak_from_this(), pause] {
      const auto reaper = weak.lock();
      if (reaper == nullptr) return true;
      // Destructors of images may take long.
      return reaper->workers_->run([reaper, pause] { reaper->sweep(pause); }).has_value();
    });
  } catch (const std::bad_alloc&) {
    scheduled_.store(false);  // the next call of `schedule` may have enough memory
  }
}

void ImageReaper::sweep(std::chrono::milliseconds pause) {
  images_->sweep();
  scheduled_.store(false);
  if (images_->lingering() == 0 || scheduled_.exchange(true)) return;
  sweep_after(std::min(2 * pause, max_pause));
}

}}}  // namespace tenon::v0_1::detail
