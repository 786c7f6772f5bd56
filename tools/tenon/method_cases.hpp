// SPDX-License-Identifier: BSL-1.0
//
// The cases of `tenon verify` that call the methods of plugins of any kind, as their specs describe
// them.
#pragma once

#include <tenon/inspect.hpp>
#include <tenon/sdk/conformance.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "called_plugin.hpp"
#include "kind_specs.hpp"

namespace tenon::command {

/// A method of a plugin that is called with generated requests.
struct MethodCase {
  sdk::conformance::Case of;
  /// Valid as long as the specs. nullptr if the case ends without a call.
  const gen::KindVersion* kind = nullptr;
  const gen::Method* method = nullptr;
  PluginInfo plugin;
  /// The result if the case ends without a call.
  sdk::conformance::Result result = {};
};

/// Returns the cases of the plugins of a module, in the order of its manifest. Does not run its
/// code. A plugin whose spec is not known, or is another one, has one case, which is not run or
/// fails. With `may_change_data`, methods of kinds that change what their configuration names are
/// called, too. Throws gen::IoError.
std::vector<MethodCase> method_cases(const ModuleReport& report, KindSpecs& specs,
                                     bool may_change_data);

/// Calls the method in a child process without network (see sdk/conformance/child.hpp), or in this
/// process if the options say so: with one request for each instance, until a third of the timeout
/// has passed. The same seed gives the same requests. Each response is checked. Throws
/// std::system_error if a process or a directory cannot be created.
sdk::conformance::Result run(const sdk::conformance::Options& options, const MethodCase& one,
                             std::uint64_t seed);

}  // namespace tenon::command
