// SPDX-License-Identifier: BSL-1.0
#include "pipeline_file.hpp"

#include <cstdint>
#include <string_view>

#include "common/duration_setting.hpp"
#include "common/json_reader.hpp"
#include "common/object_reader.hpp"
#include "common/text_file.hpp"

namespace pipeline {
namespace {

using tenon::tools::JsonValue;
using tenon::tools::ObjectReader;

StageUse read_stage(const ObjectReader& object, Diagnostics& diagnostics) {
  return {tenon::tools::read_plugin_use(object, diagnostics),
          object.optional("id") != nullptr ? object.text("id") : std::string(),
          object.location("id"),
          {}};
}

StageUse read_stage(const JsonValue& value, const std::string& what, Diagnostics& diagnostics) {
  return read_stage(ObjectReader(value, what, {"id", "plugin", "config"}, diagnostics),
                    diagnostics);
}

StageUse read_processor(const JsonValue& value, Diagnostics& diagnostics) {
  const ObjectReader object(value, "a processor", {"id", "plugin", "config", "condition"},
                            diagnostics);
  StageUse use = read_stage(object, diagnostics);
  if (object.optional("condition") == nullptr) return use;
  const std::string condition = object.text("condition");
  if (!condition.empty()) {
    use.condition = Condition::read(condition, object.location("condition"), diagnostics);
  }
  return use;
}

std::vector<StageUse> read_processors(const ObjectReader& pipeline, Diagnostics& diagnostics) {
  std::vector<StageUse> uses;
  if (pipeline.optional("processors") == nullptr) return uses;
  const JsonValue::Array* processors = pipeline.array("processors");
  if (processors == nullptr) return uses;
  for (const JsonValue& processor : *processors) {
    uses.push_back(read_processor(processor, diagnostics));
  }
  return uses;
}

std::vector<StageUse> read_destinations(const ObjectReader& pipeline, Diagnostics& diagnostics) {
  std::vector<StageUse> uses;
  const JsonValue::Array* destinations = pipeline.array("destinations");
  if (destinations == nullptr) return uses;
  if (destinations->empty()) {
    diagnostics.add({.location = pipeline.location("destinations"),
                     .code = "missing-key",
                     .message = "the pipeline has no destination",
                     .needed = "at least one",
                     .fix = "add {\"plugin\": ...}"});
  }
  for (const JsonValue& destination : *destinations) {
    uses.push_back(read_stage(destination, "a destination", diagnostics));
  }
  return uses;
}

RefusalLimit read_limit(const JsonValue& value, Diagnostics& diagnostics) {
  const ObjectReader object(value, "a limit", {"refused", "of"}, diagnostics);
  const auto read = [&](std::string_view key) {
    return static_cast<std::uint64_t>(object.number(key, 0).value_or(0));
  };
  const RefusalLimit limit{.refused = read("refused"), .of = read("of")};
  if (limit.of == 0 || limit.refused < limit.of) return limit;
  diagnostics.add({.location = object.location("refused"),
                   .code = "wrong-limit",
                   .message = "the limit of refused records is never reached",
                   .found = std::to_string(limit.refused) + " of " + std::to_string(limit.of),
                   .needed = "'refused' less than 'of'",
                   .fix = "lower 'refused', or set 'of' to 0 to accept any number"});
  return limit;
}

std::optional<DeadLettersUse> read_dead_letters(const ObjectReader& pipeline,
                                                Diagnostics& diagnostics) {
  const JsonValue* value = pipeline.optional("dead_letters");
  if (value == nullptr) return std::nullopt;
  const ObjectReader object(*value, "'dead_letters'", {"plugin", "config", "limit"}, diagnostics);
  DeadLettersUse use{{tenon::tools::read_plugin_use(object, diagnostics),
                      "dead_letters",
                      object.location("plugin"),
                      {}},
                     {}};
  if (const JsonValue* limit = object.required("limit"))
    use.limit = read_limit(*limit, diagnostics);
  return use;
}

WindowLimits read_window(const ObjectReader& pipeline, Diagnostics& diagnostics) {
  WindowLimits window;
  const JsonValue* value = pipeline.optional("window");
  if (value == nullptr) return window;
  const ObjectReader object(*value, "a window", {"records", "bytes"}, diagnostics);
  const auto read = [&](std::string_view key, std::uint64_t& limit) {
    if (object.optional(key) == nullptr) return;
    if (const auto number = object.number(key)) limit = static_cast<std::uint64_t>(*number);
  };
  read("records", window.records);
  read("bytes", window.bytes);
  return window;
}

StallLimits read_stall(const ObjectReader& pipeline, Diagnostics& diagnostics) {
  StallLimits stall;
  const JsonValue* value = pipeline.optional("stall");
  if (value == nullptr) return stall;
  const ObjectReader object(*value, "'stall'", {"report_after", "fail_after"}, diagnostics);
  const auto read = [&](std::string_view key) {
    return tenon::tools::read_duration(object, key, "duration", diagnostics);
  };
  stall.report_after = read("report_after").value_or(stall.report_after);
  stall.fail_after = read("fail_after");
  return stall;
}

}  // namespace

std::optional<PipelineFile> read_pipeline_file(const std::filesystem::path& path,
                                               Diagnostics& diagnostics) {
  const auto text = tenon::tools::read_text_file(path, diagnostics);
  if (!text) return std::nullopt;
  const auto value = tenon::tools::read_json(*text, path.string(), diagnostics);
  if (!value) return std::nullopt;

  const ObjectReader object(*value, "a pipeline",
                            {"name", "source", "processors", "destinations", "dead_letters",
                             "position", "window", "stall"},
                            diagnostics);
  PipelineFile file;
  file.path = path;
  file.name = object.text("name");
  if (const JsonValue* source = object.required("source")) {
    file.source = read_stage(*source, "a source", diagnostics);
  }
  file.processors = read_processors(object, diagnostics);
  file.destinations = read_destinations(object, diagnostics);
  file.dead_letters = read_dead_letters(object, diagnostics);
  file.position = path.parent_path() / object.text("position");
  file.position_place = object.location("position");
  file.window = read_window(object, diagnostics);
  file.stall = read_stall(object, diagnostics);
  return file;
}

}  // namespace pipeline
