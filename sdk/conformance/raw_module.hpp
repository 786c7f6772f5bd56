// SPDX-License-Identifier: BSL-1.0
//
// Loads a module without a host, through the ABI alone: a host cannot load kinds that its program
// does not know.
#pragma once

#include <tenon/abi.h>
#include <tenon/call.hpp>
#include <tenon/inspect.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include "subject.hpp"

namespace tenon::sdk::conformance {

/// A loaded module, used by one thread. The functions fail the case if the module does, and end it
/// as not run if the module uses another plugin: there is none. Without `unload` it stays loaded if
/// the case has a process of its own, which ends soon, or if instances are left: their code may
/// run.
class RawModule {
 public:
  /// Loads the module, compares it with its manifest, and calls its `start`.
  explicit RawModule(const Options& options);
  ~RawModule();
  RawModule(const RawModule&) = delete;
  RawModule& operator=(const RawModule&) = delete;

  /// Creates and destroys an instance of each plugin.
  void create_all();

  /// Returns the registration of a plugin of the module.
  const tenon_registration& find(const PluginInfo& plugin) const;
  /// Creates an instance. Its `self` is NULL if its plugin has no instances.
  tenon_instance create(const tenon_registration& plugin) const;
  void destroy(const tenon_instance& instance) const;
  /// Fails the case if the status is not TENON_OK.
  void check(Call& call, tenon_status status, std::string_view function,
             std::string_view plugin) const;

  /// Calls `stop` and unloads the module. Fails the case if it stays mapped although its file does
  /// not say so.
  void unload();

 private:
  /// The host of the module. It has no other plugins.
  struct Host : tenon_host {
    mutable bool was_asked = false;  // for another plugin
  };
  struct Functions;
  struct Unloaded {};

  RawModule(const Options& options, Unloaded);
  void load();
  void compare() const;
  void stop();

  const ModuleReport report_;
  const std::string file_;  // with its directory
  const bool own_process_;
  Host host_;
  void* image_ = nullptr;  // nullptr for a builtin
  const tenon_module* module_;
  bool started_ = false;
  mutable std::size_t instances_ = 0;
};

}  // namespace tenon::sdk::conformance
