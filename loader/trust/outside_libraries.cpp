// SPDX-License-Identifier: BSL-1.0
#include "trust/outside_libraries.hpp"

#include <algorithm>
#include <set>

#include "base/system_library.hpp"
#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

namespace fs = std::filesystem;

Result<std::vector<Bundle>> outside_libraries(const Bundle& bundle) {
  std::vector<Bundle> libraries;
  std::set<fs::path> known;
  // Pointers into `libraries` would not stay valid, so files are collected first.
  std::vector<fs::path> found;
  const auto collect = [&](const Bundle& from) {
    for (const BundleFile& file : from) {
      for (const Needed& needed : file.needed) {
        const bool outside = !needed.path.empty() && !needed.own && !is_of_system(needed.path);
        if (outside && known.insert(needed.path).second) found.push_back(needed.path);
      }
    }
  };
  collect(bundle);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto file = platform::File::open(found[i]);
    if (!file) return file.error();
    auto library = inspect_bundle(*file);
    if (!library) return std::move(library).error();
    collect(*library);
    libraries.push_back(std::move(*library));
  }
  return libraries;
}

}}}  // namespace tenon::v0_1::detail
