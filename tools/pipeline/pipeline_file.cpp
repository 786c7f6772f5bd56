// SPDX-License-Identifier: BSL-1.0
#include "pipeline_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "common/duration_setting.hpp"
#include "common/json_reader.hpp"
#include "common/object_reader.hpp"
#include "common/text_file.hpp"
#include "platform/utf8_path.hpp"

namespace pipeline {
namespace {

using tenon::tools::JsonValue;
using tenon::tools::ObjectReader;

StageUse read_stage(const ObjectReader& object, Diagnostics& diagnostics) {
  return {tenon::tools::read_plugin_use(object, diagnostics),
          object.optional("id") != nullptr ? object.text("id") : std::string(),
          object.location("id")};
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

std::optional<BatchLimits> read_batch(const ObjectReader& stage, Diagnostics& diagnostics) {
  const JsonValue* value = stage.optional("batch");
  if (value == nullptr) return std::nullopt;
  const ObjectReader object(*value, "a batch", {"records", "delay"}, diagnostics);
  BatchLimits batch;
  if (object.optional("records") != nullptr) {
    if (const auto records = object.number("records"))
      batch.records = static_cast<std::uint64_t>(*records);
  }
  batch.delay =
      tenon::tools::read_duration(object, "delay", "duration", diagnostics).value_or(batch.delay);
  return batch;
}

std::optional<RateLimit> read_rate(const ObjectReader& stage, Diagnostics& diagnostics) {
  const JsonValue* value = stage.optional("rate");
  if (value == nullptr) return std::nullopt;
  const ObjectReader object(*value, "a rate", {"per_second", "burst"}, diagnostics);
  RateLimit rate;
  if (const auto number = object.number("per_second"))
    rate.per_second = static_cast<std::uint64_t>(*number);
  rate.burst = rate.per_second;
  if (object.optional("burst") != nullptr) {
    if (const auto number = object.number("burst"))
      rate.burst = static_cast<std::uint64_t>(*number);
  }
  return rate;
}

/// Adds the processors of a pipeline, a source or the destination with this index.
void read_processors(const ObjectReader& object, std::optional<std::size_t> destination,
                     PipelineFile& file, Diagnostics& diagnostics) {
  const JsonValue::Array* processors = object.optional_array("processors");
  if (processors == nullptr) return;
  for (const JsonValue& processor : *processors) {
    file.processors.push_back(read_processor(processor, diagnostics));
    file.processors.back().destination = destination;
  }
}

void read_source(const ObjectReader& pipeline, PipelineFile& file, Diagnostics& diagnostics) {
  const JsonValue* source = pipeline.required("source");
  if (source == nullptr) return;
  const ObjectReader object(*source, "a source", {"id", "plugin", "config", "processors", "batch"},
                            diagnostics);
  file.source = read_stage(object, diagnostics);
  file.source.batch = read_batch(object, diagnostics);
  read_processors(object, std::nullopt, file, diagnostics);
}

void read_destinations(const ObjectReader& pipeline, PipelineFile& file, Diagnostics& diagnostics) {
  const JsonValue::Array* destinations = pipeline.array("destinations");
  if (destinations == nullptr) return;
  if (destinations->empty()) {
    diagnostics.add({.location = pipeline.location("destinations"),
                     .code = "missing-key",
                     .message = "the pipeline has no destination",
                     .needed = "at least one",
                     .fix = "add {\"plugin\": ...}"});
  }
  for (const JsonValue& destination : *destinations) {
    const ObjectReader object(destination, "a destination",
                              {"id", "plugin", "config", "processors", "batch", "rate"},
                              diagnostics);
    read_processors(object, file.destinations.size(), file, diagnostics);
    StageUse& use = file.destinations.emplace_back(read_stage(object, diagnostics));
    use.batch = read_batch(object, diagnostics);
    use.rate = read_rate(object, diagnostics);
  }
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
  DeadLettersUse use{{tenon::tools::read_plugin_use(object, diagnostics), "dead_letters",
                      object.location("plugin")},
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
  read_source(object, file, diagnostics);
  read_processors(object, std::nullopt, file, diagnostics);
  read_destinations(object, file, diagnostics);
  file.dead_letters = read_dead_letters(object, diagnostics);
  file.position = path.parent_path() / tenon::platform::path_from(object.text("position"));
  file.position_place = object.location("position");
  file.window = read_window(object, diagnostics);
  file.stall = read_stall(object, diagnostics);
  return file;
}

}  // namespace pipeline
