// SPDX-License-Identifier: BSL-1.0
#include "catalog/search_path.hpp"

#include <cctype>

#include "platform/process.hpp"

namespace tenon::detail {

std::string variable_of(const std::string& app, std::string_view what) {
  std::string name;
  for (const unsigned char letter : app) {
    name += std::isalnum(letter) != 0 ? static_cast<char>(std::toupper(letter)) : '_';
  }
  return name.append("_").append(what);
}

std::vector<SearchPlace> search_places(const std::string& app,
                                       const std::vector<std::filesystem::path>& first) {
  std::vector<SearchPlace> places;
  for (const auto& path : first) places.push_back({path, true});
  if (app.empty()) return places;
  const std::string list = platform::trusted_environment(variable_of(app, "PLUGIN_PATH"));
  for (auto& path : platform::split_path_list(list)) places.push_back({std::move(path), true});
  for (auto& path : platform::module_folders(app)) places.push_back({std::move(path), false});
  return places;
}

}  // namespace tenon::detail
