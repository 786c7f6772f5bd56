// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/base.hpp: the class that every plugin in C++ is derived from by way of its kind.
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

/// An instance of a plugin. Not derived from directly: each version of a kind has a class of its
/// own. One thread at a time enters a method unless the spec of the kind says otherwise.
class Plugin {
 public:
  /// Runs after the last method. An exception that leaves it ends the process, as in all of C++.
  virtual ~Plugin() = default;
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  // When the module is restarted, each instance is made anew in the next generation of the module,
  // which may be another build, and gets the configuration that it had. What else shall outlive the
  // restart is handed over by the functions that follow. Each runs alone: the host makes no other
  // call to the instance at the same time. What is not overridden does not take place.

  /// What the instance knows beyond its configuration. `version` is the form that is wanted, one of
  /// those that the manifest says the module knows; see TENON_PLUGIN. Asks the host for no plugins,
  /// and does not take long: calls wait meanwhile. A Failure makes the restart fail.
  virtual Bytes save_state(std::int32_t /*version*/) { return {}; }
  /// Takes over what an older or newer build, or this one, has saved in the form `version`; after
  /// configure. Overridden together with save_state. A Failure makes the restart fail.
  /// Since ABI 1.1 (TENON_ABI) it is also called if no state was saved: `version` is
  /// then 0, and `state.data()` nullptr.
  virtual void restore_state(std::int32_t /*version*/, BytesView /*state*/) {}

  /// For kinds with a session: lets go of what only one can hold (a port, a lock on a file), since
  /// the next generation is about to take it. After save_state.
  virtual void suspend() {}
  /// The restart has failed, and this instance goes on: takes hold of it again. Overridden together
  /// with suspend.
  virtual void resume() {}

 private:
  const tenon_host* const host_;
  const std::string name_;

 protected:
  Plugin() : Plugin(detail::creating()) {}

  /// The host's log, from any thread: log.info("read ", n, " lines"). In order of their levels:
  /// trace, debug, info, warn, error.
  const Logger log;

  /// As registered, eg: "me.example/blur". There from the constructor on.
  const std::string& name() const noexcept { return name_; }
  /// The same from the constructor to the destructor.
  Host host() const noexcept { return Host(host_); }
  /// The call of the method that runs on this thread; a Call made of nothing where none does.
  Call call() const noexcept { return Call(detail::current_call()); }

  /// Warns of parameters that `configure` has not read: nothing else can tell that a key is wrong
  /// where the plugin has no specifier. The generated code calls this one.
  void warn_of_unread(const Config& config) const {
    constexpr std::size_t most_named = 10;
    const std::vector<std::string_view> keys = config.unread();
    if (keys.empty()) return;
    std::string names;
    for (std::size_t i = 0; i < keys.size() && i < most_named; i++) {
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
