// SPDX-License-Identifier: BSL-1.0
#include "common/plugin_use.hpp"

#include <utility>

namespace tenon::tools {
namespace {

void read_setting(const JsonMember& member, PluginUse& use, Diagnostics& diagnostics) {
  const std::string key(trimmed(member.key));
  const std::string* text = member.value.text();
  if (text == nullptr) {
    diagnostics.add({.location = member.value.location,
                     .code = "wrong-type",
                     .message = "the value of '" + key + "' has the wrong type",
                     .found = std::string(type_name(member.value)),
                     .needed = "a string: every value of a config is one",
                     .fix = "put it in quotes"});
    return;
  }
  if (!use.config.emplace(key, trimmed(*text)).second) {
    diagnostics.add({.location = member.location,
                     .code = "duplicate-key",
                     .message = "the key '" + key + "' occurs twice in one config",
                     .fix = "remove one of them; blanks around a key are ignored"});
  }
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

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

}  // namespace tenon::tools
