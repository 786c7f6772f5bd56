// SPDX-License-Identifier: BSL-1.0
//
// Calls a plugin of any kind through the ABI alone, as its spec describes it. For child processes:
// the plugin may crash.
#pragma once

#include <tenon/plugin_info.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <string>

#include "conformance/raw_module.hpp"
#include "constant_pool.hpp"
#include "gen/model/model.hpp"

namespace tenon::command {

/// A plugin to call, and its spec.
struct PluginSpec {
  PluginInfo plugin;
  const gen::KindVersion* kind;
};

/// An instance of a plugin in a module that is loaded without a host. Used by one thread. The
/// functions throw sdk::conformance::Ending if the plugin breaks a rule of the ABI.
class CalledPlugin {
 public:
  /// Creates the instance. The module must outlive this object.
  CalledPlugin(const sdk::conformance::RawModule& module, const PluginSpec& spec);

  /// Returns whether the plugin implements a method.
  bool supports(const gen::Method& method) const { return function_of(method) != nullptr; }

  /// Calls a method. `request` is a request in the layout of C. Returns the result as JSON, see
  /// write_result; the status if the method fails or is not implemented. Messages about an end of
  /// the process name the method, and then `words`. REQUIRED: the response has no streams.
  Result<std::string> call(const gen::Method& method, const void* request,
                           std::chrono::milliseconds deadline, const std::string& words = {});

  /// Destroys the instance. Call it once, last.
  void destroy() { module_.destroy(instance_); }

 private:
  /// Returns nullptr if the plugin does not implement the method.
  const void* function_of(const gen::Method& method) const;
  Result<std::string> result(const gen::Method& method, const void* request, Call& call,
                             const void* response);

  const PluginSpec spec_;
  const sdk::conformance::RawModule& module_;
  const tenon_instance instance_;
  ConstantPool pool_;
};

}  // namespace tenon::command
