// SPDX-License-Identifier: BSL-1.0
//
// Finds workers of a module that hang in a function of a plugin, and continues without them.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

#include "call/supervised_work.hpp"
#include "state/module_state.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// A part of a module with workers that may hang.
class Supervised {
 public:
  virtual bool is_in_progress(const SupervisedWork& work) const noexcept
      TENON_REQUIRES(module_lock) = 0;
  /// Abandons the workers that hang. Releases the lock meanwhile.
  virtual void abandon_overdue(SupervisedWork::Clock::time_point now) noexcept
      TENON_REQUIRES(module_lock) = 0;

 protected:
  ~Supervised() = default;
};

/// Thread-safe. The timers and all threads that wait for a worker check it.
class HangWatch {
 public:
  using Clock = SupervisedWork::Clock;

  explicit HangWatch(ModuleState& state) noexcept : state_(state) {}
  HangWatch(const HangWatch&) = delete;
  HangWatch& operator=(const HangWatch&) = delete;

  /// Adds one of the two parts that have workers. Called while the module is created.
  void supervise(Supervised& part) noexcept { *std::ranges::find(parts_, nullptr) = &part; }
  /// Checks work at this time, and again until it is over. If memory is exhausted, only
  /// threads that wait for the work check it.
  void watch(const std::shared_ptr<SupervisedWork>& work, Clock::time_point when) noexcept
      TENON_EXCLUDES(module_lock);
  /// Abandons workers that hang. Releases the lock meanwhile.
  void abandon_overdue() noexcept TENON_REQUIRES(module_lock);

 private:
  void plan(const std::shared_ptr<SupervisedWork>& work, Clock::time_point when);
  bool check(const std::shared_ptr<SupervisedWork>& work);
  bool is_in_progress(const SupervisedWork& work) const noexcept;

  ModuleState& state_;
  std::array<Supervised*, 2> parts_{};
};

}}}  // namespace tenon::v0_1::detail
