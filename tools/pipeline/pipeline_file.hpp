// SPDX-License-Identifier: BSL-1.0
//
// What a pipeline file says. It is one JSON object:
//
//   { "name": "packages",
//     "source": {"plugin": "example.io/dpkg", "config": {"delay": "1ms"}},
//     "destinations": [{"plugin": "tenon.dev/sqlite", "config": {"path": "packages.db", ...}}],
//     "position": "packages.position.json" }
//
// A path in "position" counts from the folder of the file. What stands under "config" is the
// plugin's: texts that are passed on without the blanks around them, and whose paths count from the
// folder in which the pipeline is started.
#pragma once

#include "reading/findings.hpp"

#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pipeline {

using tenon::reading::Findings;
using tenon::reading::Place;

/// A plugin that a pipeline uses, with the places where the file says so.
struct PluginUse {
  std::string reference;  // [builtin:|standalone:]name[@version]
  tenon::TextMap config;
  Place place;         // of the reference
  Place config_place;  // of the config, or of the whole where there is none
  std::map<std::string, Place, std::less<>> key_places;
  std::map<std::string, Place, std::less<>> value_places;
};

struct PipelineFile {
  std::string name;
  PluginUse source;
  std::vector<PluginUse> destinations;  // at least one
  std::filesystem::path position;
  Place position_place;
};

/// Reads a pipeline file. What is wrong with it is added to the findings; nothing when there is
/// nothing to go on with.
std::optional<PipelineFile> read_pipeline_file(const std::filesystem::path& path,
                                               Findings& findings);

/// The content of a file; nothing, and a finding, when it cannot be read.
std::optional<std::string> read_text_file(const std::filesystem::path& path, Findings& findings);

/// Adds what went wrong with something that the file names at `place`, and what to do about it if
/// that is more than the error says.
void add_error(const tenon::Error& error, const Place& place, Findings& findings,
               std::string fix = {});

/// Without the blanks around it.
std::string_view trimmed(std::string_view text);

}  // namespace pipeline
