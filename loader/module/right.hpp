// SPDX-License-Identifier: BSL-1.0
//
// Who may change what serves of a module.
#pragma once

#include <thread>

#include "module/module.hpp"

namespace tenon::detail {

/// The right to load, to replace and to unload what serves. Waited for until a deadline, since
/// modules that load each other's plugins while they start could wait for each other.
class Module::Right {
 public:
  /// REQUIRED: the lock is held, and again when the right ends.
  Right(Module& module, Lock& lock)
      : module_(module),
        lock_(lock),
        held_(module.changed_.wait_for(lock, module.context_.restart.drain,
                                       [&] { return module.holder_ == std::thread::id(); })) {
    if (held_) module_.holder_ = std::this_thread::get_id();
  }
  ~Right() {
    if (!lock_.owns_lock()) lock_.lock();
    if (held_) module_.holder_ = {};
    module_.changed_.notify_all();
  }
  Right(const Right&) = delete;
  Right& operator=(const Right&) = delete;

  explicit operator bool() const noexcept { return held_; }

 private:
  Module& module_;
  Lock& lock_;
  const bool held_;
};

}  // namespace tenon::detail
