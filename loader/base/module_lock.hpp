// SPDX-License-Identifier: BSL-1.0
//
// The lock of a module, as clang checks it. The parts of a module and its generations reach its
// mutex in different ways, and clang cannot know that they lead to the same. So the locks of all
// modules have one name here: clang checks that the lock of some module is held.
#pragma once

#include <tenon/thread_annotations.hpp>

#include "base/lock_order.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

class TENON_CAPABILITY("mutex") ModuleLockName {};
inline constexpr ModuleLockName module_lock{};

/// Holds the mutex of a module until it is destroyed.
class TENON_SCOPED_CAPABILITY ModuleLock {
 public:
  explicit ModuleLock(Mutex& mutex) TENON_ACQUIRE(module_lock) : lock_(mutex) {}
  ~ModuleLock() TENON_RELEASE() = default;
  ModuleLock(const ModuleLock&) = delete;
  ModuleLock& operator=(const ModuleLock&) = delete;

 private:
  const sync::Lock<Mutex> lock_;
};

/// Unlocks the mutex of a module, which the calling thread holds, and locks it again when it is
/// destroyed.
class TENON_SCOPED_CAPABILITY ModuleUnlock {
 public:
  explicit ModuleUnlock(Mutex& mutex) TENON_RELEASE(module_lock) : unlock_(mutex) {}
  ~ModuleUnlock() TENON_RELEASE() = default;
  ModuleUnlock(const ModuleUnlock&) = delete;
  ModuleUnlock& operator=(const ModuleUnlock&) = delete;

 private:
  const sync::Unlock<Mutex> unlock_;
};

}}}  // namespace tenon::v0_1::detail
