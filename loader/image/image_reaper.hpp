// SPDX-License-Identifier: BSL-1.0
//
// Removes the copies of images that stayed mapped after they were unloaded, when they are unmapped.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "base/timer_queue.hpp"
#include "base/workers.hpp"
#include "image/image.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Sweeps the image directory on a worker until no image lingers. Thread-safe.
class ImageReaper : public std::enable_shared_from_this<ImageReaper> {
 public:
  ImageReaper(std::shared_ptr<ImageDirectory> images, std::shared_ptr<TimerQueue> timers,
              std::shared_ptr<Workers> workers)
      : images_(std::move(images)), timers_(std::move(timers)), workers_(std::move(workers)) {}

  /// Schedules sweeps. Called after an image stayed mapped.
  void schedule() noexcept;

 private:
  void sweep_after(std::chrono::milliseconds pause) noexcept;
  void sweep(std::chrono::milliseconds pause);

  const std::shared_ptr<ImageDirectory> images_;
  const std::shared_ptr<TimerQueue> timers_;
  const std::shared_ptr<Workers> workers_;
  std::atomic<bool> scheduled_{false};
};

}}}  // namespace tenon::v0_1::detail
