// SPDX-License-Identifier: BSL-1.0
#include "artifact_paths.hpp"

#include <tenon/builtins.hpp>
#include <tenon/sdk/failure.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <utility>

#include "relative_path.hpp"
#include "resource.hpp"
#include "system_files.hpp"
#include "trimmed.hpp"

namespace tenon::builtin {
namespace {

constexpr std::string_view cluster_directory = "_cluster";

/// Returns why a path is refused; empty if it is not. Fills its parts without empty ones and ".",
/// which keys of objects must not have.
std::string parse(ArtifactPath& path) {
  const std::string_view text = path.text;
  if (text.find('\0') != std::string_view::npos) return "has a NUL character";
  if (starts_with(text, "/")) return "is absolute";
  for (std::string& part : parts_of(text)) {
    if (part == "..") return "leads out of the directory";
    if (part.empty() || part == ".") continue;
    const std::string refused = system_name_problem(part);
    if (!refused.empty()) return sdk::text("has a part that ", refused);
    path.parts.push_back(std::move(part));
  }
  return path.parts.empty() ? "names the directory itself" : "";
}

void add_path(std::string_view text, Artifacts& artifacts) {
  ArtifactPath path{std::string(text), {}};
  const std::string problem = parse(path);
  if (problem.empty()) {
    artifacts.paths.push_back(std::move(path));
  } else {
    artifacts.problems.push_back(
        sdk::text("the path \"", text, "\" ", problem,
                  "; needed: a path below the directory of the namespace, such as "
                  "exports/data.bin"));
  }
}

bool is_namespace(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c == '-' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  });
}

}  // namespace

Artifacts artifacts_of(const boost::json::object& resource) {
  Artifacts artifacts;
  const auto* metadata = object_in(&resource, "metadata");
  const auto* annotations = object_in(metadata, "annotations");
  const boost::json::value* value =
      annotations != nullptr ? annotations->if_contains(artifacts_annotation) : nullptr;
  if (value == nullptr) return artifacts;
  if (!value->is_string()) {
    artifacts.problems.push_back(sdk::text("the annotation \"", artifacts_annotation, "\" of ",
                                           title_of(resource),
                                           " is not a string; needed: paths separated by commas"));
    return artifacts;
  }
  const std::string_view space = text_in(metadata, "namespace");
  artifacts.directory = space.empty() ? cluster_directory : space;
  if (!space.empty() && !is_namespace(space)) {
    artifacts.problems.push_back(sdk::text("the namespace of ", title_of(resource),
                                           " cannot be the name of a directory; needed: letters, "
                                           "digits and '-'"));
    return artifacts;
  }
  std::string_view list = value->get_string();
  for (;;) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view path = trimmed(list.substr(0, comma));
    if (!path.empty()) add_path(path, artifacts);
    if (comma == list.size()) return artifacts;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace tenon::builtin

namespace tenon {

std::vector<std::string> refused_artifacts(std::string_view resource) {
  try {
    return builtin::artifacts_of(builtin::Resource(resource).members()).problems;
  } catch (const sdk::Failure& failure) {
    return {failure.message()};
  }
}

}  // namespace tenon
