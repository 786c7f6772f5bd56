// SPDX-License-Identifier: BSL-1.0
#include "state/failures.hpp"

#include <algorithm>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace detail {

Failures::Verdict Failures::record(Time now, std::string text) {
  if (quarantined_) return {true, {}};
  std::erase_if(reasons_, [&](const Reason& reason) { return now - reason.time > limits_.window; });
  reasons_.push_back({now, std::move(text)});
  quarantined_ = reasons_.size() > limits_.max_failures;
  if (quarantined_) return {true, {}};
  return {false, pause()};
}

std::chrono::steady_clock::duration Failures::pause() {
  using Length = std::chrono::steady_clock::duration;
  if (reasons_.size() < 2) return {};
  const Length longest = limits_.max_backoff;
  Length delay = std::min<Length>(limits_.initial_backoff, longest);
  for (std::size_t count = 2; count < reasons_.size(); ++count) {
    delay = std::min(delay, longest / 2) * 2;
  }
  std::uniform_int_distribution<Length::rep> jitter((delay / 2).count(),
                                                    std::min(delay + delay / 2, longest).count());
  return Length(jitter(random_));
}

void Failures::release() noexcept {
  reasons_.clear();
  quarantined_ = false;
}

}}}  // namespace tenon::v0_1::detail
