// SPDX-License-Identifier: BSL-1.0
//
// Generates the file with which Meson builds the kinds of an app. Meson has no functions, and reads
// only files of the project, so each project has a copy beside its specs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::gen {

struct MesonFile {
  std::string app;                      // as in HostOptions::app, eg: "photo"
  std::string name;                     // begins the names of its variables, eg: "photo_kinds"
  std::vector<std::string> standard{};  // eg: "source@2"
};

/// Returns the file meson.build for the directory of the specs.
std::string emit_meson(const MesonFile& file);

/// Returns whether a text was made by `emit_meson`.
bool is_emitted_meson(std::string_view text);

}  // namespace tenon::gen
