// SPDX-License-Identifier: BSL-1.0
#include "spelling.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "base/plain_text.hpp"
#include "common/diagnostics.hpp"
#include "json.hpp"

namespace tenon::command {
namespace {

using Names = std::vector<std::string>;

/// `path`: of the object in the manifest.
void check(std::string_view key, const Names& known, const std::string& path,
           ModuleReport& report) {
  const std::string question = tools::did_you_mean(key, known);
  if (question.empty()) return;
  report.add(Error({.code = "misspelled-key",
                    .where = report.file.string(),
                    .found = "\"" + escaped_for_display(key) + "\"  (manifest: " + path + ")",
                    .needed = "a key that is defined, or one that does not resemble it",
                    .fix = question,
                    .severity = Severity::warning}));
}

/// Returns the properties that the kinds of the plugins with a name define.
Names properties_of(const Options& options, const std::vector<PluginInfo>& plugins,
                    std::string_view name) {
  Names properties;
  for (const PluginInfo& plugin : plugins) {
    const auto found = options.properties.find(plugin.kind());
    if (plugin.name() != name || found == options.properties.end()) continue;
    properties.insert(properties.end(), found->second.begin(), found->second.end());
  }
  return properties;
}

}  // namespace

void check_spelling(const Options& options, ModuleReport& report) {
  if (!report.manifest) return;
  const Names keys{"author",     "description", "handled", "homepage", "license",
                   "properties", "requires",    "state",   "summary",  "threads"};
  const boost::json::object details = details_of(*report.manifest);
  for (const auto& [key, value] : details) check(key, keys, "details[0]", report);
  const boost::json::value* properties = details.if_contains("properties");
  if (properties == nullptr || !properties->is_object()) return;
  for (const auto& [plugin, values] : properties->get_object()) {
    if (!values.is_object()) continue;
    const Names known = properties_of(options, report.plugins, plugin);
    for (const auto& [key, value] : values.get_object()) {
      check(key, known, "details[0].properties[\"" + std::string(plugin) + "\"]", report);
    }
  }
}

}  // namespace tenon::command
