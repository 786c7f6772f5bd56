// SPDX-License-Identifier: BSL-1.0
#include "common/plugin_use.hpp"

#include <utility>

namespace tenon::tools {
namespace {

using reading::JsonMember;
using reading::JsonValue;
using reading::ObjectReader;

void read_setting(const JsonMember& member, PluginUse& use, Findings& findings) {
  const std::string key(trimmed(member.key));
  const std::string* text = member.value.text();
  if (text == nullptr) {
    findings.add({.place = member.value.place,
                  .code = "wrong-type",
                  .what = "the value of '" + key + "' has the wrong form",
                  .found = std::string(form_of(member.value)),
                  .needed = "a text: every value of a config is one",
                  .fix = "put it in quotes"});
    return;
  }
  if (!use.config.emplace(key, trimmed(*text)).second) {
    findings.add({.place = member.place,
                  .code = "duplicate-key",
                  .what = "the key '" + key + "' stands twice in one config",
                  .fix = "remove one of the two; blanks around a key do not count"});
  }
  use.key_places[key] = member.place;
  use.value_places[key] = member.value.place;
}

}  // namespace

PluginUse read_plugin_use(const JsonValue& value, const std::string& what, Findings& findings) {
  return read_plugin_use(ObjectReader(value, what, {"plugin", "config"}, findings), findings);
}

PluginUse read_plugin_use(const ObjectReader& object, Findings& findings) {
  PluginUse use;
  use.reference = object.text("plugin");
  use.place = object.place("plugin");
  use.config_place = object.place("config");
  if (const JsonValue::Object* config = object.optional_object("config")) {
    for (const JsonMember& member : *config) read_setting(member, use, findings);
  }
  return use;
}

void add_error(const tenon::Error& error, const Place& place, Findings& findings, std::string fix) {
  std::string what;
  for (const std::string_view part :
       {error.plugin(), error.method(), error.where(), error.message()}) {
    if (part.empty()) continue;
    if (!what.empty()) what += ": ";
    what += part;
  }
  findings.add({.place = place,
                .code = std::string(error.code()),
                .what = std::move(what),
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
