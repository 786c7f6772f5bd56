// SPDX-License-Identifier: BSL-1.0
//
// Where a host looks for modules.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::detail {

/// A folder, or one module file.
struct SearchPlace {
  std::filesystem::path path;
  /// Somebody named it, so that it should be there.
  bool named;
};

/// Returns the name of an environment variable of an app, eg: PHOTO_LAB_LOG for "photo-lab" and
/// "LOG".
std::string variable_of(const std::string& app, std::string_view what);

/// The places of an app in the order in which they win: `first`, $<APP>_PLUGIN_PATH, the folders of
/// the user, the machine and the system.
std::vector<SearchPlace> search_places(const std::string& app,
                                       const std::vector<std::filesystem::path>& first);

}  // namespace tenon::detail
