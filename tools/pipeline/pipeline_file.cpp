// SPDX-License-Identifier: BSL-1.0
#include "pipeline_file.hpp"

#include "reading/json_source.hpp"
#include "reading/object_reader.hpp"
#include "reading/text_file.hpp"

#include <cstdint>
#include <string_view>

namespace pipeline {
namespace {

using tenon::reading::JsonValue;
using tenon::reading::ObjectReader;

StageUse read_stage(const JsonValue& value, const std::string& what, Findings& findings) {
  const ObjectReader object(value, what, {"id", "plugin", "config"}, findings);
  return {tenon::tools::read_plugin_use(object, findings),
          object.optional("id") != nullptr ? object.text("id") : std::string(), object.place("id")};
}

std::vector<StageUse> read_destinations(const ObjectReader& pipeline, Findings& findings) {
  std::vector<StageUse> uses;
  const JsonValue::Array* destinations = pipeline.array("destinations");
  if (destinations == nullptr) return uses;
  if (destinations->empty()) {
    findings.add({.place = pipeline.place("destinations"),
                  .code = "missing-key",
                  .what = "the pipeline has no destination",
                  .needed = "at least one",
                  .fix = "add {\"plugin\": ...}"});
  }
  for (const JsonValue& destination : *destinations) {
    uses.push_back(read_stage(destination, "a destination", findings));
  }
  return uses;
}

Window read_window(const ObjectReader& pipeline, Findings& findings) {
  Window window;
  const JsonValue* value = pipeline.optional("window");
  if (value == nullptr) return window;
  const ObjectReader object(*value, "a window", {"records", "bytes"}, findings);
  const auto read = [&](std::string_view key, std::uint64_t& limit) {
    if (object.optional(key) == nullptr) return;
    if (const auto number = object.number(key)) limit = static_cast<std::uint64_t>(*number);
  };
  read("records", window.records);
  read("bytes", window.bytes);
  return window;
}

}  // namespace

std::optional<PipelineFile> read_pipeline_file(const std::filesystem::path& path,
                                               Findings& findings) {
  const auto text = tenon::reading::read_text_file(path, findings);
  if (!text) return std::nullopt;
  const auto value = tenon::reading::read_json(*text, path.string(), findings);
  if (!value) return std::nullopt;

  const ObjectReader object(*value, "a pipeline",
                            {"name", "source", "destinations", "position", "window"}, findings);
  PipelineFile file;
  file.name = object.text("name");
  if (const JsonValue* source = object.required("source")) {
    file.source = read_stage(*source, "a source", findings);
  }
  file.destinations = read_destinations(object, findings);
  file.position = path.parent_path() / object.text("position");
  file.position_place = object.place("position");
  file.window = read_window(object, findings);
  return file;
}

}  // namespace pipeline
