// SPDX-License-Identifier: BSL-1.0
#include "binary/needed_libraries.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "platform/image_map.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

namespace fs = std::filesystem;

fs::path path_of(const Needed& needed, const platform::LibrarySearch& search,
                 bool default_directories) {
  if (!needed.path.empty()) return needed.path;
  const std::string& name = needed.name.text;
  std::vector<fs::path> paths{name};
  if (name.find('/') == std::string::npos) {
    paths = search.candidates(name, default_directories || platform::is_loaded(name));
  }
  const auto found = std::find_if(paths.begin(), paths.end(), is_library_for_this_machine);
  return found != paths.end() ? *found : fs::path();
}

}  // namespace

std::vector<NeededLibrary> needed_libraries(const Bundle& bundle,
                                            const platform::LibrarySearch& search) {
  std::vector<NeededLibrary> libraries;
  std::unordered_set<std::string_view> known;
  for (const BundleFile& file : bundle) {
    for (const Needed& needed : file.needed) {
      if (!known.insert(needed.name.text).second) continue;
      const bool default_directories = file.linkage.default_directories;
      libraries.push_back({needed.name.text, path_of(needed, search, default_directories),
                           needed.own.has_value(), default_directories});
    }
  }
  return libraries;
}

}}}  // namespace tenon::v0_1::detail
