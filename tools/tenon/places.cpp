// SPDX-License-Identifier: BSL-1.0
#include "places.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <string_view>

#include "text.hpp"

namespace tenon::command {
namespace {

bool is_of_a_place(const Error& error) {
  if (error.code() != "not-found" && error.code() != "cannot-read") return false;
  std::error_code ignored;
  return !std::filesystem::is_regular_file(error.where(), ignored);
}

}  // namespace

bool places_failed(const std::vector<Error>& skipped) {
  return std::any_of(skipped.begin(), skipped.end(), is_of_a_place);
}

std::vector<Error> broken_modules(const std::vector<Error>& skipped) {
  constexpr std::string_view codes[] = {"broken-manifest", "two-manifests", "manifest-differs",
                                        "wrong-folder"};
  std::vector<Error> broken;
  std::copy_if(
      skipped.begin(), skipped.end(), std::back_inserter(broken), [&codes](const Error& error) {
        return std::find(std::begin(codes), std::end(codes), error.code()) != std::end(codes);
      });
  return broken;
}

bool report_places(std::vector<Error>& skipped) {
  for (const Error& error : skipped) {
    if (is_of_a_place(error)) std::cerr << "tenon: " << error.to_string() << "\n";
  }
  return std::erase_if(skipped, is_of_a_place) > 0;
}

}  // namespace tenon::command
