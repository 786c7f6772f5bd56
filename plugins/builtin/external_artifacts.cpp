// SPDX-License-Identifier: BSL-1.0
#include "external_artifacts.hpp"

#include <cstddef>
#include <optional>

#include "directory.hpp"
#include "resource.hpp"

namespace tenon::builtin {
namespace {

// Each level of a tree holds an open directory.
constexpr int max_directory_levels = 128;

/// Enters a directory on the way to an artifact. Returns nothing if it is missing.
std::optional<Directory> enter(const Directory& directory, const std::string& name,
                               const std::string& artifact) {
  const EntryType type = directory.type_of(name);
  if (type != EntryType::directory && type != EntryType::none) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, "cannot remove ", artifact,
                       ": found a file or a symbolic link on the way to it; needed: directories");
  }
  return directory.enter(name);
}

void sync(const Directory& directory, const std::string& artifact) {
  try {
    directory.sync();
  } catch (const sdk::Failure& failure) {
    throw sdk::Failure(failure.status(), "cannot make the removal of ", artifact,
                       " durable: ", failure.message());
  }
}

/// Removes an artifact durably. Also succeeds if it does not exist.
void remove(const Directory& top, const ArtifactPath& path, sdk::Call call) {
  const std::string artifact = top.path_of(path.text);
  std::optional<Directory> inside;
  for (std::size_t i = 0; i + 1 < path.parts.size(); ++i) {
    inside = enter(inside ? *inside : top, path.parts[i], artifact);
    if (!inside) return;
  }
  const Directory& parent = inside ? *inside : top;
  remove_tree(parent, path.parts.back(), {call, max_directory_levels, false});
  // Even if it did not exist: an earlier call may have failed after the removal.
  sync(parent, artifact);
}

std::vector<std::string> texts_of(const std::vector<ArtifactPath>& paths) {
  std::vector<std::string> texts;
  for (const ArtifactPath& path : paths) texts.push_back(path.text);
  return texts;
}

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
  std::string all;
  for (const std::string& text : texts) {
    if (!all.empty()) all += separator;
    all += text;
  }
  return all;
}

}  // namespace

void ExternalArtifacts::configure(const sdk::Config& config) {
  directory_ = config.get("directory", "");
}

void ExternalArtifacts::execute(std::string_view item, BackupV2View) {
  const Resource read(item);
  const Artifacts artifacts = artifacts_of(read.members());
  if (!artifacts.paths.empty() && directory_.empty()) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, title_of(read.members()),
                       " has external artifacts (", joined(texts_of(artifacts.paths), ", "),
                       "), but ", name(),
                       " has no directory; fix: set its parameter \"directory\"");
  }
  std::vector<std::string> refused = artifacts.problems;
  if (!artifacts.paths.empty()) remove_all(artifacts, refused);
  if (refused.empty()) return;
  throw sdk::Failure(
      artifacts.problems.empty() ? TENON_FAILED_PRECONDITION : TENON_INVALID_ARGUMENT,
      joined(refused, "; "));
}

/// Adds the reasons for which artifacts can never be removed to `refused`, and removes the others.
void ExternalArtifacts::remove_all(const Artifacts& artifacts, std::vector<std::string>& refused) {
  const Directory top = Directory::open(directory_);
  const std::optional<Directory> directory =
      enter(top, artifacts.directory, top.path_of(artifacts.directory));
  if (!directory) return;
  for (const ArtifactPath& path : artifacts.paths) {
    try {
      remove(*directory, path, call());
    } catch (const sdk::Failure& failure) {
      if (failure.status() != TENON_FAILED_PRECONDITION) throw;
      refused.push_back(failure.message());
    }
  }
}

}  // namespace tenon::builtin
