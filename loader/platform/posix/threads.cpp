// SPDX-License-Identifier: BSL-1.0
#include "base/threads.hpp"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include <memory>
#include <optional>
#include <utility>

#include "base/own_library.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

/// In an internal thread, the mask of the thread that started it.
thread_local std::optional<sigset_t> outer_mask;

/// The mask for new threads, until this is destroyed.
class MaskForThreads {
 public:
  explicit MaskForThreads(const sigset_t& mask) noexcept {
    pthread_sigmask(SIG_SETMASK, &mask, &own_);
  }
  ~MaskForThreads() { pthread_sigmask(SIG_SETMASK, &own_, nullptr); }
  MaskForThreads(const MaskForThreads&) = delete;
  MaskForThreads& operator=(const MaskForThreads&) = delete;

  /// Returns the mask that the calling thread has otherwise.
  const sigset_t& own() const noexcept { return own_; }

 private:
  sigset_t own_;
};

/// Returns all signals except those of faults, which are never left pending.
sigset_t all_but_faults() noexcept {
  sigset_t mask;
  sigfillset(&mask);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) {
    sigdelset(&mask, fault);
  }
  return mask;
}

}  // namespace

NoCancellation::NoCancellation() noexcept {
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_);
}

NoCancellation::~NoCancellation() {
  pthread_setcancelstate(before_, nullptr);
}

std::thread start_thread(std::function<void()> body) {
  if (!outer_mask) return std::thread(std::move(body));
  const MaskForThreads outer(*outer_mask);
  return std::thread(std::move(body));
}

std::thread start_internal_thread(std::function<void()> body) {
  const MaskForThreads blocked(all_but_faults());
  return std::thread([mask = outer_mask.value_or(blocked.own()), body = std::move(body)] {
    outer_mask = mask;
    body();
  });
}

namespace {

/// Makes an object represent no thread, because the destructor of one that does ends the process.
/// `failed`: other code has detached the thread, which may still run.
void forget(std::thread& thread, bool failed) noexcept {
  if (failed) leave_library_loaded();
  std::construct_at(&thread);
}

}  // namespace

bool join_if_ended(std::thread& thread) noexcept {
  const int failed = pthread_tryjoin_np(thread.native_handle(), nullptr);
  if (failed == EBUSY) return false;
  forget(thread, failed != 0);
  return true;
}

void join(std::thread& thread) noexcept {
  forget(thread, pthread_join(thread.native_handle(), nullptr) != 0);
}

void detach(std::thread& thread) noexcept {
  forget(thread, pthread_detach(thread.native_handle()) != 0);
}

}}}  // namespace tenon::v0_1::platform
