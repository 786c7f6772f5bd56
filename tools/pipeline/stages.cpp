// SPDX-License-Identifier: BSL-1.0
#include "stages.hpp"

#include "canceller.hpp"
#include "parameters.hpp"

#include <tenon/specifier.hpp>

#include <utility>

namespace pipeline {
namespace {

const Parameters& parameters_of(const tenon::Specification& all, const tenon::Source*) {
  return all.source_parameters;
}
const Parameters& parameters_of(const tenon::Specification& all, const tenon::Destination*) {
  return all.destination_parameters;
}

/// Against what the plugin says of its parameters; not every plugin says something.
template <class K>
tenon::Result<void> check_parameters(tenon::Host& host, const PluginUse& use, Findings& findings) {
  if (!host.find<tenon::Specifier>(use.reference)) return {};
  auto specifier = host.create<tenon::Specifier>(use.reference);
  if (!specifier) return std::move(specifier).error();
  const auto specification = (*specifier)->specify();
  if (!specification) return specification.error();
  check_config(parameters_of(*specification, static_cast<const K*>(nullptr)), use, findings);
  return {};
}

template <class K>
std::optional<Stage<K>> take_stage(tenon::Host& host, const PluginUse& use, Console& console,
                                   Findings& findings) {
  if (use.reference.empty()) return std::nullopt;  // told already
  const auto info = host.find<K>(use.reference);
  if (!info) {
    tenon::tools::add_missing<K>(host, info.error(), use, findings);
    return std::nullopt;
  }
  auto created = host.create<K>(use.reference);
  if (!created) {
    add_error(created.error(), use.place, findings);
    return std::nullopt;
  }
  Stage<K> stage{{new tenon::Handle<K>(std::move(*created)), Teardown{&console}},
                 used(*info, use.config)};
  const std::size_t findings_before = findings.all().size();
  if (auto checked = check_parameters<K>(host, use, findings); !checked) {
    add_error(checked.error(), use.place, findings);
  }
  if (findings.all().size() != findings_before) return std::nullopt;
  if (auto configured = (*stage.plugin)->configure(use.config); !configured) {
    add_error(configured.error(), use.config_place, findings);
    return std::nullopt;
  }
  return stage;
}

}  // namespace

void Teardown::report(const tenon::Result<void>& result) const {
  if (!done_or_nothing_to_do(result)) console->say(result.error().to_string());
}

std::optional<Stages> take_stages(tenon::Host& host, const PipelineFile& file, Console& console,
                                  Findings& findings) {
  auto source = take_stage<tenon::Source>(host, file.source, console, findings);
  std::vector<Stage<tenon::Destination>> destinations;
  for (const PluginUse& use : file.destinations) {
    auto destination = take_stage<tenon::Destination>(host, use, console, findings);
    if (destination) destinations.push_back(std::move(*destination));
  }
  if (!findings.empty()) return std::nullopt;
  return Stages{std::move(destinations), std::move(*source)};
}

}  // namespace pipeline
