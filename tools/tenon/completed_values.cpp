// SPDX-License-Identifier: BSL-1.0
#include "completed_values.hpp"

#include <tenon/host.hpp>

#include <set>
#include <string>
#include <vector>

#include "app.hpp"
#include "base/error_codes.hpp"

namespace tenon::command {
namespace {

std::vector<std::string> codes() {
  std::vector<std::string> words;
  for (const ErrorCode& one : error_codes()) words.emplace_back(one.code);
  return words;
}

/// Returns the words of all plugins, each once. `add(plugin, words)` adds those of one.
template <class Add>
std::vector<std::string> words_of_plugins(Add add) {
  Options options;
  std::set<std::string> words;
  if (load_app(options) != success) return {};
  use_app(options);
  const Host host(host_options(options));
  for (const PluginInfo& plugin : host.registered()) add(plugin, words);
  return {words.begin(), words.end()};
}

std::vector<std::string> kinds() {
  return words_of_plugins(
      [](const PluginInfo& plugin, auto& words) { words.emplace(plugin.kind()); });
}

std::vector<std::string> references() {
  return words_of_plugins([](const PluginInfo& plugin, auto& words) {
    words.emplace(plugin.name());
    words.emplace(plugin.package());
  });
}

}  // namespace

tools::CompletedValues completed_values() {
  return {{"CODE", codes}, {"KIND", kinds}, {"REF", references}};
}

}  // namespace tenon::command
