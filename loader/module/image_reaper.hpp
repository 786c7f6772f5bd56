// SPDX-License-Identifier: BSL-1.0
//
// Looks again and again at images that were unloaded and stayed mapped, until they are gone.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "module/image.hpp"
#include "module/keeper.hpp"

namespace tenon::detail {

/// Thread-safe.
class ImageReaper : public std::enable_shared_from_this<ImageReaper> {
 public:
  ImageReaper(std::shared_ptr<ImageFolder> images, std::shared_ptr<Keeper> keeper)
      : images_(std::move(images)), keeper_(std::move(keeper)) {}

  /// An image stayed mapped.
  void look_soon() noexcept;

 private:
  void look_in(std::chrono::milliseconds pause) noexcept;

  const std::shared_ptr<ImageFolder> images_;
  const std::shared_ptr<Keeper> keeper_;
  std::atomic<bool> due_{false};
};

}  // namespace tenon::detail
