// SPDX-License-Identifier: BSL-1.0
//
// How many instances use a module, and how many of them keep its host alive.
#pragma once

#include <atomic>
#include <cstdint>

namespace tenon::detail {

/// Who holds an instance.
enum class Owner : std::uint8_t {
  program,  // through a Handle, which keeps the host alive
  plugin,   // through the tenon_host of its module
};

/// Instances are added by any thread and taken off without a lock, except the last one: whoever
/// takes that off holds the lock of the module, so that nobody else can end the module meanwhile.
class InstanceCount {
 public:
  bool none() const noexcept { return static_cast<std::uint32_t>(count_.load()) == 0; }
  bool none_of_program() const noexcept { return count_.load() < of_program; }

  void add(Owner owner) noexcept { count_.fetch_add(one(owner)); }
  /// Takes an instance off, unless it is the last one, or the last one of the program. Afterwards
  /// the module may be gone.
  bool take_unless_last(Owner owner) noexcept {
    std::uint64_t count = count_.load();
    while (static_cast<std::uint32_t>(count) > 1 &&
           (owner != Owner::program || count >= 2 * of_program)) {
      if (count_.compare_exchange_weak(count, count - one(owner))) return true;
    }
    return false;
  }
  /// REQUIRED: the lock of the module.
  void take(Owner owner) noexcept { count_.fetch_sub(one(owner)); }

 private:
  static constexpr std::uint64_t of_program = std::uint64_t{1} << 32;
  static constexpr std::uint64_t one(Owner owner) noexcept {
    return owner == Owner::program ? of_program + 1 : 1;
  }

  // The lower half counts all, the upper one those of the program.
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace tenon::detail
