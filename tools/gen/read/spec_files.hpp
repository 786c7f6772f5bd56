// SPDX-License-Identifier: BSL-1.0
//
// Finds and parses spec files: `<folder>/**/v<N>.json`, `v<N>preview<M>.json` and the
// `evolution.json` beside them. All versions of one kind or document type lie in one folder, and
// nothing else does.
#pragma once

#include "gen/model/reading.hpp"
#include "gen/model/version_name.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenon::gen {

/// The environment failed: a folder is not there, a file cannot be read or written.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SpecFile {
  std::string path;       // as it was found, eg: "abi/kinds/source/v2.json"
  std::string spec;       // below the folder that was given, eg: "kinds/source/v2.json"
  VersionName version{};  // of the file name; none for evolution.json
  JsonValue json;
};

struct SpecFolder {
  std::string path;
  std::vector<SpecFile> versions{};  // ascending
  std::optional<SpecFile> evolution{};
  bool standard = false;  // of tenon's own installed specs

  /// Those that there is a file of, ascending.
  std::vector<VersionName> names() const;
  /// nullptr where there is none.
  const SpecFile* find(const VersionName& version) const noexcept;
};

struct SpecFiles {
  std::vector<SpecFolder> folders{};  // sorted by path
  std::vector<std::string> inputs{};  // the files, and the folders that lead to them
  bool names_standard = false;        // whether a text says "tenon.dev/"
};

/// Adds what lies below `root`. Files that are no JSON are findings and left out, as are specs
/// whose file name almost says a version; a `v<N>.json` that is no spec of anything (has nothing
/// that looks like one) is passed over. Throws EnvironmentError.
void find_spec_files(const std::string& root, bool standard, SpecFiles& files, Findings& findings);

}  // namespace tenon::gen
