// SPDX-License-Identifier: BSL-1.0
//
// The data that the parts of a module share: its lock, and its connections to the host.
#pragma once

#include <tenon/abi.h>
#include <tenon/events.hpp>
#include <tenon/restart.hpp>
#include <tenon/result.hpp>

#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "base/lock_order.hpp"
#include "base/log.hpp"
#include "base/timer_queue.hpp"
#include "base/workers.hpp"
#include "call/operation.hpp"
#include "image/host_state.hpp"
#include "image/image.hpp"
#include "image/image_reaper.hpp"
#include "module/events.hpp"
#include "module/module_host.hpp"
#include "platform/containment.hpp"

namespace tenon::inline v0_1::detail {

/// The source of a module's code.
struct ModuleOrigin {
  /// The file of a standalone module; empty for a builtin.
  std::filesystem::path file;
  /// The object of a builtin.
  const tenon_module* builtin = nullptr;
};

/// The parts of a host that its modules share. Modules may outlive the host.
struct ModuleContext {
  HostLink host;
  RestartPolicy restart;
  std::shared_ptr<ImageFolder> images;
  std::shared_ptr<ImageReaper> reaper;
  std::shared_ptr<TimerQueue> timers;
  std::shared_ptr<Workers> workers;
  std::shared_ptr<Log> log;
  std::shared_ptr<Events> events;
  /// nullptr if crashes are not contained. Code that outlives the host still needs them.
  std::shared_ptr<const platform::CrashHandlers> crash_handlers;
  bool check_calls = false;
  bool count_calls = false;
};

using ModuleLock = std::unique_lock<Mutex>;

/// In the parts of a module, "the lock" is `mutex`. A function that takes a ModuleLock requires
/// that it is held, may release it meanwhile, and holds it on return unless its comment says
/// otherwise.
struct ModuleShared {
  ModuleShared(ModuleOrigin from, const std::string& package,
               std::shared_ptr<const ModuleContext> host)
      : origin(std::move(from)),
        where(origin.builtin != nullptr ? "builtin " + package : origin.file.string()),
        context(std::move(host)),
        host_state(std::make_shared<HostStateReport>(package, context->log)) {}

  const ModuleOrigin origin;
  const std::string where;  // for messages
  const std::shared_ptr<const ModuleContext> context;
  const std::shared_ptr<HostStateReport> host_state;
  mutable Mutex mutex{LockRank::module};
  Condition changed;       // the gate opened, or the lifecycle lock is free
  Condition done;          // a restart completed, or a generation ended
  bool shut_down = false;  // the host ends; guarded by `mutex`

  /// REQUIRED: the lock is not held.
  void report(const Event& event) const noexcept { context->events->report(event); }
  /// Runs a job on a worker, or on the calling thread if there is none. REQUIRED: the lock is not
  /// held, and the calling thread may run code of plugins.
  template <class Job>
  void run_on_worker(const Job& job) const noexcept {
    try {
      if (context->workers->run(job)) return;
    } catch (const std::bad_alloc&) {
    }
    job();
  }

  /// Return the errors of a restart that is refused, of a thread that waited in vain for the
  /// lifecycle lock, and of a restart that was abandoned.
  Error refused(std::string found) const;
  Error busy() const;
  /// Returns the error of a create inside more than `most` creates and configure methods.
  Error too_deep(int most) const;
  Error hang_error(const Operation::Hang& hang) const;
};

}  // namespace tenon::inline v0_1::detail
