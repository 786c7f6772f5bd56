// SPDX-License-Identifier: BSL-1.0
//
// The parameters that a manifest states, as the properties "source_parameters",
// "processor_parameters" and "destination_parameters" of a plugin.
#pragma once

#include "config/config_check.hpp"

#include <tenon/host.hpp>
#include <tenon/result.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace tenon {
class Source;
class Processor;
class Destination;
}  // namespace tenon

namespace tenon::config {

/// Returns the property of the manifest that has the parameters of plugins of kind K.
constexpr std::string_view property_of(const Source*) {
  return "source_parameters";
}
constexpr std::string_view property_of(const Processor*) {
  return "processor_parameters";
}
constexpr std::string_view property_of(const Destination*) {
  return "destination_parameters";
}

/// Reads the parameters of the manifest, in whatever version it has them; nothing if it has none.
/// Errors: those of read_document, with the name of the property and of the parameter.
Result<std::optional<Parameters>> stated_parameters(const PluginInfo& plugin,
                                                    std::string_view property);

/// Returns the parameters as a manifest states them: {"version": 2, "value": {...}}.
std::string manifest_text(const Parameters& parameters);

}  // namespace tenon::config
