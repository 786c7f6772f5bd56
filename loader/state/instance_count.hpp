// SPDX-License-Identifier: BSL-1.0
//
// Counts the instances of a module, and those of them that keep its host alive.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/module_lock.hpp"
#include "catalog/plugin_module.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Instances are added and removed by any thread without a lock, except that the last one is
/// removed under the lock of the module, so that no other thread can end the module meanwhile.
class InstanceCount {
 public:
  bool none() const noexcept { return static_cast<std::uint32_t>(count_.load()) == 0; }
  bool none_of_program() const noexcept { return count_.load() < of_program; }

  void add(Owner owner) noexcept { count_.fetch_add(one(owner)); }
  /// Removes an instance unless it is the last one, or the last one of the program. After that the
  /// module may be gone.
  bool take_unless_last(Owner owner) noexcept {
    std::uint64_t count = count_.load();
    while (static_cast<std::uint32_t>(count) > 1 &&
           (owner != Owner::program || count >= 2 * of_program)) {
      if (count_.compare_exchange_weak(count, count - one(owner))) return true;
    }
    return false;
  }
  /// Removes an instance.
  void take(Owner owner) noexcept TENON_REQUIRES(module_lock) { count_.fetch_sub(one(owner)); }

 private:
  static constexpr std::uint64_t of_program = std::uint64_t{1} << 32;
  static constexpr std::uint64_t one(Owner owner) noexcept {
    return owner == Owner::program ? of_program + 1 : 1;
  }

  // The lower half counts all instances, the upper half those of the program.
  std::atomic<std::uint64_t> count_{0};
};

}}}  // namespace tenon::v0_1::detail
