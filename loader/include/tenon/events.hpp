// SPDX-License-Identifier: BSL-1.0
//
// tenon/events.hpp: what a host is told of the life of its modules. See HostOptions::on_event.
#pragma once

#include <tenon/export.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon {

/// Why a module is restarted.
enum class RestartReason {
  asked,         // Host::restart
  file_changed,  // Host::restart_changed, HostOptions::watch
  fatal_status,  // a method answered with TENON_FATAL
  exception,     // an exception came out of a function of the plugin
  crash,         // a crash was contained: HostOptions::contain_crashes
  hang,          // it did not return from suspend or resume: RestartOptions::step
};
/// eg: "file changed"
TENON_API std::string_view to_string(RestartReason reason) noexcept;

/// Something that happened to a module.
struct TENON_API Event {
  enum class Type {
    loaded,            // its first instance is about to be made
    unloaded,          // its last instance is gone, and its code with it
    faulted,           // it failed in a way that asks for a restart; `reason` says in which
    restarted,         // all its instances moved to a new generation
    restart_failed,    // they did not; `message` says why
    drained,           // the generation before is left by all calls and is gone
    drain_overdue,     // calls or streams of the generation before have not ended in time
    call_overdue,      // a call did not end by its deadline
    quarantined,       // it failed too often and is not used any more; `message` has the reasons
    released,          // it may be used again
    unload_prevented,  // its code stays mapped; `message` says why
  };

  Type type = Type::loaded;
  std::string package{};
  std::string package_version{};
  /// The how manieth since the host began. The new one where a module restarted.
  std::uint64_t generation = 0;
  /// Of restarts and faults.
  RestartReason reason = RestartReason::asked;
  /// For people; empty where there is nothing to add.
  std::string message{};
  /// Of a restart: how long it took to load and fill the new generation, and how long calls could
  /// not be made. Of a drain: how long the generation before went on.
  std::chrono::nanoseconds loading{0};
  std::chrono::nanoseconds closed{0};
  std::chrono::nanoseconds draining{0};

  /// One line, as it stands in the log. eg: "me.example/blur 1.2.0: restarted (file changed),
  /// generation 2, loaded in 143 us"
  std::string to_string() const;
};

/// eg: "restart failed"
TENON_API std::string_view to_string(Event::Type type) noexcept;

}  // namespace tenon
