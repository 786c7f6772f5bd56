// SPDX-License-Identifier: BSL-1.0
#include "common/plugin_use.hpp"

#include <string_view>
#include <utility>

#include "base/plain_text.hpp"
#include "common/hashed_value.hpp"

namespace tenon::tools {
namespace {

void read_setting(const JsonMember& member, PluginUse& use, Diagnostics& diagnostics) {
  const std::string key(trimmed_lines(member.key));
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

/// Returns the value of a parameter in one of the configs that has this hash, or null.
const std::string* value_of_hash(std::string_view hash, const std::string& key,
                                 const std::vector<const tenon::TextMap*>& configs) {
  for (const tenon::TextMap* config : configs) {
    const auto value = config->find(key);
    if (value != config->end() && is_hash_of(hash, value->second)) return &value->second;
  }
  return nullptr;
}

tenon::Error unknown_secret(const std::string& key) {
  return tenon::Error(
      {.code = "unknown-secret",
       .message = "the value of '" + key + "' is a secret, of which only a hash is stored",
       .found = "no config in the file with the same value",
       .needed = "the value that the plugin had",
       .fix = "write it into the config of the plugin again; values that are written as ${NAME} or "
              "{\"file\": \"PATH\"} are read again"});
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

tenon::TextMap written_config(const tenon::TextMap& config, const PluginUse& use,
                              const Keys& secrets) {
  tenon::TextMap written;
  for (const auto& [key, value] : config) {
    const auto given = use.config.find(key);
    const bool is_default = given == use.config.end() || given->second != value;
    const std::string literal = written_of_value(value);
    const std::string& text = is_default ? literal : use.written.at(key);
    const bool is_secret = secrets.contains(key) || is_url_with_password(value);
    written[key] = is_secret && !is_default && text == literal ? hashed_value(value) : text;
  }
  return written;
}

void keep_hashes(const tenon::TextMap& earlier, const tenon::TextMap& config,
                 tenon::TextMap& written) {
  for (auto& [key, text] : written) {
    const auto before = earlier.find(key);
    if (before == earlier.end() || !is_hashed_value(text)) continue;
    if (is_hash_of(before->second, config.at(key))) text = before->second;
  }
}

ResolvedConfig resolved_config(const tenon::TextMap& written,
                               const std::vector<const tenon::TextMap*>& known) {
  ResolvedConfig resolved;
  for (const auto& [key, text] : written) {
    if (is_hashed_value(text)) {
      if (const std::string* value = value_of_hash(text, key, known)) {
        resolved.config.emplace(key, *value);
      } else {
        resolved.problem = unknown_secret(key);
      }
      continue;
    }
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
