// SPDX-License-Identifier: BSL-1.0
#include "stages.hpp"

#include <tenon/specifier.hpp>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "canceller.hpp"
#include "config/manifest_parameters.hpp"
#include "parameters.hpp"

namespace pipeline {
namespace {

using tenon::config::Checked;

const Parameters& parameters_of(const tenon::Specification& all, const tenon::Source*) {
  return all.source_parameters;
}
const Parameters& parameters_of(const tenon::Specification& all, const tenon::Processor*) {
  return all.processor_parameters;
}
const Parameters& parameters_of(const tenon::Specification& all, const tenon::Destination*) {
  return all.destination_parameters;
}

/// Returns the parameters in the manifest of a plugin; nothing if it has none. If they cannot be
/// read, prints a warning and returns nothing.
template <class K>
std::optional<Parameters> stated_parameters(const tenon::PluginInfo& info,
                                            const Messages& messages) {
  const std::string_view property = tenon::config::property_of(static_cast<const K*>(nullptr));
  auto stated = tenon::config::stated_parameters(info, property);
  if (stated) return *std::move(stated);
  messages.say("warning: " + stated.error().to_string());
  return std::nullopt;
}

/// Checks a config against the specification of the plugin, and returns it with defaults. Returns
/// it unchanged if the plugin has no specifier.
template <class K>
tenon::Result<Checked> check_specified(tenon::Host& host, const PluginUse& use, CallSlot& calls,
                                       Diagnostics& diagnostics) {
  if (!host.find<tenon::Specifier>(use.reference)) return Checked{use.config, {}, {}};
  const CallSlot::Scope call(calls, "specify");
  auto specifier = host.create<tenon::Specifier>(use.reference);
  if (!specifier) return std::move(specifier).error();
  const auto specification = (*specifier)->specify();
  if (!specification) return specification.error();
  return check_config(parameters_of(*specification, static_cast<const K*>(nullptr)), use,
                      diagnostics);
}

template <class K>
std::optional<Stage<K>> create_stage(tenon::Host& host, const StageUse& use,
                                     const Messages& messages, OpenCalls& calls,
                                     tenon::tools::PluginOrigins& origins,
                                     Diagnostics& diagnostics) {
  if (use.reference.empty()) return std::nullopt;  // reported by read_pipeline_file
  const auto info = host.find<K>(use.reference);
  if (!info) {
    tenon::tools::add_missing<K>(host, info.error(), use, diagnostics);
    return std::nullopt;
  }
  const std::size_t diagnostics_before = diagnostics.all().size();
  std::optional<tenon::Result<Checked>> checked;
  if (const auto stated = stated_parameters<K>(*info, messages)) {
    checked = check_config(*stated, use, diagnostics);
  }
  // Do not load the module for a config that it would refuse.
  if (diagnostics.all().size() != diagnostics_before) return std::nullopt;
  const std::string id = use.id.empty() ? info->name() : use.id;
  // The position file does not contain the processors.
  const UsedPlugin now = std::is_same_v<K, tenon::Processor>
                             ? UsedPlugin{.id = id, .plugin = info->name()}
                             : used(id, *info, {}, origins);
  CallSlot& slot = calls.add(label_of(now));
  auto created = [&] {
    const CallSlot::Scope call(slot, "create");
    return host.create<K>(use.reference);
  }();
  if (!created) {
    add_error(created.error(), use.location, diagnostics);
    return std::nullopt;
  }
  Stage<K> stage{{new tenon::Handle<K>(std::move(*created)), Teardown{&messages, now}}, now, {}};
  if (!checked) checked = check_specified<K>(host, use, slot, diagnostics);
  if (!*checked) add_error(checked->error(), use.location, diagnostics);
  if (diagnostics.all().size() != diagnostics_before) return std::nullopt;
  stage.config = (*checked)->config;
  stage.used.config = tenon::tools::written_config(stage.config, use, (*checked)->secrets);
  const CallSlot::Scope call(slot, "configure");
  if (auto configured = (*stage.plugin)->configure(stage.config); !configured) {
    add_error(configured.error(), use.config_location, diagnostics);
    return std::nullopt;
  }
  return stage;
}

constexpr std::string_view word_of(const tenon::Processor*) {
  return "processor";
}
constexpr std::string_view word_of(const tenon::Destination*) {
  return "destination";
}

/// `uses` and `stages` are in the same order.
template <class K>
void check_ids(const std::vector<StageUse>& uses, const std::vector<Stage<K>>& stages,
               Diagnostics& diagnostics) {
  std::set<std::string> ids;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const std::string& id = stages[i].used.id;
    if (ids.insert(id).second) continue;
    const std::string word(word_of(static_cast<const K*>(nullptr)));
    diagnostics.add(
        {.location = uses[i].id_place,
         .code = "duplicate-id",
         .message = "another " + word + " has the id '" + id + "'",
         .found = uses[i].id.empty() ? "no id, so the name of the plugin is the id" : "",
         .needed = "an id that is unique in the pipeline",
         .fix = "add \"id\": \"...\" with another name"});
  }
}

/// Creates the stages of one kind, and checks that their ids are unique.
template <class K>
std::vector<Stage<K>> create_stages(tenon::Host& host, const std::vector<StageUse>& uses,
                                    const Messages& messages, OpenCalls& calls,
                                    tenon::tools::PluginOrigins& origins,
                                    Diagnostics& diagnostics) {
  std::vector<Stage<K>> stages;
  for (const StageUse& use : uses) {
    if (auto stage = create_stage<K>(host, use, messages, calls, origins, diagnostics)) {
      stages.push_back(*std::move(stage));
    }
  }
  if (stages.size() == uses.size()) check_ids(uses, stages, diagnostics);
  return stages;
}

/// Returns the configs of a file, in which the values of stored hashes are looked up.
std::vector<const tenon::TextMap*> configs_of(const PipelineFile& file) {
  std::vector<const tenon::TextMap*> configs = {&file.source.config};
  for (const StageUse& use : file.destinations) configs.push_back(&use.config);
  if (file.dead_letters) configs.push_back(&file.dead_letters->stage.config);
  return configs;
}

}  // namespace

void Teardown::report(const tenon::Result<void>& result) const {
  if (!ok_or_unimplemented(result)) messages->say(labelled(result.error(), used).to_string());
}

std::optional<Stages> create_stages(tenon::Host& host, const PipelineFile& file,
                                    const Messages& messages, OpenCalls& calls,
                                    tenon::tools::PluginOrigins& origins,
                                    Diagnostics& diagnostics) {
  auto source =
      create_stage<tenon::Source>(host, file.source, messages, calls, origins, diagnostics);
  auto processors =
      create_stages<tenon::Processor>(host, file.processors, messages, calls, origins, diagnostics);
  auto destinations = create_stages<tenon::Destination>(host, file.destinations, messages, calls,
                                                        origins, diagnostics);
  std::optional<DeadLettersStage> dead_letters;
  if (file.dead_letters) {
    auto stage = create_stage<tenon::Destination>(host, file.dead_letters->stage, messages, calls,
                                                  origins, diagnostics);
    if (stage) dead_letters = {*std::move(stage), file.dead_letters->limit};
  }
  if (!diagnostics.empty()) return std::nullopt;
  return Stages{std::move(dead_letters), std::move(destinations), std::move(processors),
                std::move(*source)};
}

template <class K>
tenon::Result<void> delete_plugin(tenon::Host& host, const UsedPlugin& removed,
                                  const PipelineFile& file, const Messages& messages) {
  const auto resolved = tenon::tools::resolved_config(removed.config, configs_of(file));
  if (resolved.problem) return *resolved.problem;
  auto created = host.create<K>(removed.plugin);
  if (!created) return std::move(created).error();
  const Stage<K> stage{{new tenon::Handle<K>(std::move(*created)), Teardown{&messages, removed}},
                       removed,
                       resolved.config};
  auto deleted = (*stage.plugin)->on_deleted(stage.config);
  return ok_or_unimplemented(deleted) ? tenon::Result<void>() : deleted;
}
template tenon::Result<void> delete_plugin<tenon::Source>(tenon::Host&, const UsedPlugin&,
                                                          const PipelineFile&, const Messages&);
template tenon::Result<void> delete_plugin<tenon::Destination>(tenon::Host&, const UsedPlugin&,
                                                               const PipelineFile&,
                                                               const Messages&);

}  // namespace pipeline
