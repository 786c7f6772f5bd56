// SPDX-License-Identifier: BSL-1.0
#include "common/plugin_use.hpp"

#include <utility>

namespace tenon::tools {
namespace {

void read_setting(const JsonMember& member, PluginUse& use, Diagnostics& diagnostics) {
  const std::string key(trimmed(member.key));
  SettingValue setting = read_setting_value(member.value, key, diagnostics);
  if (!use.config.emplace(key, std::move(setting.value)).second) {
    diagnostics.add({.location = member.location,
                     .code = "duplicate-key",
                     .message = "the key '" + key + "' occurs twice in one config",
                     .fix = "remove one of them; blanks around a key are ignored"});
  }
  use.written[key] = std::move(setting.written);
  use.key_locations[key] = member.location;
  use.value_locations[key] = member.value.location;
}

}  // namespace

PluginUse read_plugin_use(const JsonValue& value, const std::string& subject,
                          Diagnostics& diagnostics) {
  return read_plugin_use(ObjectReader(value, subject, {"plugin", "config"}, diagnostics),
                         diagnostics);
}

PluginUse read_plugin_use(const ObjectReader& object, Diagnostics& diagnostics) {
  PluginUse use;
  use.reference = object.text("plugin");
  use.location = object.location("plugin");
  use.config_location = object.location("config");
  if (const JsonValue::Object* config = object.optional_object("config")) {
    for (const JsonMember& member : *config) read_setting(member, use, diagnostics);
  }
  return use;
}

void add_error(const tenon::Error& error, const SourceLocation& location, Diagnostics& diagnostics,
               std::string fix) {
  std::string what;
  for (const std::string_view part :
       {error.plugin(), error.method(), error.where(), error.message()}) {
    if (part.empty()) continue;
    if (!what.empty()) what += ": ";
    what += part;
  }
  diagnostics.add({.location = location,
                   .code = std::string(error.code()),
                   .message = std::move(what),
                   .found = std::string(error.found()),
                   .needed = std::string(error.needed()),
                   .fix = fix.empty() ? std::string(error.fix()) : std::move(fix)});
}

tenon::TextMap written_config(const tenon::TextMap& config, const PluginUse& use) {
  tenon::TextMap written;
  for (const auto& [key, value] : config) {
    const auto given = use.config.find(key);
    const bool same = given != use.config.end() && given->second == value;
    written[key] = same ? use.written.at(key) : written_of_value(value);
  }
  return written;
}

ResolvedConfig resolved_config(const tenon::TextMap& written) {
  ResolvedConfig resolved;
  for (const auto& [key, text] : written) {
    Diagnostics diagnostics;
    std::string value = value_of_written(text, key, {}, diagnostics);
    if (diagnostics.empty()) {
      resolved.config.emplace(key, std::move(value));
      continue;
    }
    const Diagnostic& problem = diagnostics.all().front();
    resolved.problem = tenon::Error({.code = problem.code,
                                     .message = problem.message,
                                     .found = problem.found,
                                     .needed = problem.needed,
                                     .fix = problem.fix});
  }
  return resolved;
}

}  // namespace tenon::tools
