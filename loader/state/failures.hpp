// SPDX-License-Identifier: BSL-1.0
//
// Decides how soon a failed module is restarted, and when it is quarantined.
#pragma once

#include <tenon/restart.hpp>

#include <chrono>
#include <random>
#include <string>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace detail {

/// The failures of one module. Has no clock: the caller passes the time, which must not decrease.
/// Belongs to one thread at a time.
class Failures {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Reason {
    Time time;
    std::string text;
  };
  struct Verdict {
    bool quarantined;
    /// How long to wait before the restart.
    std::chrono::steady_clock::duration pause;
  };

  /// `random` varies the delays.
  Failures(const FailurePolicy& limits, std::minstd_rand random)
      : limits_(limits), random_(random) {}

  /// Records a failure and decides what follows. Failures of a quarantined module are not kept.
  Verdict record(Time now, std::string text);
  /// Returns whether the module is quarantined.
  bool quarantined() const noexcept { return quarantined_; }
  /// Returns the failures that counted at the last one, oldest first.
  const std::vector<Reason>& reasons() const noexcept { return reasons_; }
  /// Forgets all failures, because an operator released the module or its file changed.
  void release() noexcept;

 private:
  std::chrono::steady_clock::duration pause();

  FailurePolicy limits_;
  std::minstd_rand random_;
  std::vector<Reason> reasons_;
  bool quarantined_ = false;
};

}}}  // namespace tenon::v0_1::detail
