// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/base.hpp: the base class of all plugins in C++.
#pragma once

#include <tenon/abi.h>
#include <tenon/sdk/call.hpp>
#include <tenon/sdk/config.hpp>
#include <tenon/sdk/failure.hpp>
#include <tenon/sdk/host.hpp>
#include <tenon/sdk/logger.hpp>
#include <tenon/sdk/text.hpp>
#include <tenon/values.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::sdk {

using tenon::Buffer;
using tenon::Bytes;
using tenon::BytesView;
using tenon::Duration;
using tenon::Json;
using tenon::ListView;
using tenon::MapView;
using tenon::TextMap;
using tenon::Timestamp;
using tenon::to_bytes;

/// An instance of a plugin. Plugins derive from the generated class of a version of a kind, such as
/// SourceV2, which derives from this class. The host calls one method at a time, not always on the
/// same thread, unless the interface definition of the kind allows concurrent calls.
class Plugin {
 public:
  /// Runs after the last method has returned. An exception that leaves it terminates the process.
  virtual ~Plugin() = default;
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  // A restart of the module creates each instance again in the next generation of the module, which
  // may be another build, and passes it the same configuration. The following functions transfer
  // everything else that has to survive the restart. The host makes no other call to the instance
  // while one of them runs. It does not call a function that is not overridden.

  /// Returns the state of the instance that its configuration does not determine. `version` is the
  /// format to write, one of those that the manifest lists; see TENON_PLUGIN. Calls to the instance
  /// wait meanwhile, so it should be fast. Streams of the instance have been revoked. It must not
  /// create or list other plugins through the host. A Failure fails the restart.
  virtual Bytes save_state(std::int32_t /*version*/) { return {}; }
  /// Restores the state that this build, or an older or newer one, saved in the format `version`.
  /// Called after `configure`. A plugin overrides both this and save_state. `state` is valid during
  /// the call. A Failure fails the restart.
  ///
  /// Since ABI 1.1 (TENON_ABI) it is also called if no state was saved: then `version` is 0 and
  /// `state.data()` is nullptr.
  virtual void restore_state(std::int32_t /*version*/, BytesView /*state*/) {}

  /// For kinds with a session: releases resources that only one instance can hold, such as a port
  /// or a lock on a file, so that the instance of the next generation can acquire them. Called
  /// after save_state.
  virtual void suspend() {}
  /// Acquires those resources again, because the restart has failed and this instance stays in use.
  /// A plugin overrides both this and suspend.
  virtual void resume() {}

 private:
  const tenon_host* const host_;
  const std::string name_;

 protected:
  /// Takes host and name from the `create` call that runs on this thread.
  Plugin() : Plugin(detail::creating()) {}

  /// The host's log: log.info("read ", n, " lines"). Lines carry the name of the plugin. Usable
  /// from any thread. The levels are trace, debug, info, warn and error.
  const Logger log;

  /// Returns the registered name of the plugin, eg: "me.example/blur". Usable in the constructor.
  const std::string& name() const noexcept { return name_; }
  /// Returns the host, the same from the constructor to the destructor.
  Host host() const noexcept { return Host(host_); }
  /// Returns the call of the method that runs on this thread; an empty Call if none does.
  Call call() const noexcept { return Call(detail::current_call()); }

  /// Logs a warning that lists parameters that `configure` has not read, at most 10 by name. If the
  /// plugin has no specifier, nothing else detects a misspelled key. Called by generated code after
  /// `configure`.
  void warn_of_unread(const Config& config) const {
    constexpr std::size_t most_named = 10;
    const std::vector<std::string_view> keys = config.unread();
    if (keys.empty()) return;
    std::string names;
    for (std::size_t i = 0; i < keys.size() && i < most_named; ++i) {
      names += sdk::text(i == 0 ? "\"" : ", \"", keys[i], '"');
    }
    if (keys.size() > most_named) names += sdk::text(" and ", keys.size() - most_named, " more");
    log.warn("the plugin did not use these parameters: ", names);
  }

 private:
  explicit Plugin(const tenon_create_request& in)
      : host_(in.host), name_(std::string_view(in.name.data, in.name.size)), log(host_, name_) {}
};

}  // namespace tenon::sdk
