// SPDX-License-Identifier: BSL-1.0
#include "gen/read/spec_files.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <regex>
#include <utility>

#include "gen/common.hpp"
#include "platform/utf8_path.hpp"

namespace tenon::gen {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view evolution_name = "evolution.json";

/// Returns the version in the file name `v<label>.json`; nothing for other names.
std::optional<VersionName> version_of(std::string_view name) noexcept {
  constexpr std::string_view end = ".json";
  if (name.size() <= end.size() + 1 || name[0] != 'v') return std::nullopt;
  if (name.substr(name.size() - end.size()) != end) return std::nullopt;
  return parse_version(name.substr(1, name.size() - end.size() - 1));
}

/// Whether the name may be a misspelt name of a version: "V1.json", "v01.json", "v3preview.json".
bool resembles_version(const std::string& name) {
  static const std::regex form("v[0-9]+(_?preview.*)?\\.json", std::regex::icase);
  return std::regex_match(name, form);
}

bool looks_like_spec(const JsonValue& json) {
  if (json.object() == nullptr) return false;
  for (const char* key : {"kind", "type", "version", "methods", "fields", "steps"}) {
    if (json.find(key) != nullptr) return true;
  }
  return false;
}

/// Returns the files below `root` with the names of specs and of lists of releases, sorted.
std::vector<fs::path> find_files(const fs::path& root) {
  std::vector<fs::path> paths;
  for (auto at = fs::recursive_directory_iterator(root); at != fs::end(at);) {
    const fs::path path = at->path();
    const std::string name = path.filename().string();
    if (at->is_directory()) {
      if (name.front() == '.') at.disable_recursion_pending();
    } else if (name == evolution_name || resembles_version(name) ||
               (name == release_list_name && at->is_regular_file())) {
      paths.push_back(path);
    }
    std::error_code failed;
    at.increment(failed);  // enters `path` if it is a directory
    if (failed) throw fs::filesystem_error("", path, failed);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// Adds a file and the directories above it, in which new files may appear.
void add_inputs(const fs::path& path, const fs::path& root, std::vector<std::string>& inputs) {
  for (fs::path at = path; at != root; at = at.parent_path()) inputs.push_back(at.generic_string());
}

/// Returns false if the file is ignored.
bool add_file(const fs::path& path, const fs::path& root,
              std::map<std::string, SpecDirectory>& directories, SpecFiles& files,
              Diagnostics& diagnostics) {
  const std::string text = read_regular_file(path);
  std::optional<JsonValue> json = read_json(text, path.generic_string(), diagnostics);
  if (!json) return true;
  if (!looks_like_spec(*json)) return false;
  if (text.find("tenon.dev/") != std::string::npos) files.uses_standard = true;
  const std::string name = path.filename().string();
  const std::optional<VersionName> version = version_of(name);
  SpecFile file{path.generic_string(), path.lexically_relative(root).generic_string(),
                version.value_or(VersionName()), std::move(*json)};
  if (!version && name != evolution_name) {
    diagnostics.add(
        {.location = {file.path},
         .code = "bad-file-name",
         .message = "'" + name + "' has no version in its name",
         .needed = "a name such as v3.json, or v3preview1.json for the first preview of 3",
         .fix = "rename the file, or move it elsewhere"});
    return true;
  }
  SpecDirectory& directory = directories[path.parent_path().generic_string()];
  if (version) {
    directory.versions.push_back(std::move(file));
  } else {
    directory.evolution = std::move(file);
  }
  return true;
}

}  // namespace

std::string read_regular_file(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    tools::Diagnostic irregular = tools::cannot_read(path, {}, 0);
    irregular.found = "no regular file";
    throw IoError(std::move(irregular));
  }
  tools::FileContent file = tools::read_file(path);
  if (!file.text) throw IoError(tools::cannot_read(path, "reading the file", file.error));
  return *std::move(file.text);
}

std::vector<VersionName> SpecDirectory::names() const {
  std::vector<VersionName> names;
  for (const SpecFile& file : versions) names.push_back(file.version);
  return names;
}

const SpecFile* SpecDirectory::find(const VersionName& version) const noexcept {
  const auto found = std::find_if(versions.begin(), versions.end(),
                                  [&version](const auto& file) { return file.version == version; });
  return found != versions.end() ? &*found : nullptr;
}

void find_spec_files(const std::string& root, bool standard, SpecFiles& files,
                     Diagnostics& diagnostics) {
  fs::path top = platform::path_from(root).lexically_normal();
  if (!top.has_filename()) top = top.parent_path();  // removes a trailing slash
  std::map<std::string, SpecDirectory> directories;
  std::string ignored;
  try {
    files.inputs.push_back(top.generic_string());
    for (const fs::path& path : find_files(top)) {
      if (path.filename() == release_list_name) {
        if (!standard) files.lists.push_back(path.generic_string());
      } else {
        add_inputs(path, top, files.inputs);
        if (!add_file(path, top, directories, files, diagnostics)) {
          ignored = path.generic_string();
          continue;
        }
      }
      if (standard) continue;
      files.sources.insert_or_assign(path.lexically_relative(top).generic_string(),
                                     path.generic_string());
    }
  } catch (const fs::filesystem_error& error) {
    throw IoError(tools::cannot_read(error.path1(), "reading it", error.code().value()));
  }
  if (directories.empty() && diagnostics.empty()) {
    diagnostics.add({.location = {root},
                     .code = "no-specs",
                     .message = "there is no spec file in this directory or below it",
                     .found = ignored.empty() ? "" : ignored + ", which has no key of a spec",
                     .needed = "<kind>/v1.json",
                     .fix = "give the directory that contains the directories of the kinds"});
  }
  for (auto& [path, directory] : directories) {
    directory.path = path;
    directory.standard = standard;
    std::sort(directory.versions.begin(), directory.versions.end(),
              [](const SpecFile& a, const SpecFile& b) { return a.version < b.version; });
    files.directories.push_back(std::move(directory));
  }
}

}  // namespace tenon::gen
