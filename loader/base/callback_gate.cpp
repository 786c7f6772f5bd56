// SPDX-License-Identifier: BSL-1.0
#include "base/callback_gate.hpp"

#include <algorithm>

#include "base/own_library.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

CallbackGate::Guard::Guard(CallbackGate& gate) : gate_(gate) {
  const sync::Lock lock(gate_.mutex_);
  open_ = !gate_.closed_;
  if (!open_) return;
  auto& threads = gate_.inside_;
  nested_ = std::find(threads.begin(), threads.end(), std::this_thread::get_id()) != threads.end();
  threads.push_back(std::this_thread::get_id());
}

CallbackGate::Guard::~Guard() {
  if (!open_) return;
  const sync::Lock lock(gate_.mutex_);
  auto& threads = gate_.inside_;
  threads.erase(std::find(threads.begin(), threads.end(), std::this_thread::get_id()));
  gate_.changed_.notify_all();
}

bool CallbackGate::close(std::chrono::steady_clock::time_point deadline) noexcept {
  const sync::Lock lock(mutex_);
  closed_ = true;
  const bool ended = changed_.wait_until(mutex_, deadline, [this]() TENON_REQUIRES(mutex_) {
    return std::all_of(inside_.begin(), inside_.end(),
                       [](std::thread::id id) { return id == std::this_thread::get_id(); });
  });
  if (!ended) platform::leave_library_loaded();
  return ended;
}

}}}  // namespace tenon::v0_1::detail
