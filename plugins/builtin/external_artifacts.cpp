// SPDX-License-Identifier: BSL-1.0
#include "external_artifacts.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "folder.hpp"
#include "relative_path.hpp"
#include "resource.hpp"
#include "trimmed.hpp"

namespace tenon::builtin {
namespace {

constexpr std::string_view annotation = "tenon.dev/external-artifact";
// Each level of a tree holds an open folder.
constexpr int max_levels = 128;

/// A path below the directory.
struct ArtifactPath {
  std::string text;                // as written in the annotation
  std::vector<std::string> parts;  // at least one
};

/// Returns the value of the annotation, or nothing if the resource has none. Throws sdk::Failure if
/// the value is not a string.
std::optional<std::string_view> artifacts_of(const boost::json::object& resource) {
  const auto* annotations = object_in(object_in(&resource, "metadata"), "annotations");
  const boost::json::value* value =
      annotations != nullptr ? annotations->if_contains(annotation) : nullptr;
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "the annotation \"", annotation, "\" of ",
                       title_of(resource), " is not a string; needed: paths separated by commas");
  }
  return std::string_view(value->get_string());
}

/// Parses a path. Skips empty parts and parts ".", unlike check_path for keys of objects.
ArtifactPath parse_path(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    return sdk::Failure(TENON_INVALID_ARGUMENT, "the path \"", text, "\" ", why,
                        "; needed: a path below the directory, such as exports/data.bin");
  };
  if (text.find('\0') != std::string_view::npos) throw refuse("has a NUL character");
  if (starts_with(text, "/")) throw refuse("is absolute");
  ArtifactPath path{std::string(text), {}};
  for (std::string& part : parts_of(text)) {
    if (part == "..") throw refuse("leads out of the directory");
    if (!part.empty() && part != ".") path.parts.push_back(std::move(part));
  }
  if (path.parts.empty()) throw refuse("names the directory itself");
  return path;
}

std::vector<ArtifactPath> parse_paths(std::string_view list) {
  std::vector<ArtifactPath> paths;
  for (;;) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view path = trimmed(list.substr(0, comma));
    if (!path.empty()) paths.push_back(parse_path(path));
    if (comma == list.size()) return paths;
    list.remove_prefix(comma + 1);
  }
}

/// Enters a folder on the way to an artifact. Returns nothing if it is missing.
std::optional<Folder> enter(const Folder& folder, const std::string& name,
                            const std::string& artifact) {
  const EntryType type = folder.type_of(name);
  if (type != EntryType::folder && type != EntryType::none) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, "cannot remove ", artifact,
                       ": found a file or a symbolic link on the way to it; needed: directories");
  }
  return folder.enter(name);
}

void sync(const Folder& folder, const std::string& artifact) {
  try {
    folder.sync();
  } catch (const sdk::Failure& failure) {
    throw sdk::Failure(failure.status(), "cannot make the removal of ", artifact,
                       " durable: ", failure.message());
  }
}

/// Removes an artifact durably. Also succeeds if it does not exist.
void remove(const Folder& top, const ArtifactPath& path, sdk::Call call) {
  const std::string artifact = top.path_of(path.text);
  std::optional<Folder> inside;
  for (std::size_t i = 0; i + 1 < path.parts.size(); ++i) {
    inside = enter(inside ? *inside : top, path.parts[i], artifact);
    if (!inside) return;
  }
  const Folder& parent = inside ? *inside : top;
  remove_tree(parent, path.parts.back(), {call, max_levels, false});
  // Even if it did not exist: an earlier call may have failed after the removal.
  sync(parent, artifact);
}

}  // namespace

void ExternalArtifacts::configure(const sdk::Config& config) {
  directory_ = config.get("directory", "");
}

void ExternalArtifacts::execute(std::string_view item, BackupV2View) {
  const Resource read(item);
  const boost::json::object& resource = read.members();
  const std::optional<std::string_view> artifacts = artifacts_of(resource);
  if (!artifacts) return;
  if (directory_.empty()) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, title_of(resource), " has external artifacts (",
                       *artifacts, "), but ", name(),
                       " has no directory; fix: set its parameter \"directory\"");
  }
  const std::vector<ArtifactPath> paths = parse_paths(*artifacts);
  const Folder directory = Folder::open(directory_);
  for (const ArtifactPath& path : paths) remove(directory, path, call());
}

}  // namespace tenon::builtin
