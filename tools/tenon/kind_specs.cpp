// SPDX-License-Identifier: BSL-1.0
#include "kind_specs.hpp"

#include <iostream>
#include <string>
#include <string_view>
#include <system_error>

#include "app.hpp"
#include "gen/load.hpp"

namespace tenon::command {
namespace {

namespace fs = std::filesystem;

std::string kind_text(const PluginInfo& plugin) {
  return plugin.kind() + " version " + std::to_string(plugin.version());
}

}  // namespace

KindSpecs::KindSpecs(const Options& options) {
  if (!options.kind_specs.empty()) directories_.push_back(options.kind_specs);
  std::error_code ignored;
  if (fs::is_directory(standard_specs(), ignored)) directories_.emplace_back(standard_specs());
}

Result<const gen::KindVersion*> KindSpecs::find(const PluginInfo& plugin) {
  const gen::KindVersion* found = find(plugin.kind(), plugin.version());
  while (found == nullptr && load_next()) found = find(plugin.kind(), plugin.version());
  if (found == nullptr) {
    return Error({.code = "unknown-kind",
                  .where = plugin.name(),
                  .found = kind_text(plugin),
                  .needed = "a kind whose spec is known",
                  .fix = "name the app with -a, or the directory of its specs with --specs"});
  }
  if (found->fingerprint == plugin.fingerprint()) return found;
  return Error({.code = "kind-differs",
                .where = plugin.name(),
                .found = kind_text(plugin) + " of another spec",
                .needed = "the spec that the plugin was built from, here " + found->spec,
                .fix = "name the directory of that spec with --specs, or rebuild the plugin"});
}

const gen::KindVersion* KindSpecs::find(std::string_view id, std::int32_t version) {
  for (const gen::Model& model : models_) {
    for (const auto& kind : model.kinds) {
      if (kind->id != id) continue;
      for (const auto& one : kind->versions) {
        if (one->number == version) return one.get();
      }
    }
  }
  return nullptr;
}

bool KindSpecs::load_next() {
  if (directories_.empty()) return false;
  gen::Diagnostics problems;
  models_.push_back(gen::load_specs({.directories = {directories_.front().string()},
                                     .standard_specs = standard_specs(),
                                     .frozen = false},
                                    problems));
  directories_.pop_front();
  if (!problems.empty()) {
    models_.pop_back();
    for (const tools::Diagnostic& one : problems.all()) std::cerr << tools::to_text(one) << "\n";
  }
  return true;
}

}  // namespace tenon::command
