// SPDX-License-Identifier: BSL-1.0
#include "parameters.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace pipeline {
namespace {

using tenon::config::Problem;
using tenon::tools::Diagnostic;

/// Returns the location of the value of a parameter; of the config if it is absent.
const SourceLocation& place_of_value(const std::string& name, const PluginUse& use) {
  const auto given = use.value_locations.find(name);
  return given == use.value_locations.end() ? use.config_location : given->second;
}

Diagnostic missing_parameter(const Problem& problem, const PluginUse& use) {
  return {.location = place_of_value(problem.name, use),
          .code = "missing-parameter",
          .message = "'" + use.reference + "' needs the parameter '" + problem.name + "'",
          .needed = "'" + problem.name + "': " + problem.needed,
          .fix = "add \"" + problem.name + "\": \"...\" to its config"};
}

/// Returns the value of a parameter as the file has it, if it contains references.
std::string found_value(Problem& problem, const PluginUse& use) {
  const auto written = use.written.find(problem.name);
  if (written == use.written.end() || written->second == use.config.at(problem.name)) {
    return std::move(problem.found);
  }
  return written->second;
}

Diagnostic wrong_parameter(Problem problem, const PluginUse& use) {
  return {.location = place_of_value(problem.name, use),
          .code = "wrong-parameter",
          .message = "'" + use.reference + "' does not accept this value of '" + problem.name + "'",
          .found = found_value(problem, use),
          .needed = std::move(problem.needed),
          .fix = "change the value"};
}

Diagnostic wrong_specification(Problem problem, const PluginUse& use) {
  return {.location = use.location,
          .code = "wrong-specification",
          .message = "'" + use.reference + "' specifies the parameter '" + problem.name +
                     "' in a way that cannot be checked",
          .found = std::move(problem.found),
          .needed = std::move(problem.needed),
          .fix = "report this to the author of the plugin, who can find it with `tenon verify`"};
}

// Finding a similar name takes time proportional to the number of parameters.
constexpr std::size_t most_hints = 100;

void add_unknown(const Parameters& parameters, const std::vector<std::string>& keys,
                 const PluginUse& use, Diagnostics& diagnostics) {
  if (keys.empty()) return;
  std::vector<std::string> names;
  for (const auto& [name, parameter] : parameters) names.push_back(name);
  const std::string needed = tenon::tools::enumerate(names);
  std::size_t hints = 0;
  for (const std::string& key : keys) {
    const std::string remedy = "remove it";
    diagnostics.add(
        {.location = use.key_locations.find(key)->second,
         .code = "unknown-parameter",
         .message = "'" + use.reference + "' has no parameter '" + key + "'",
         .needed = needed,
         .fix = hints++ < most_hints ? tenon::tools::did_you_mean(key, names, remedy) : remedy});
  }
}

}  // namespace

tenon::config::Checked check_config(const Parameters& parameters, const PluginUse& use,
                                    Diagnostics& diagnostics) {
  auto checked = tenon::config::check(parameters, use.config);
  std::vector<std::string> unknown;
  for (Problem& problem : checked.problems) {
    switch (problem.reason) {
      case Problem::Reason::missing:
        diagnostics.add(missing_parameter(problem, use));
        break;
      case Problem::Reason::wrong:
        diagnostics.add(wrong_parameter(std::move(problem), use));
        break;
      case Problem::Reason::invalid_parameter:
        diagnostics.add(wrong_specification(std::move(problem), use));
        break;
      case Problem::Reason::unknown:
        unknown.push_back(std::move(problem.name));
        break;
    }
  }
  add_unknown(parameters, unknown, use, diagnostics);
  return checked;
}

}  // namespace pipeline
