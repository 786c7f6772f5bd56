// SPDX-License-Identifier: BSL-1.0
//
// Decides how soon a module that failed is restarted, and when it is not any more.
#pragma once

#include <tenon/limits.hpp>

#include <chrono>
#include <random>
#include <string>
#include <vector>

namespace tenon::detail {

/// The failures of one module. Has no clock: who records says what time it is, never an earlier one
/// than before. Belongs to one thread at a time.
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

  /// `random` makes pauses uneven.
  Failures(const FailureLimits& limits, std::minstd_rand random)
      : limits_(limits), random_(random) {}

  /// One more failure; decides what follows. Of a module in quarantine nothing more is kept.
  Verdict record(Time now, std::string text);
  /// From the failure that was one too many until release.
  bool quarantined() const noexcept { return quarantined_; }
  /// What counted at the last failure, the oldest first.
  const std::vector<Reason>& reasons() const noexcept { return reasons_; }
  /// An operator released the module or its file changed: nothing has happened.
  void release() noexcept;

 private:
  std::chrono::steady_clock::duration pause();

  FailureLimits limits_;
  std::minstd_rand random_;
  std::vector<Reason> reasons_;
  bool quarantined_ = false;
};

}  // namespace tenon::detail
