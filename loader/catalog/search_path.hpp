// SPDX-License-Identifier: BSL-1.0
//
// The search path of a host for modules.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace detail {

/// An entry of the search path: a directory, or one module file.
struct SearchPath {
  std::filesystem::path path;
  /// A user or program named it, so it is an error if it does not exist.
  bool named;
};

/// Returns the name of an environment variable of an app, eg: PHOTO_LAB_LOG for "photo-lab" and
/// "LOG".
std::string variable_of(const std::string& app, std::string_view what);

/// Returns the search path of an app. Earlier entries take precedence: `first`, $<APP>_PLUGIN_PATH,
/// the directories of the user, the machine and the system.
std::vector<SearchPath> search_paths(const std::string& app,
                                     const std::vector<std::filesystem::path>& first);

}}}  // namespace tenon::v0_1::detail
