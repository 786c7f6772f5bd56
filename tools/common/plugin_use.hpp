// SPDX-License-Identifier: BSL-1.0
//
// Plugins that a host's files name, with their configurations.
#pragma once

#include <tenon/host.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/diagnostics.hpp"
#include "common/json_value.hpp"
#include "common/object_reader.hpp"
#include "common/setting_value.hpp"

namespace tenon::tools {

/// A plugin that a file names: {"plugin": "example.io/dpkg", "config": {"delay": "1ms"}}.
struct PluginUse {
  std::string reference;  // [builtin:|standalone:]name[@version]
  tenon::TextMap config;
  std::map<std::string, std::string, std::less<>> written;  // values; see SettingValue
  SourceLocation location;                                  // of the reference
  SourceLocation config_location;  // of the config, or of the object if it has none
  std::map<std::string, SourceLocation, std::less<>> key_locations;
  std::map<std::string, SourceLocation, std::less<>> value_locations;
};

/// Reads one. `subject` names it in diagnostics: "a source".
PluginUse read_plugin_use(const tools::JsonValue& value, const std::string& subject,
                          Diagnostics& diagnostics);
/// The same for an object that has further keys.
PluginUse read_plugin_use(const tools::ObjectReader& object, Diagnostics& diagnostics);

/// Reports an error about something that the file names at `location`. A `fix` that is not empty
/// replaces that of the error.
void add_error(const tenon::Error& error, const SourceLocation& location, Diagnostics& diagnostics,
               std::string fix = {});

/// Reports that no plugin of kind K matches `use`. Suggests a similar name, unless a plugin has
/// that name, eg: in another version.
template <class K>
void add_missing(const tenon::Host& host, const tenon::Error& error, const PluginUse& use,
                 Diagnostics& diagnostics) {
  if (error.code() != "not-found") return add_error(error, use.location, diagnostics);
  std::vector<std::string> names;
  for (const tenon::PluginInfo& plugin : host.plugins<K>()) names.push_back(plugin.name());
  add_error(error, use.location, diagnostics, did_you_mean(error.where(), names, error.fix()));
}

/// Keys of a config.
using Keys = std::set<std::string, std::less<>>;

/// Returns a config of a plugin for what is stored, without the values of variables and files; see
/// SettingValue::written. Of the values of `secrets`, and of URLs with passwords, only hashes are
/// stored if the file contains them.
tenon::TextMap written_config(const tenon::TextMap& config, const PluginUse& use,
                              const Keys& secrets);

/// Replaces each hash in `written` by that of `earlier`, another stored config, if it is a hash of
/// the same value. Hashes have random keys, so equal configs are only equal after this. `config`
/// has the values of `written`.
void keep_hashes(const tenon::TextMap& earlier, const tenon::TextMap& config,
                 tenon::TextMap& written);

/// A stored config with its values.
struct ResolvedConfig {
  tenon::TextMap config;                // without the parameters whose values are not available
  std::optional<tenon::Error> problem;  // why such a parameter has no value
};
/// Reads variables and files again. Hashed values are looked up in the configs `known`.
ResolvedConfig resolved_config(const tenon::TextMap& written,
                               const std::vector<const tenon::TextMap*>& known);

}  // namespace tenon::tools
