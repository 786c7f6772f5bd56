// SPDX-License-Identifier: BSL-1.0
#include "manifest/needed_libraries.hpp"

#include <algorithm>

#include "platform/library_search.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

fs::path path_of(const Needed& needed) {
  if (!needed.path.empty()) return needed.path;
  const std::string& name = needed.name.text;
  std::vector<fs::path> places{name};
  if (name.find('/') == std::string::npos) places = platform::library_places(name);
  const auto found = std::find_if(places.begin(), places.end(), is_library_for_this_machine);
  return found != places.end() ? *found : fs::path();
}

}  // namespace

std::vector<NeededLibrary> needed_libraries(const Bundle& bundle) {
  std::vector<NeededLibrary> libraries;
  for (const BundleFile& file : bundle) {
    for (const Needed& needed : file.needed) {
      const bool known = std::any_of(libraries.begin(), libraries.end(), [&](const auto& library) {
        return library.name == needed.name.text;
      });
      if (!known) libraries.push_back({needed.name.text, path_of(needed)});
    }
  }
  return libraries;
}

}  // namespace tenon
