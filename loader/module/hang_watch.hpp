// SPDX-License-Identifier: BSL-1.0
//
// Finds workers of a module that hang in a function of a plugin, and continues without them.
#pragma once

#include <chrono>
#include <memory>

#include "call/operation.hpp"
#include "module/module_shared.hpp"

namespace tenon::inline v0_1::detail {

class Module;
class Restart;

/// Thread-safe. The timers and all threads that wait for a worker check it.
class HangWatch {
 public:
  using Clock = Operation::Clock;

  HangWatch(Module& module, ModuleShared& shared) noexcept : module_(module), shared_(shared) {}
  HangWatch(const HangWatch&) = delete;
  HangWatch& operator=(const HangWatch&) = delete;

  /// Checks an operation at this time, and again until it is over. If memory is exhausted, only
  /// threads that wait for the operation check it. REQUIRED: the lock is not held.
  void watch(const std::shared_ptr<Operation>& operation, Clock::time_point when) noexcept;
  /// Abandons workers that hang.
  void abandon_overdue(ModuleLock& lock) noexcept;

 private:
  void plan(const std::shared_ptr<Operation>& operation, Clock::time_point when);
  bool check(const std::shared_ptr<Operation>& operation);
  bool in_progress(const Operation& operation) const noexcept;
  void abandon_restart(ModuleLock& lock, const Operation::Hang& hang);
  void recover(const std::shared_ptr<Restart>& abandoned, const Operation::Hang& hang);

  Module& module_;
  ModuleShared& shared_;
};

}  // namespace tenon::inline v0_1::detail
