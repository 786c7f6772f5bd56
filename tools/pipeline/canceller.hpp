// SPDX-License-Identifier: BSL-1.0
//
// Ends a loop of calls from another thread: the call under way, and each that follows.
#pragma once

#include <tenon/call.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace pipeline {

/// Thread-safe.
class Canceller {
 public:
  /// Makes a Call ready for its next use, and the one to cancel. It must exist until `forget`,
  /// until another one takes its place, or as long as the Canceller.
  void use(tenon::Call& call) {
    std::lock_guard lock(mutex_);
    call.reset();
    current_ = &call;
    if (cancelled_) call.cancel();
  }

  /// The call is over: its Call is not cancelled any more.
  void forget() {
    std::lock_guard lock(mutex_);
    current_ = nullptr;
  }

  /// From now on, for good.
  void cancel() {
    std::lock_guard lock(mutex_);
    cancelled_ = true;
    if (current_ != nullptr) current_->cancel();
    changed_.notify_all();
  }

  bool cancelled() const {
    std::lock_guard lock(mutex_);
    return cancelled_;
  }

  /// Waits, but not longer than until it is cancelled.
  void wait(std::chrono::nanoseconds time) const {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [&] { return cancelled_; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  tenon::Call* current_ = nullptr;
  bool cancelled_ = false;
};

/// Whether a call ended early because its module was being restarted. It may be made again: when
/// the restart is over it is served, or refused with the flag `restarted`.
inline bool interrupted(const tenon::Call& call) {
  return call.cancelled() == tenon::CancelReason::restart;
}

/// Whether a method did what it had to, or the plugin has nothing to do in it.
inline bool done_or_nothing_to_do(const tenon::Result<void>& result) {
  return result || TENON_CODE(result.error().status()) == TENON_UNIMPLEMENTED;
}

}  // namespace pipeline
