// SPDX-License-Identifier: BSL-1.0
//
// Finds and parses spec files: `<directory>/**/v<N>.json`, `v<N>preview<M>.json` and the
// `evolution.json` in the same directory. A directory contains the versions of one kind or document
// type.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/text_file.hpp"
#include "gen/common.hpp"
#include "gen/model/version_name.hpp"

namespace tenon::gen {

/// The name of a list of released versions.
inline constexpr std::string_view release_list_name = "released.json";

/// Returns the content of a file of at most 64 MB. Pipes and devices, which could block or not end,
/// are not read. Throws IoError.
std::string read_regular_file(const std::filesystem::path& path);

struct SpecFile {
  std::string path;       // eg: "abi/kinds/source/v2.json"
  std::string spec;       // relative to the given directory, eg: "kinds/source/v2.json"
  VersionName version{};  // from the file name; none for evolution.json
  JsonValue json;
};

struct SpecDirectory {
  std::string path;
  std::vector<SpecFile> versions{};  // ascending
  std::optional<SpecFile> evolution{};
  bool standard = false;  // from the installed specs of tenon

  /// Returns the versions that have a file, ascending.
  std::vector<VersionName> names() const;
  /// Returns nullptr if there is none.
  const SpecFile* find(const VersionName& version) const noexcept;
};

struct SpecFiles {
  std::vector<SpecDirectory> directories{};  // sorted by path
  std::vector<std::string> inputs{};         // the files and the directories above them
  std::vector<std::string> lists{};  // lists of released versions, not of the standard specs
  /// Specs and lists that are not standard: their paths by the path relative to the given
  /// directory.
  std::map<std::string, std::string> sources{};
  bool uses_standard = false;  // whether a file contains "tenon.dev/"
};

/// Adds the specs and the lists of released versions below `root`. Files that are not JSON, and
/// specs with a misspelt file name, are reported and skipped. A `v<N>.json` without any key of a
/// spec is ignored. Throws IoError.
void find_spec_files(const std::string& root, bool standard, SpecFiles& files,
                     Diagnostics& diagnostics);

}  // namespace tenon::gen
