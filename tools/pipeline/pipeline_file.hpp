// SPDX-License-Identifier: BSL-1.0
//
// What a pipeline file says. It is one JSON object:
//
//   { "name": "packages",
//     "source": {"plugin": "example.io/dpkg", "config": {"delay": "1ms"}},
//     "processors": [{"plugin": "tenon.dev/field", "config": {"drop": "password"}}],
//     "destinations": [{"id": "table", "plugin": "tenon.dev/sqlite", "config": {...}}],
//     "dead_letters": {"plugin": "tenon.dev/file", "config": {"path": "refused.jsonl"},
//                      "limit": {"refused": 10, "of": 100}},
//     "position": "packages.position.json",
//     "window": {"records": 10000, "bytes": 33554432} }
//
// A path in "position" counts from the folder of the file. "processors", "dead_letters" and
// "window" (window.hpp) may be absent, and each member of the window. The values of "config" are
// texts. They are passed to the plugin without the blanks around them; paths in them count from the
// folder in which the pipeline is started.
#pragma once

#include "window.hpp"

#include "common/diagnostics.hpp"
#include "common/plugin_use.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pipeline {

using tenon::tools::add_error;
using tenon::tools::Diagnostics;
using tenon::tools::PluginUse;
using tenon::tools::SourceLocation;
using tenon::tools::trimmed;

/// A plugin at its place in the pipeline.
struct StageUse : PluginUse {
  std::string id;           // empty: the name of the plugin
  SourceLocation id_place;  // of the id, or of the stage if it has none
};

/// How many refused records a pipeline tolerates: `refused` of each `of` records in a row.
struct RefusalLimit {
  std::uint64_t refused = 0;
  std::uint64_t of = 0;  // 0: any number
};

struct DeadLettersUse {
  StageUse stage;
  RefusalLimit limit;
};

struct PipelineFile {
  std::string name;
  StageUse source;
  std::vector<StageUse> processors;    // in the order in which they process
  std::vector<StageUse> destinations;  // at least one
  std::optional<DeadLettersUse> dead_letters;
  std::filesystem::path position;
  SourceLocation position_place;
  Window window;
};

/// Reads a pipeline file. What is wrong with it is added to the findings; nothing when there is
/// nothing to go on with.
std::optional<PipelineFile> read_pipeline_file(const std::filesystem::path& path,
                                               Diagnostics& findings);

}  // namespace pipeline
