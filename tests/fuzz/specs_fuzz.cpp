// SPDX-License-Identifier: BSL-1.0
//
// Feeds directories of spec files to the generator. The input is the text of the files; a line such
// as `== type/v1.json` names the file that follows. Code must be generated from valid specs, whose
// fingerprints must not change when they are written again. Each problem must have a location.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "common/json_reader.hpp"
#include "fuzz/fuzzing.hpp"
#include "gen/emit/c_header.hpp"
#include "gen/emit/emit_host.hpp"
#include "gen/emit/emit_sdk.hpp"
#include "gen/emit/emit_tests.hpp"
#include "gen/load.hpp"

namespace {

using namespace tenon;
using fuzzing::require;
using gen::Diagnostic;
using gen::Diagnostics;

constexpr std::array<std::string_view, 10> names = {
    "kind/v1.json",        "kind/v2.json", "kind/evolution.json",  "type/v1.json",
    "type/v2.json",        "type/V2.json", "type/v3preview1.json", "type/v3.json",
    "type/evolution.json", "released.json"};

/// Files by name.
using Files = std::map<std::string, std::string>;

Files files_in(std::string_view text) {
  Files files;
  std::string* file = nullptr;
  while (!text.empty()) {
    const auto line = fuzzing::take_line(text);
    if (line.starts_with("== ")) {
      const auto name = std::find(names.begin(), names.end(), line.substr(3));
      file = name != names.end() ? &files[std::string(*name)] : nullptr;
    } else if (file != nullptr) {
      file->append(line).push_back('\n');
    }
  }
  return files;
}

/// Returns the fingerprint of each version, in the order of the model.
std::vector<std::uint64_t> fingerprints(const gen::Model& model) {
  std::vector<std::uint64_t> all;
  for (const auto& kind : model.kinds) {
    for (const auto& version : kind->versions) all.push_back(version->fingerprint);
  }
  for (const auto& document : model.documents) {
    for (const auto& version : document->versions) all.push_back(version->fingerprint);
  }
  return all;
}

void require_place(const Diagnostic& finding, const Files& files, const std::string& root) {
  require(!finding.code.empty() && !finding.message.empty() && !finding.fix.empty());
  const auto& [path, line, column] = finding.location;
  require(path.starts_with(root));
  if (line == 0) return;
  const auto file = files.find(path.substr(root.size() + 1));
  require(file != files.end());
  require(line <= 1 + std::count(file->second.begin(), file->second.end(), '\n') && column >= 0);
}

void emit(const gen::Model& model) {
  for (const auto& kind : model.kinds) {
    for (const auto& version : kind->versions) require(!gen::c_header(*version).empty());
    require(!gen::emit_sdk(*kind).empty());
  }
  for (const auto& document : model.documents) {
    for (const auto& version : document->versions) {
      if (!version->removed()) require(!gen::c_header(*version).empty());
    }
  }
  require(gen::emit_host_headers(model).size() >= model.kinds.size());
  require(!gen::emit_host_source(model).empty() && !gen::emit_tests(model).empty());
}

/// Writes the files to the directory, and loads their specs.
gen::Model load(const Files& files, const fuzzing::Directory& directory, Diagnostics& findings) {
  directory.clear();
  for (const auto& [name, text] : files) directory.write(name, text);
  return gen::load_specs({.directories = {directory.path().string()}}, findings);
}

Files rewritten(const Files& files) {
  Files anew;
  for (const auto& [name, text] : files) {
    Diagnostics none;
    const auto json = tools::read_json(text, name, none);
    anew[name] = json && none.empty() ? to_pretty_json(*json) : text;
  }
  return anew;
}

void check(const Files& files, const fuzzing::Directory& directory) {
  Diagnostics findings;
  const gen::Model model = load(files, directory, findings);
  for (const Diagnostic& finding : findings.all()) {
    require_place(finding, files, directory.path().string());
  }
  if (!findings.empty()) return;
  emit(model);
  const gen::Model again = load(rewritten(files), directory, findings);
  require(findings.empty() && fingerprints(again) == fingerprints(model));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzzing::Directory directory;
  const Files files = files_in(fuzzing::text_of(data, size));
  // The standard specs are not available.
  const bool standard = std::any_of(files.begin(), files.end(), [](const auto& file) {
    return file.second.find("tenon.dev/") != std::string::npos;
  });
  if (!standard) check(files, directory);
  return 0;
}
