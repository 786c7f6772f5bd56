// SPDX-License-Identifier: BSL-1.0
#include "module/image_reaper.hpp"

#include <algorithm>

namespace tenon::detail {
namespace {

// The end of a thread lets an image go, and nobody tells of that.
constexpr auto first_pause = std::chrono::milliseconds(10);
constexpr auto longest_pause = std::chrono::milliseconds(5000);

}  // namespace

void ImageReaper::look_soon() noexcept {
  if (!due_.exchange(true)) look_in(first_pause);
}

void ImageReaper::look_in(std::chrono::milliseconds pause) noexcept {
  keeper_->at(Keeper::Clock::now() + pause, [weak = weak_from_this(), pause] {
    const auto reaper = weak.lock();
    if (reaper == nullptr) return;
    reaper->images_->sweep();
    reaper->due_.store(false);
    if (reaper->images_->lingering() == 0 || reaper->due_.exchange(true)) return;
    reaper->look_in(std::min(2 * pause, longest_pause));
  });
}

}  // namespace tenon::detail
