// SPDX-License-Identifier: BSL-1.0
//
// Parameters in a manifest: the properties "source_parameters", "processor_parameters" and
// "destination_parameters" of a plugin.
#pragma once

#include <tenon/plugin_info.hpp>
#include <tenon/result.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "config/config_check.hpp"

namespace tenon {
class Source;
class Processor;
class Destination;
}  // namespace tenon

namespace tenon::config {

/// Returns the property of the manifest that contains the parameters of plugins of a kind. The
/// argument selects the kind and is not used otherwise.
constexpr std::string_view property_of(const Source*) {
  return "source_parameters";
}
constexpr std::string_view property_of(const Processor*) {
  return "processor_parameters";
}
constexpr std::string_view property_of(const Destination*) {
  return "destination_parameters";
}

/// Reads the parameters in the manifest of a plugin, of any version of their type. Returns nothing
/// if there are none. Errors: those of read_document, with the names of the property and of the
/// parameter.
Result<std::optional<Parameters>> stated_parameters(const PluginInfo& plugin,
                                                    std::string_view property);

/// Returns the parameters as the property of a manifest: {"version": 2, "value": {...}}.
std::string manifest_text(const Parameters& parameters);

}  // namespace tenon::config
