// SPDX-License-Identifier: BSL-1.0
//
// The content of a pipeline file, which is one JSON object:
//
//   { "name": "packages",
//     "source": {"plugin": "example.io/dpkg", "config": {"delay": "1ms"}},
//     "processors": [{"plugin": "tenon.dev/field", "config": {"drop": "password"},
//                     "condition": "/name == root"}],
//     "destinations": [{"id": "table", "plugin": "tenon.dev/sqlite", "config": {...},
//                       "processors": [{"plugin": "tenon.dev/decode", "config": {...}}]}],
//     "dead_letters": {"plugin": "tenon.dev/file", "config": {"path": "refused.jsonl"},
//                      "limit": {"refused": 10, "of": 100}},
//     "position": "packages.position.json",
//     "window": {"records": 10000, "bytes": 33554432},
//     "stall": {"report_after": "30s", "fail_after": "10m"} }
//
// "position" is relative to the directory of the file. "processors", those of the pipeline, of the
// source and of each destination, "batch", "rate", "dead_letters", "window"
// (window_limits.hpp), "stall" (stall_watch.hpp) and each member of the last two are optional. The
// values of "config" are strings. Blanks at their ends are removed; paths in them are relative to
// the working directory of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/plain_text.hpp"
#include "batch_limits.hpp"
#include "common/diagnostics.hpp"
#include "common/plugin_use.hpp"
#include "condition.hpp"
#include "stall_watch.hpp"
#include "window_limits.hpp"

namespace pipeline {

using tenon::trimmed_lines;
using tenon::tools::add_error;
using tenon::tools::Diagnostics;
using tenon::tools::PluginUse;
using tenon::tools::SourceLocation;

/// The description of a stage of the pipeline.
struct StageUse : PluginUse {
  std::string id;                            // empty: the name of the plugin
  SourceLocation id_place;                   // of the id, or of the stage if it has none
  std::optional<Condition> condition{};      // of the records that a processor gets
  std::optional<std::size_t> destination{};  // the index of that whose processor it is
  std::optional<BatchLimits> batch{};        // that a source returns or a destination gets
  std::optional<RateLimit> rate{};           // of a destination
};

/// The limit of refused records that a pipeline tolerates: `refused` of `of` consecutive records.
struct RefusalLimit {
  std::uint64_t refused = 0;
  std::uint64_t of = 0;  // 0: any number
};

struct DeadLettersUse {
  StageUse stage;
  RefusalLimit limit;
};

struct PipelineFile {
  std::filesystem::path path;
  std::string name;
  StageUse source;
  std::vector<StageUse> processors;    // of the source, the pipeline, then each destination
  std::vector<StageUse> destinations;  // at least one
  std::optional<DeadLettersUse> dead_letters;
  std::filesystem::path position;
  SourceLocation position_place;
  WindowLimits window;
  StallLimits stall;
};

/// Reads a pipeline file, and adds problems to the diagnostics. Returns nothing if the file cannot
/// be read or is not JSON.
std::optional<PipelineFile> read_pipeline_file(const std::filesystem::path& path,
                                               Diagnostics& diagnostics);

}  // namespace pipeline
