// SPDX-License-Identifier: BSL-1.0
//
// Plugins as the files of hosts name them, with their configurations.
#pragma once

#include "reading/findings.hpp"
#include "reading/json_value.hpp"

#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::tools {

using reading::Findings;
using reading::Place;

/// A plugin that a file names: {"plugin": "example.io/dpkg", "config": {"delay": "1ms"}}.
struct PluginUse {
  std::string reference;  // [builtin:|standalone:]name[@version]
  tenon::TextMap config;
  Place place;         // of the reference
  Place config_place;  // of the config, or of the whole where there is none
  std::map<std::string, Place, std::less<>> key_places;
  std::map<std::string, Place, std::less<>> value_places;
};

/// Reads one; `what` names it in findings: "a source".
PluginUse read_plugin_use(const reading::JsonValue& value, const std::string& what,
                          Findings& findings);

/// The content of a file; nothing, and a finding, when it cannot be read.
std::optional<std::string> read_text_file(const std::filesystem::path& path, Findings& findings);

/// Adds what went wrong with something that the file names at `place`, and what to do about it if
/// that is more than the error says.
void add_error(const tenon::Error& error, const Place& place, Findings& findings,
               std::string fix = {});

/// Without the blanks around it.
std::string_view trimmed(std::string_view text);

}  // namespace tenon::tools
