// SPDX-License-Identifier: BSL-1.0
//
// Feeds bytes to the reader of pipeline files. A file without problems must round-trip; each
// problem must have a location in the file.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/json_value.hpp"
#include "fuzz/fuzzing.hpp"
#include "pipeline/pipeline_file.hpp"

namespace {

using namespace pipeline;
using tenon::fuzzing::require;
using tenon::tools::JsonValue;

JsonValue::Object json_of(const PluginUse& use) {
  JsonValue::Object config;
  for (const auto& [key, value] : use.config) {
    config.push_back({key, {}, {tenon::tools::written_of_value(value)}});
  }
  return {{"plugin", {}, {use.reference}}, {"config", {}, {std::move(config)}}};
}

JsonValue json_of(const StageUse& use) {
  JsonValue::Object stage = json_of(static_cast<const PluginUse&>(use));
  if (!use.id.empty()) stage.push_back({"id", {}, {use.id}});
  return {std::move(stage)};
}

JsonValue json_of(std::uint64_t number) {
  return {static_cast<std::int64_t>(number)};
}

JsonValue json_of(const DeadLettersUse& use) {
  JsonValue::Object letters = json_of(static_cast<const PluginUse&>(use.stage));
  letters.push_back({"limit",
                     {},
                     {JsonValue::Object{{"refused", {}, json_of(use.limit.refused)},
                                        {"of", {}, json_of(use.limit.of)}}}});
  return {std::move(letters)};
}

JsonValue json_of(const std::vector<StageUse>& uses) {
  JsonValue::Array stages;
  for (const StageUse& use : uses) stages.push_back(json_of(use));
  return {std::move(stages)};
}

std::string written(const PipelineFile& file) {
  JsonValue::Object pipeline{{"name", {}, {file.name}},
                             {"source", {}, json_of(file.source)},
                             {"processors", {}, json_of(file.processors)},
                             {"destinations", {}, json_of(file.destinations)},
                             {"position", {}, {file.position.string()}}};
  if (file.dead_letters) pipeline.push_back({"dead_letters", {}, json_of(*file.dead_letters)});
  return tenon::tools::to_json({std::move(pipeline)});
}

bool same(const StageUse& a, const StageUse& b) {
  return a.id == b.id && a.reference == b.reference && a.config == b.config;
}

bool same(const DeadLettersUse& a, const DeadLettersUse& b) {
  return same(a.stage, b.stage) && a.limit.refused == b.limit.refused && a.limit.of == b.limit.of;
}

bool same(const std::vector<StageUse>& a, const std::vector<StageUse>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const StageUse& x, const StageUse& y) { return same(x, y); });
}

bool same(const PipelineFile& a, const PipelineFile& b) {
  return a.name == b.name && same(a.source, b.source) && same(a.processors, b.processors) &&
         same(a.destinations, b.destinations) && a.position == b.position &&
         a.dead_letters.has_value() == b.dead_letters.has_value() &&
         (!a.dead_letters || same(*a.dead_letters, *b.dead_letters));
}

void require_places(const PluginUse& use) {
  for (const auto& [key, value] : use.config) {
    require(trimmed_lines(key) == key && trimmed_lines(value) == value);
    require(use.key_locations.contains(key) && use.value_locations.contains(key));
  }
}

void require_place(const tenon::tools::Diagnostic& finding, const std::string& path, int lines) {
  require(!finding.code.empty() && !finding.message.empty() && !finding.fix.empty());
  require(finding.location.file == path);
  require(finding.location.line >= 1 && finding.location.line <= lines &&
          finding.location.column >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tenon::fuzzing::Directory directory;
  const auto text = tenon::fuzzing::text_of(data, size);
  const auto path = directory.write("pipeline.json", text);
  Diagnostics findings;
  const auto file = read_pipeline_file(path, findings);
  require(file.has_value() || !findings.empty());
  const auto lines = 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  for (const auto& finding : findings.all()) require_place(finding, path.string(), lines);
  if (file) {
    require_places(file->source);
    for (const PluginUse& use : file->processors) require_places(use);
    for (const PluginUse& use : file->destinations) require_places(use);
    if (file->dead_letters) require_places(file->dead_letters->stage);
  }
  if (!findings.empty()) return 0;
  require(!file->name.empty() && !file->destinations.empty());
  const auto again = read_pipeline_file(directory.write("pipeline.json", written(*file)), findings);
  require(again && findings.empty() && same(*file, *again));
  return 0;
}
