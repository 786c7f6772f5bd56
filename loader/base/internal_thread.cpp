// SPDX-License-Identifier: BSL-1.0
#include "base/internal_thread.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/threads.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

Result<void> InternalThread::start(std::string_view purpose, std::function<void()> body) {
  auto ended = std::make_shared<std::promise<void>>();
  ended_ = ended->get_future();
  auto thread = start_internal_thread(purpose, [ended = std::move(ended), body = std::move(body)] {
    body();
    ended->set_value();
  });
  if (!thread) return std::move(thread).error();
  thread_ = *std::move(thread);
  return {};
}

InternalThread::~InternalThread() {
  end(Clock::now());
}

bool InternalThread::end(Clock::time_point deadline) noexcept {
  if (!thread_.joinable()) return true;
  if (thread_.get_id() == std::this_thread::get_id()) {
    leave_running(thread_);
    return true;
  }
  deadline = std::max(deadline, Clock::now() + min_patience);
  if (ended_.wait_until(deadline) == std::future_status::ready) {
    platform::join(thread_);
    return true;
  }
  leave_running(thread_);
  return false;
}

}}}  // namespace tenon::v0_1::detail
