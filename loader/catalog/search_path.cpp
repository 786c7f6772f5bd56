// SPDX-License-Identifier: BSL-1.0
#include "catalog/search_path.hpp"

#include <cctype>
#include <utility>

#include "platform/process.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

std::string variable_of(const std::string& app, std::string_view what) {
  std::string name;
  for (const unsigned char letter : app) {
    name += std::isalnum(letter) != 0 ? static_cast<char>(std::toupper(letter)) : '_';
  }
  return name.append("_").append(what);
}

std::vector<SearchPath> search_paths(const std::string& app,
                                     const std::vector<std::filesystem::path>& first) {
  std::vector<SearchPath> paths;
  for (const auto& path : first) paths.push_back({path, true});
  if (app.empty()) return paths;
  const std::string list = platform::trusted_environment(variable_of(app, "PLUGIN_PATH"));
  for (auto& path : platform::split_path_list(list)) paths.push_back({std::move(path), true});
  for (auto& path : platform::module_directories(app)) paths.push_back({std::move(path), false});
  return paths;
}

}}}  // namespace tenon::v0_1::detail
