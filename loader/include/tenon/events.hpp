// SPDX-License-Identifier: BSL-1.0
//
// tenon/events.hpp: events in the life of modules. See HostOptions::on_event.
#pragma once

#include <tenon/detail/export.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon { inline namespace v0_1 {

/// Why a module is restarted.
enum class RestartReason {
  requested,     // Host::restart was called
  file_changed,  // Host::restart_changed or HostOptions::watch found another file
  fatal_status,  // a method returned a status with TENON_FATAL
  exception,     // a function of the plugin threw
  crash,         // a crash was contained; see HostOptions::contain_crashes
  hang,          // suspend or resume did not return; see RestartPolicy::step_timeout
};
/// Returns the reason in words, eg: "file changed".
TENON_API std::string_view to_string(RestartReason reason) noexcept;

/// An event of a module.
struct TENON_API Event {
  enum class Type {
    loaded,            // its first instance is about to be created
    unloaded,          // its last instance was destroyed and its code unloaded
    faulted,           // it failed and will be restarted; see `reason`
    restarted,         // all its instances moved to a new generation
    restart_failed,    // no instance moved; `message` says why
    drained,           // all calls have left the previous generation, which is gone
    drain_overdue,     // calls or streams of the previous generation have not ended in time
    call_overdue,      // a call did not end by its deadline; only the outermost 15 of a thread
    quarantined,       // it failed too often and is no longer used; `message` has the reasons
    released,          // it left quarantine
    unload_prevented,  // instead of `unloaded` or `drained`: its code stays mapped; see `message`
  };

  Type type = Type::loaded;
  std::string package{};
  std::string package_version{};
  /// Generation number, counted from 1. After a restart, that of the new generation.
  std::uint64_t generation = 0;
  /// Set for restarts and faults.
  RestartReason reason = RestartReason::requested;
  /// For people; may be empty.
  std::string message{};
  /// Restarts: how long loading and filling the new generation took, and how long calls waited.
  std::chrono::nanoseconds load_time{0};
  std::chrono::nanoseconds calls_waited{0};
  /// Drains: how long the previous generation stayed in use.
  std::chrono::nanoseconds drain_time{0};

  /// Returns the event as one line of the log, eg: "me.example/blur 1.2.0: restarted (file
  /// changed), generation 2, loaded in 143 us".
  std::string to_string() const;
};

/// Returns the type in words, eg: "restart failed".
TENON_API std::string_view to_string(Event::Type type) noexcept;

}}  // namespace tenon::v0_1
