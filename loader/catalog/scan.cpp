// SPDX-License-Identifier: BSL-1.0
#include "catalog/scan.hpp"

#include <algorithm>
#include <set>

#include "manifest/module_file.hpp"
#include "platform/process.hpp"

namespace tenon::detail {
namespace {

namespace fs = std::filesystem;

Error unusable(const SearchPlace& place, std::string found) {
  return Error({.code = "cannot-read",
                .where = place.path.string(),
                .found = std::move(found),
                .needed = "a folder of modules that this user may read, or a module file",
                .fix = "correct it, or take it out of the plugin path"});
}

Result<std::vector<fs::path>> files_in(const SearchPlace& place) {
  std::error_code failed;
  const fs::file_status status = fs::status(place.path, failed);
  if (status.type() == fs::file_type::not_found) {
    if (!place.named) return std::vector<fs::path>();
    return Error({.code = "not-found",
                  .where = place.path.string(),
                  .found = "no such file or folder",
                  .needed = "a folder of modules, or a module file",
                  .fix = "make the folder, or take it out of the plugin path"});
  }
  if (failed) return unusable(place, failed.message());
  if (status.type() == fs::file_type::regular) return std::vector<fs::path>{place.path};
  if (status.type() != fs::file_type::directory) {
    return unusable(place, "neither a folder nor a file");
  }
  std::vector<fs::path> files;
  for (fs::directory_iterator entry(place.path, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().extension() == platform::module_suffix) files.push_back(entry->path());
  }
  if (failed) return unusable(place, failed.message());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Scan scan(const std::vector<SearchPlace>& places) {
  Scan result;
  std::set<fs::path> seen;
  for (const SearchPlace& place : places) {
    auto files = files_in(place);
    if (!files) {
      result.skipped.push_back(std::move(files).error());
      continue;
    }
    for (fs::path& file : *files) {
      std::error_code ignored;
      if (!seen.insert(fs::weakly_canonical(file, ignored)).second) continue;
      auto read = read_module_file(file);
      if (read) {
        result.modules.push_back({std::move(file), std::move(read->image.manifest)});
      } else {
        result.skipped.push_back(std::move(read).error());
      }
    }
  }
  return result;
}

}  // namespace tenon::detail
