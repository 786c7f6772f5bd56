// SPDX-License-Identifier: BSL-1.0
#include "search_path_errors.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <string_view>

#include "text.hpp"

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

bool report_search_path_errors(std::vector<Error>& skipped) {
  for (const Error& error : skipped) {
    if (is_search_path_error(error)) std::cerr << "tenon: " << error.to_string() << "\n";
  }
  return std::erase_if(skipped, is_search_path_error) > 0;
}

}  // namespace tenon::command
