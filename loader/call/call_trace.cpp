// SPDX-License-Identifier: BSL-1.0
#include "call/call_trace.hpp"

#include <tenon/detail/intercept.hpp>

#include <exception>
#include <utility>

#include "platform/process.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

constinit std::atomic<std::uint64_t> last_trace{0};
/// The trace in which the calling thread has a name.
constinit thread_local std::uint64_t named_in = 0;

}  // namespace

bool CallTrace::begin() {
  const sync::Lock lock(mutex_);
  if (is_on()) return false;
  if (ring_ == nullptr) {
    ring_ = std::make_unique<Cell[]>(most_calls);
    for (std::size_t i = 0; i < most_calls; ++i) ring_[i].turn.store(i);
    cells_.store(ring_.get());
  }
  take_locked(most_calls);
  number_.store(++last_trace);
  on_.store(true);
  return true;
}

void CallTrace::add(const TracedCall& call) noexcept {
  Cell* const cells = cells_.load(std::memory_order_acquire);
  if (cells == nullptr) return;
  if (named_in != number_.load(std::memory_order_relaxed)) name_thread(call.thread);
  std::uint64_t number = next_.load(std::memory_order_relaxed);
  for (;;) {
    Cell& cell = cells[number % most_calls];
    const std::uint64_t turn = cell.turn.load(std::memory_order_acquire);
    if (turn == number) {
      if (!next_.compare_exchange_weak(number, number + 1, std::memory_order_relaxed)) continue;
      cell.call = call;
      cell.turn.store(number + 1, std::memory_order_release);
      return;
    }
    if (turn < number) {  // not yet taken
      lost_calls_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    number = next_.load(std::memory_order_relaxed);  // another thread has this number
  }
}

void CallTrace::name_thread(std::int32_t thread) noexcept try {
  std::string name = platform::this_thread_name();
  const sync::Lock lock(mutex_);
  named_in = number_.load(std::memory_order_relaxed);
  threads_.emplace_back(thread, std::move(name));
} catch (const std::exception&) {  // out of memory
}

void CallTrace::add(const Event& event) {
  if (!is_on()) return;
  const std::int64_t now = MethodCounter::now();
  const sync::Lock lock(mutex_);
  if (events_.size() < most_events) {
    events_.push_back({now, event});
  } else {
    ++lost_events_;
  }
}

CallTrace::Taken CallTrace::take(std::size_t most) {
  const sync::Lock lock(mutex_);
  return take_locked(most);
}

CallTrace::Taken CallTrace::take_locked(std::size_t most) {
  Taken taken;
  for (; ring_ != nullptr && taken.calls.size() < most; ++taken_) {
    Cell& cell = ring_[taken_ % most_calls];
    if (cell.turn.load(std::memory_order_acquire) != taken_ + 1) break;
    taken.calls.push_back(cell.call);
    cell.turn.store(taken_ + most_calls, std::memory_order_release);
  }
  taken.threads = std::exchange(threads_, {});
  taken.events = std::exchange(events_, {});
  taken.lost_calls = lost_calls_.exchange(0);
  taken.lost_events = std::exchange(lost_events_, 0);
  return taken;
}

std::uint32_t CallTrace::number_of(std::string name) {
  const sync::Lock lock(mutex_);
  methods_.push_back(std::move(name));
  return static_cast<std::uint32_t>(methods_.size() - 1);
}

std::string CallTrace::name_of(std::uint32_t method) const {
  const sync::Lock lock(mutex_);
  return method < methods_.size() ? methods_[method] : std::string();
}

}}}  // namespace tenon::v0_1::detail
