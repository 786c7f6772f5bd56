// SPDX-License-Identifier: BSL-1.0
#include "external_artifacts.hpp"

#include "confined_directory.hpp"
#include "resource.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace tenon::builtin {
namespace {

constexpr std::string_view annotation = "tenon.dev/external-artifact";

/// What the annotation says; nothing where the resource has none.
std::optional<std::string_view> artifacts_of(const boost::json::object& resource) {
  const auto* annotations = object_in(object_in(&resource, "metadata"), "annotations");
  const boost::json::value* value =
      annotations != nullptr ? annotations->if_contains(annotation) : nullptr;
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "the annotation \"", annotation, "\" of ",
                       title_of(resource), " is not a text; needed: paths with commas between");
  }
  return std::string_view(value->get_string());
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

std::vector<RelativePath> parse_paths(std::string_view list) {
  std::vector<RelativePath> paths;
  for (;;) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (const auto path = trimmed(list.substr(0, comma)); !path.empty()) paths.emplace_back(path);
    if (comma == list.size()) return paths;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

void ExternalArtifacts::configure(const sdk::Config& config) {
  directory_ = config.get("directory", "");
}

void ExternalArtifacts::execute(std::string_view item, BackupV2View) {
  const boost::json::object resource = parse_resource(item);
  const std::optional<std::string_view> artifacts = artifacts_of(resource);
  if (!artifacts) return;
  if (directory_.empty()) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, title_of(resource), " has external artifacts (",
                       *artifacts, "), but ", name(),
                       " has no directory; fix: set its parameter \"directory\" to where they lie");
  }
  const std::vector<RelativePath> paths = parse_paths(*artifacts);
  const ConfinedDirectory directory(directory_);
  for (const RelativePath& path : paths) directory.remove(path, call());
}

}  // namespace tenon::builtin
