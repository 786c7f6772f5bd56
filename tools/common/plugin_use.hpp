// SPDX-License-Identifier: BSL-1.0
//
// Plugins as the files of hosts name them, with their configurations.
#pragma once

#include "common/findings.hpp"
#include "common/json_value.hpp"
#include "common/object_reader.hpp"

#include <tenon/host.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::tools {

using reading::Findings;
using reading::Place;

/// A plugin that a file names: {"plugin": "example.io/dpkg", "config": {"delay": "1ms"}}.
struct PluginUse {
  std::string reference;  // [builtin:|standalone:]name[@version]
  tenon::TextMap config;
  Place place;         // of the reference
  Place config_place;  // of the config, or of the whole if there is none
  std::map<std::string, Place, std::less<>> key_places;
  std::map<std::string, Place, std::less<>> value_places;
};

/// Reads one; `what` names it in findings: "a source".
PluginUse read_plugin_use(const reading::JsonValue& value, const std::string& what,
                          Findings& findings);
/// The same, from an object that may have more keys.
PluginUse read_plugin_use(const reading::ObjectReader& object, Findings& findings);

/// Adds the error of something that the file names at `place`. `fix` replaces the one of the error
/// unless it is empty.
void add_error(const tenon::Error& error, const Place& place, Findings& findings,
               std::string fix = {});

/// Adds that there is no plugin of kind K that `use` names, and the name that may be meant if the
/// reference has the right form.
template <class K>
void add_missing(const tenon::Host& host, const tenon::Error& error, const PluginUse& use,
                 Findings& findings) {
  if (error.code() == "bad-reference") return add_error(error, use.place, findings);
  std::vector<std::string> names;
  for (const tenon::PluginInfo& plugin : host.plugins<K>()) names.push_back(plugin.name());
  add_error(error, use.place, findings, reading::did_you_mean(use.reference, names, error.fix()));
}

/// Returns a text without the blanks at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace tenon::tools
