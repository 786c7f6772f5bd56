// SPDX-License-Identifier: BSL-1.0
//
// The calls that bring a new instance to a state in which a method may be called.
#pragma once

#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "called_plugin.hpp"

namespace tenon::command {

/// A method and its request in the layout of C.
struct CallStep {
  const gen::Method* method;
  const void* request;
  /// Whether the plugin need not implement the method.
  bool optional;
};

/// Returns the request of the method with the role `configure`, as JSON.
std::string configure_request(const TextMap& config);

/// Returns the calls before one of `target`, with requests in the arena of `call`: `configure` with
/// `config`, and others with empty requests. Returns nothing if no sequence of methods leads there.
std::optional<std::vector<CallStep>> steps_before(const gen::KindVersion& kind,
                                                  const gen::Method& target, const TextMap& config,
                                                  tenon_call* call);

/// Makes the calls, each with this deadline. Returns the status of the first that fails.
Result<void> make_calls(CalledPlugin& plugin, const std::vector<CallStep>& steps,
                        std::chrono::milliseconds deadline);

}  // namespace tenon::command
