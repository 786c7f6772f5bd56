// SPDX-License-Identifier: BSL-1.0
#include "verify_setups.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "common/json_reader.hpp"
#include "common/object_reader.hpp"
#include "common/plugin_use.hpp"
#include "common/text_file.hpp"

namespace tenon::command {
namespace {

using sdk::conformance::Case;
using sdk::conformance::PluginSetup;
using tools::Diagnostics;
using tools::JsonValue;
using Setups = std::vector<PluginSetup>;

/// Returns the JSON text of an optional value, or an empty text.
std::string optional_json(const tools::ObjectReader& object, std::string_view key) {
  const JsonValue* value = object.optional(key);
  return value == nullptr ? "" : to_json(*value);
}

void read_setup(const JsonValue& value, const std::vector<Case>& cases, Setups& setups,
                Diagnostics& problems) {
  const tools::ObjectReader object(
      value, "a configuration", {"kind", "plugin", "config", "bucket", "item", "volume"}, problems);
  tools::PluginUse use = tools::read_plugin_use(object, problems);
  PluginSetup setup{object.text("kind"),           use.reference,
                    std::move(use.config),         object.optional_text("bucket"),
                    optional_json(object, "item"), object.optional_text("volume")};
  const auto is_of = [&](const auto& one) {
    return one.kind == setup.kind && one.plugin == setup.plugin;
  };
  // A missing or invalid key is already reported.
  if (setup.kind.empty() || setup.plugin.empty()) return;
  if (std::ranges::none_of(cases, is_of)) {
    problems.add({.location = use.location,
                  .code = "not-found",
                  .message = "there is no plugin '" + setup.plugin + "' of kind '" + setup.kind +
                             "' that is verified",
                  .fix = "see `tenon inspect` for its plugins"});
  }
  if (std::ranges::any_of(setups, is_of)) {
    problems.add(
        {.location = use.location,
         .code = "duplicate-plugin",
         .message = "'" + setup.plugin + "' of kind '" + setup.kind + "' is configured twice",
         .fix = "remove one of the configurations"});
  }
  setups.push_back(std::move(setup));
}

void read_file(const std::string& file, const std::vector<Case>& cases, Setups& setups,
               Diagnostics& problems) {
  const auto text = tools::read_text_file(file, problems);
  const auto root = text ? tools::read_json(*text, file, problems) : std::nullopt;
  if (!root) return;
  const JsonValue::Array* all = root->array();
  if (all == nullptr) {
    return add_wrong_type(*root, "the file", "an array of configurations", problems);
  }
  for (const JsonValue& value : *all) read_setup(value, cases, setups, problems);
}

}  // namespace

Setups read_setups(const std::vector<std::string>& files, const std::vector<Case>& cases,
                   Diagnostics& problems) {
  Setups setups;
  for (const std::string& file : files) read_file(file, cases, setups, problems);
  return setups;
}

}  // namespace tenon::command
