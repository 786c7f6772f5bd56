// SPDX-License-Identifier: BSL-1.0
#include "relative_path.hpp"

#include <tenon/sdk/failure.hpp>
#include <tenon/sdk/text.hpp>

#include <algorithm>

#include "system_files.hpp"
#include "utf8.hpp"

namespace tenon::builtin {
namespace {

std::string problem_of_part(std::string_view part) {
  if (part.empty()) return "has an empty part: a slash at its start or end, or a double slash";
  if (part == "." || part == "..") return sdk::text("has a part \"", part, "\"");
  if (part.size() > max_part_size) {
    return sdk::text("has a part of ", part.size(), " bytes, the limit is ", max_part_size);
  }
  const std::string refused = system_name_problem(part);
  return refused.empty() ? refused : sdk::text("has a part \"", part, "\" that ", refused);
}

}  // namespace

std::string problem_of_path(std::string_view path) {
  if (path.empty()) return "is empty";
  if (path.size() > max_path_size) {
    return sdk::text("has ", path.size(), " bytes, the limit is ", max_path_size);
  }
  if (path.find('\0') != std::string_view::npos) return "has a NUL byte";
  if (!is_utf8(path)) return "is not UTF-8";
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    std::string problem = problem_of_part(path.substr(begin, end - begin));
    if (!problem.empty()) return problem;
    begin = end + 1;
  }
  return {};
}

void check_path(std::string_view what, std::string_view path) {
  const std::string problem = problem_of_path(path);
  if (problem.empty()) return;
  const bool is_printable = !path.empty() && path.size() <= max_path_size && is_utf8(path) &&
                            path.find('\0') == std::string_view::npos;
  const std::string shown = is_printable ? sdk::text(" \"", path, "\"") : "";
  throw sdk::Failure(TENON_INVALID_ARGUMENT, "the ", what, shown, " ", problem);
}

void check_name(std::string_view what, std::string_view name) {
  check_path(what, name);
  if (name.find('/') != std::string_view::npos) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "the ", what, " \"", name, "\" has a slash");
  }
  if (name.front() == '.') {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "the ", what, " \"", name, "\" begins with a dot");
  }
}

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    parts.emplace_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace tenon::builtin
