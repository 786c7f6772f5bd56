// SPDX-License-Identifier: BSL-1.0
#include "search_path_errors.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "platform/utf8_path.hpp"

namespace tenon::command {

bool is_unreadable(const Error& error) {
  return error.code() == "not-found" || error.code() == "cannot-read";
}

bool is_search_path_error(const Options& options, const Error& error) {
  if (!is_unreadable(error)) return false;
  const std::filesystem::path where = platform::path_from(error.where());
  const auto& named = options.plugin_path;
  if (where == options.lock_file) return true;
  if (std::find(named.begin(), named.end(), where) != named.end()) return true;
  std::error_code ignored;
  return !std::filesystem::is_regular_file(where, ignored);
}

bool has_search_path_errors(const Options& options, const std::vector<Error>& skipped) {
  return std::any_of(skipped.begin(), skipped.end(), [&options](const Error& error) {
    return is_search_path_error(options, error);
  });
}

std::vector<Error> broken_module_errors(const std::vector<Error>& skipped) {
  constexpr std::string_view codes[] = {"broken-manifest", "two-manifests", "manifest-differs",
                                        "wrong-directory"};
  std::vector<Error> broken;
  std::copy_if(
      skipped.begin(), skipped.end(), std::back_inserter(broken), [&codes](const Error& error) {
        // Packages that require such a module have the same code.
        std::error_code ignored;
        return std::find(std::begin(codes), std::end(codes), error.code()) != std::end(codes) &&
               std::filesystem::is_regular_file(platform::path_from(error.where()), ignored);
      });
  return broken;
}

std::vector<Error> take_search_path_errors(const Options& options, std::vector<Error>& skipped) {
  const auto is_taken = [&options](const Error& error) {
    return is_search_path_error(options, error);
  };
  std::vector<Error> taken;
  std::copy_if(skipped.begin(), skipped.end(), std::back_inserter(taken), is_taken);
  std::erase_if(skipped, is_taken);
  return taken;
}

}  // namespace tenon::command
