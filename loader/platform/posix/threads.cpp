// SPDX-License-Identifier: BSL-1.0
#include "base/threads.hpp"

#include <pthread.h>

#include <memory>

namespace tenon::inline v0_1::platform {

bool join_if_ended(std::thread& thread) noexcept {
  if (pthread_tryjoin_np(thread.native_handle(), nullptr) != 0) return false;
  // std::thread cannot know that its thread was joined, and its destructor would end the process.
  std::construct_at(&thread);
  return true;
}

}  // namespace tenon::inline v0_1::platform
