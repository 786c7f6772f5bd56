// SPDX-License-Identifier: BSL-1.0
//
// The failures of a module: reports them, restarts the module after them, and quarantines it if
// there are too many.
#pragma once

#include <tenon/restart.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "code/generation.hpp"
#include "state/module_state.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// What follows a failure.
class AfterFault {
 public:
  /// Closes the gate, and retires the generation, which no longer serves because it has crashed.
  virtual void retire_crashed() TENON_REQUIRES(module_lock) = 0;
  /// Plans a restart, unless an earlier one of its sort is planned.
  virtual void plan_restart(RestartReason why, std::chrono::steady_clock::time_point when)
      TENON_REQUIRES(module_lock) = 0;

 protected:
  ~AfterFault() = default;
};

/// Thread-safe. `Failures` decides; this class acts.
class ModuleFaults {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ModuleFaults(ModuleState& state) noexcept : state_(state) {}
  ModuleFaults(const ModuleFaults&) = delete;
  ModuleFaults& operator=(const ModuleFaults&) = delete;

  /// See GenerationOwner::fault. A generation that has crashed no longer serves.
  void report(Generation& generation, RestartReason why, const Error& error,
              AfterFault& after) noexcept TENON_EXCLUDES(module_lock);
  /// Counts a failure. Plans a restart after it, or quarantines the module.
  void count(RestartReason why, const std::string& text, AfterFault& after)
      TENON_EXCLUDES(module_lock);

  /// Forgets all failures. Returns whether that ended a quarantine.
  bool release() noexcept TENON_REQUIRES(module_lock);
  /// Returns why nothing serves, for a call of `method` of `plugin` if they are given.
  Error unavailable(std::string_view plugin, std::string_view method) const
      TENON_REQUIRES(module_lock);

 private:
  Event quarantine() TENON_REQUIRES(module_lock);
  bool is_quarantined() const TENON_EXCLUDES(module_lock);
  std::string reasons() const TENON_REQUIRES(module_lock);

  ModuleState& state_;
  // The number of the last generation that failed.
  std::uint64_t faulted_ TENON_GUARDED_BY(module_lock) = 0;
};

}}}  // namespace tenon::v0_1::detail
