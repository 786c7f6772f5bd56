// SPDX-License-Identifier: BSL-1.0
//
// A call that blocks in a session while the test continues.
#pragma once

#include <tenon/call.hpp>

#include <test/stream.hpp>

#include <chrono>
#include <thread>

namespace tenon::tests {

/// Calls `next` of a stream on another thread. The call has a deadline, so that the test fails
/// instead of hanging if nothing interrupts the call.
class BlockedNext {
 public:
  explicit BlockedNext(Handle<test::Stream>& stream)
      : thread_([this, &stream] {
          Call call;
          call.set_timeout(std::chrono::seconds(20));
          status_ = stream->next(call).error().status();
        }) {}
  ~BlockedNext() {
    if (thread_.joinable()) thread_.join();
  }
  BlockedNext(const BlockedNext&) = delete;
  BlockedNext& operator=(const BlockedNext&) = delete;

  /// Waits until the call returns, and returns its status.
  tenon_status status() {
    thread_.join();
    return status_;
  }

 private:
  tenon_status status_ = TENON_OK;
  std::thread thread_;
};

}  // namespace tenon::tests
