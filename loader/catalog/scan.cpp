// SPDX-License-Identifier: BSL-1.0
#include "catalog/scan.hpp"

#include <algorithm>
#include <set>

#include "manifest/module_file.hpp"
#include "platform/process.hpp"

namespace tenon::detail {
namespace {

namespace fs = std::filesystem;

Result<std::vector<fs::path>> files_in(const SearchPlace& place) {
  std::error_code failed;
  const fs::file_status status = fs::status(place.path, failed);
  if (status.type() == fs::file_type::not_found && !place.named) return std::vector<fs::path>();
  if (status.type() == fs::file_type::regular) return std::vector<fs::path>{place.path};
  std::vector<fs::path> files;
  if (status.type() == fs::file_type::directory) {
    for (fs::directory_iterator entry(place.path, failed), end; !failed && entry != end;
         entry.increment(failed)) {
      if (entry->path().extension() == platform::module_suffix) files.push_back(entry->path());
    }
  }
  if (failed || status.type() == fs::file_type::not_found) {
    const bool missing = status.type() == fs::file_type::not_found;
    return Error({.code = missing ? "not-found" : "cannot-read",
                  .where = place.path.string(),
                  .found = missing ? "no such file or folder" : failed.message(),
                  .needed = "a folder of modules, or a module file",
                  .fix = missing ? "make the folder, or take it out of the plugin path"
                                 : "let this user read it, or take it out of the plugin path"});
  }
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
