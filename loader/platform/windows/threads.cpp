// SPDX-License-Identifier: BSL-1.0
#include "base/threads.hpp"

#include <pthread.h>

#include <memory>
#include <utility>

#include "base/own_library.hpp"
#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

// Windows cancels no threads, and threads have no signal mask.
NoCancellation::NoCancellation() noexcept {
  static_cast<void>(before_);
}

NoCancellation::~NoCancellation() = default;

std::thread start_thread(std::function<void()> body) {
  return std::thread(std::move(body));
}

std::thread start_internal_thread(std::function<void()> body) {
  return std::thread(std::move(body));
}

namespace {

/// Makes an object represent no thread, because the destructor of one that does ends the process.
/// `failed`: other code has detached the thread, which may still run.
void forget(std::thread& thread, bool failed) noexcept {
  if (failed) leave_library_loaded();
  std::construct_at(&thread);
}

}  // namespace

// Not _pthread_tryjoin: winpthreads frees what a thread uses when its body has returned, and the
// destructors of its thread_local objects then wait for ever.
bool join_if_ended(std::thread& thread) noexcept {
  const HANDLE handle = pthread_gethandle(thread.native_handle());
  if (handle != nullptr && WaitForSingleObject(handle, 0) == WAIT_TIMEOUT) return false;
  join(thread);
  return true;
}

void join(std::thread& thread) noexcept {
  forget(thread, pthread_join(thread.native_handle(), nullptr) != 0);
}

void detach(std::thread& thread) noexcept {
  forget(thread, pthread_detach(thread.native_handle()) != 0);
}

}}}  // namespace tenon::v0_1::platform
