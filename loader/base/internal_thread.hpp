// SPDX-License-Identifier: BSL-1.0
//
// A thread for which its owner waits only until a deadline.
#pragma once

#include <tenon/result.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <string_view>
#include <thread>

namespace tenon { inline namespace v0_1 { namespace detail {

/// It runs no code of plugins, and may outlive this object: what it uses, it owns or shares.
class InternalThread {
 public:
  using Clock = std::chrono::steady_clock;

  InternalThread() = default;
  /// Detaches the thread if it has not ended.
  ~InternalThread();
  InternalThread(const InternalThread&) = delete;
  InternalThread& operator=(const InternalThread&) = delete;

  /// Starts it, see start_internal_thread. REQUIRED: no thread was started. Errors: no-thread.
  Result<void> start(std::string_view purpose, std::function<void()> body);
  /// Waits for its end until the deadline, and at least for half a second; the thread itself does
  /// not wait. Returns false if it has not ended by then. In both cases it is detached. The owner
  /// has told it to end, and calls this on one thread at a time.
  bool end(Clock::time_point deadline) noexcept;

 private:
  std::thread thread_;
  std::future<void> ended_;  // by the thread
};

}}}  // namespace tenon::v0_1::detail
