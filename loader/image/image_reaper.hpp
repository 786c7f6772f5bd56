// SPDX-License-Identifier: BSL-1.0
//
// Looks again and again at images that were unloaded and stayed mapped, until they are gone.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "base/timer_queue.hpp"
#include "base/workers.hpp"
#include "image/image.hpp"

namespace tenon::detail {

/// Thread-safe.
class ImageReaper : public std::enable_shared_from_this<ImageReaper> {
 public:
  ImageReaper(std::shared_ptr<ImageFolder> images, std::shared_ptr<TimerQueue> timers,
              std::shared_ptr<Workers> workers)
      : images_(std::move(images)), timers_(std::move(timers)), workers_(std::move(workers)) {}

  /// Called when an image stayed mapped.
  void look_soon() noexcept;

 private:
  void look_in(std::chrono::milliseconds pause);
  void look(std::chrono::milliseconds pause);

  const std::shared_ptr<ImageFolder> images_;
  const std::shared_ptr<TimerQueue> timers_;
  const std::shared_ptr<Workers> workers_;
  std::atomic<bool> due_{false};
};

}  // namespace tenon::detail
