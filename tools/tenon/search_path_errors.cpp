// SPDX-License-Identifier: BSL-1.0
#include "search_path_errors.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

namespace tenon::command {

bool is_search_path_error(const Error& error) {
  if (error.code() != "not-found" && error.code() != "cannot-read") return false;
  std::error_code ignored;
  return !std::filesystem::is_regular_file(error.where(), ignored);
}

bool has_search_path_errors(const std::vector<Error>& skipped) {
  return std::any_of(skipped.begin(), skipped.end(), is_search_path_error);
}

std::vector<Error> broken_module_errors(const std::vector<Error>& skipped) {
  constexpr std::string_view codes[] = {"broken-manifest", "two-manifests", "manifest-differs",
                                        "wrong-folder"};
  std::vector<Error> broken;
  std::copy_if(
      skipped.begin(), skipped.end(), std::back_inserter(broken), [&codes](const Error& error) {
        return std::find(std::begin(codes), std::end(codes), error.code()) != std::end(codes);
      });
  return broken;
}

std::vector<Error> take_search_path_errors(std::vector<Error>& skipped) {
  std::vector<Error> taken;
  std::copy_if(skipped.begin(), skipped.end(), std::back_inserter(taken), is_search_path_error);
  std::erase_if(skipped, is_search_path_error);
  return taken;
}

}  // namespace tenon::command
