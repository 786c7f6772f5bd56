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

#include "module/failures.hpp"
#include "module/generation.hpp"
#include "module/module_shared.hpp"

namespace tenon::inline v0_1::detail {

class Module;

/// Thread-safe. `Failures` decides; this class acts.
class ModuleFaults {
 public:
  using Clock = std::chrono::steady_clock;

  ModuleFaults(Module& module, ModuleShared& shared);
  ModuleFaults(const ModuleFaults&) = delete;
  ModuleFaults& operator=(const ModuleFaults&) = delete;

  /// See FaultSink::fault. A generation that has crashed no longer serves. REQUIRED: the lock is
  /// not held.
  void report(Generation& generation, RestartReason why, const Error& error) noexcept;
  /// Counts a failure. Plans a restart after it, or quarantines the module. REQUIRED: the lock is
  /// not held.
  void count(RestartReason why, const std::string& text);

  // REQUIRED for the functions below: the lock.

  bool quarantined() const noexcept { return failures_.quarantined(); }
  /// Returns whether nothing may serve: in quarantine, and during the pause after a crash.
  bool stopped() const noexcept { return quarantined() || not_before_ > Clock::now(); }
  /// Ends the pause after a crash.
  void end_pause() noexcept { not_before_ = {}; }
  /// Forgets all failures. Returns whether that ended a quarantine.
  bool release() noexcept;
  /// Returns why nothing serves, for a call of `method` of `plugin` if they are given.
  Error unavailable(std::string_view plugin, std::string_view method) const;

 private:
  void quarantine(ModuleLock& lock);
  std::string reasons() const;

  Module& module_;
  ModuleShared& shared_;
  // Guarded by the lock.
  Failures failures_;
  std::uint64_t faulted_ = 0;       // generation number of the last one that failed
  Clock::time_point not_before_{};  // nothing serves before, because the last generation crashed
};

}  // namespace tenon::inline v0_1::detail
