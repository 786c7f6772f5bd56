// SPDX-License-Identifier: BSL-1.0
//
// Compares two builds of a package, or two states of specs, and says which segment of the version
// has to be raised.
#pragma once

#include <tenon/inspect.hpp>
#include <tenon/result.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gen/model/model.hpp"

namespace tenon::command {

/// The segment of a SemVer version that a change requires to be raised.
enum class Segment { none, patch, minor, major };

/// Returns "none", "patch", "minor" or "major".
std::string_view to_string(Segment segment) noexcept;

struct AbiChange {
  Segment segment;
  std::string text;  // eg: "removes version 1 of photo.example/filter"
};
using AbiChanges = std::vector<AbiChange>;

/// Returns the changes between two sets of specs, without those of the standard specs. They are
/// sorted by segment, the highest first, here and below.
AbiChanges changes_between(const gen::Model& older, const gen::Model& newer);

/// Returns the changes between two versions of a kind.
AbiChanges changes_between(const gen::KindVersion& older, const gen::KindVersion& newer);

/// The difference between two builds of a package.
struct BuildDifference {
  AbiChanges changes;
  Segment due = Segment::none;   // `none` only if the files are the same
  std::optional<Error> error{};  // version-too-low: the version was not raised by that much
};

/// Reads the manifest of a module file, without running its code. Errors: why it cannot be read.
Result<ModuleReport> read_build(const std::filesystem::path& file);

/// Compares two builds. Before 1.0.0 the minor segment counts as the major one, as in requirements
/// such as ^0.2. After a prerelease each higher version will do. Error: other-package.
Result<BuildDifference> difference_between(const ModuleReport& older, const ModuleReport& newer);

}  // namespace tenon::command
