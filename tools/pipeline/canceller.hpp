// SPDX-License-Identifier: BSL-1.0
//
// Cancels the calls of another thread: the one in flight, and all later ones.
#pragma once

#include <tenon/call.hpp>
#include <tenon/mutex.hpp>
#include <tenon/result.hpp>

#include <chrono>

namespace pipeline {

/// Thread-safe.
class Canceller {
 public:
  /// Resets a Call for its next use, and makes it the one to cancel. It must exist until `detach`,
  /// until another Call is attached, or as long as the Canceller.
  void attach(tenon::Call& call) {
    tenon::sync::Lock lock(mutex_);
    call.reset();
    current_ = &call;
    if (cancelled_) call.cancel();
  }

  /// Detaches the Call after it has returned.
  void detach() {
    tenon::sync::Lock lock(mutex_);
    current_ = nullptr;
  }

  /// Cancels the attached Call, and every Call that is attached later.
  void cancel() {
    tenon::sync::Lock lock(mutex_);
    cancelled_ = true;
    if (current_ != nullptr) current_->cancel();
    changed_.notify_all();
  }

  /// Returns whether `cancel` was called.
  bool cancelled() const {
    tenon::sync::Lock lock(mutex_);
    return cancelled_;
  }

  /// Waits for `time` or until `cancel`, whichever is earlier.
  void wait(std::chrono::nanoseconds time) const {
    tenon::sync::Lock lock(mutex_);
    changed_.wait_for(lock, time, [this]() TENON_REQUIRES(mutex_) { return cancelled_; });
  }

 private:
  mutable tenon::sync::Mutex mutex_;
  mutable tenon::sync::ConditionVariable changed_;
  tenon::Call* current_ TENON_GUARDED_BY(mutex_) = nullptr;
  bool cancelled_ TENON_GUARDED_BY(mutex_) = false;
};

/// Returns whether a call ended early because its module was being restarted. The call can be made
/// again: after the restart it succeeds, or fails with `restarted`.
inline bool interrupted_by_restart(const tenon::Call& call) {
  return call.cancel_reason() == tenon::CancelReason::restart;
}

/// Returns whether a method succeeded or is not implemented by the plugin.
inline bool ok_or_unimplemented(const tenon::Result<void>& result) {
  return result || TENON_CODE(result.error().status()) == TENON_UNIMPLEMENTED;
}

}  // namespace pipeline
