// SPDX-License-Identifier: BSL-1.0
#include "catalog/scan.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "manifest/module_file.hpp"
#include "platform/file.hpp"
#include "platform/process.hpp"

namespace tenon::detail {
namespace {

namespace fs = std::filesystem;

Error unusable(const fs::path& place, std::string found) {
  return Error({.code = "cannot-read",
                .where = place.string(),
                .found = std::move(found),
                .needed = "a folder of modules that this user may read, or a module file",
                .fix = "correct it, or take it out of the plugin path"});
}

/// A module file, and the folder of a version that it lies in; empty: in none.
struct File {
  fs::path path;
  std::string folder{};
};

constexpr std::string_view development = "dev";

bool is_version_folder(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name == development || Version::parse(name).has_value();
}

/// The module files of a place, and the folders below it that could not be read.
struct Search {
  std::vector<File> files;
  std::vector<Error> skipped;
};

/// Adds the module files of a folder, and those of the version folders below it: `levels` more
/// folders may lie between. Returns why not all of the folder could be read.
std::error_code add_files(const fs::path& folder, const std::string& version, int levels,
                          Search& search) {
  std::vector<platform::FolderEntry> entries;
  const std::error_code failed = platform::read_folder(folder, entries);
  for (const auto& [path, is_folder] : entries) {
    std::error_code unread;
    if (!is_folder) {
      const bool counts = levels == 2 || !version.empty();
      if (counts && path.extension() == platform::module_suffix) {
        search.files.push_back({path, version});
      }
    } else if (version.empty() && levels < 2 && is_version_folder(path)) {
      unread = add_files(path, path.filename().string(), 0, search);
    } else if (version.empty() && levels > 0) {
      unread = add_files(path, "", levels - 1, search);
    }
    // A folder that the user may not read counts as empty.
    if (!unread || unread == std::errc::permission_denied) continue;
    search.skipped.push_back(unusable(path, unread.message()));
  }
  return failed;
}

Result<Search> files_in(const SearchPlace& place) {
  std::error_code failed;
  const fs::file_status status = fs::status(place.path, failed);
  if (status.type() == fs::file_type::not_found) {
    if (!place.named) return Search();
    return Error({.code = "not-found",
                  .where = place.path.string(),
                  .found = "no such file or folder",
                  .needed = "a folder of modules, or a module file",
                  .fix = "make the folder, or take it out of the plugin path"});
  }
  if (failed) return unusable(place.path, failed.message());
  if (status.type() == fs::file_type::regular) return Search{{{place.path}}, {}};
  if (status.type() != fs::file_type::directory) {
    return unusable(place.path, "neither a folder nor a file");
  }
  Search search;
  failed = add_files(place.path, "", 2, search);
  if (failed) return unusable(place.path, failed.message());
  std::sort(search.files.begin(), search.files.end(),
            [](const File& a, const File& b) { return a.path < b.path; });
  return search;
}

Error in_development(const FoundModule& module) {
  return Error({.code = "in-development",
                .where = module.file.string(),
                .found = module.manifest.name + " in a folder dev: it counts as version 0.0.0, and "
                                                "what it requires is not enforced",
                .needed = "a released version, outside of development",
                .fix = "put it into a folder of its version when it is released",
                .grade = ErrorGrade::note});
}

/// What the folder of a version says of the module in it.
std::optional<Error> settle_version(const File& file, FoundModule& module) {
  if (file.folder.empty()) return std::nullopt;
  if (file.folder == development) {
    put_in_development(module.manifest);
    return std::nullopt;
  }
  const std::string version = module.manifest.version.to_string();
  if (version == file.folder) return std::nullopt;
  return Error({.code = "wrong-folder",
                .where = file.path.string(),
                .found = module.manifest.name + " " + version + " in the folder " + file.folder,
                .needed = "the version that its folder is of",
                .fix = "move it to a folder " + version});
}

/// Reports a file that cannot be used, also where a name in its manifest is asked for.
void skip(const platform::File& file, Error error, Scan& result) {
  for (std::string& name : names_in_manifest(file)) result.broken.emplace(std::move(name), error);
  result.skipped.push_back(std::move(error));
}

void add(const File& file, Scan& result) {
  const auto open = open_module(file.path);
  if (!open) return result.skipped.push_back(open.error());
  auto read = read_module_file(*open);
  if (!read) return skip(*open, std::move(read).error(), result);
  FoundModule module{file.path, std::move(read->image.manifest), read->identity};
  if (auto wrong = settle_version(file, module)) return skip(*open, std::move(*wrong), result);
  if (module.manifest.in_development) result.skipped.push_back(in_development(module));
  result.modules.push_back(std::move(module));
}

}  // namespace

void put_in_development(Manifest& manifest) {
  manifest.in_development = true;
  manifest.version = {};
}

Scan scan(const std::vector<SearchPlace>& places) {
  Scan result;
  std::set<fs::path> seen;
  for (const SearchPlace& place : places) {
    auto search = files_in(place);
    if (!search) {
      result.skipped.push_back(std::move(search).error());
      continue;
    }
    std::ranges::move(search->skipped, std::back_inserter(result.skipped));
    for (const File& file : search->files) {
      std::error_code ignored;
      if (!seen.insert(fs::weakly_canonical(file.path, ignored)).second) continue;
      add(file, result);
    }
  }
  return result;
}

}  // namespace tenon::detail
