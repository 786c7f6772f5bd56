// SPDX-License-Identifier: BSL-1.0
#include "platform/thread_exit.hpp"

#include <pthread.h>

#include <type_traits>

namespace tenon { inline namespace v0_1 { namespace platform {

static_assert(std::is_same_v<pthread_key_t, unsigned>);

// The system calls the destructors of keys after those of thread_local objects, and repeats this
// while a destructor sets a key again (at most PTHREAD_DESTRUCTOR_ITERATIONS rounds).
ThreadExit::ThreadExit(void (*handler)(void*)) noexcept
    : valid_(pthread_key_create(&key_, handler) == 0) {}

void ThreadExit::arm(void* argument) const noexcept {
  if (valid_) pthread_setspecific(key_, argument);
}

void ThreadExit::end() noexcept {
  if (valid_) pthread_key_delete(key_);
  valid_ = false;
}

}}}  // namespace tenon::v0_1::platform
