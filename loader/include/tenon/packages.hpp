// SPDX-License-Identifier: BSL-1.0
//
// tenon/packages.hpp: the packages that a host found, their requirements, and why each version was
// chosen.
#pragma once

#include <tenon/result.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tenon { inline namespace v0_1 {

/// A requirement of a package, and the version that meets it.
struct RequirementInfo {
  /// The package that is required.
  std::string package;
  /// The accepted versions as the author wrote them, eg: "^1.4"
  std::string versions;
  /// The version that is used; empty if there is none. A package in development may use a version
  /// that does not meet its requirement.
  std::string resolved = {};
  /// True if `resolved` meets the requirement.
  bool met = false;
};

/// One version of a package.
struct PackageInfo {
  std::string name;
  std::string version;
  /// The file of the module; empty for a builtin.
  std::filesystem::path file;
  bool builtin() const noexcept { return file.empty(); }
  /// True if it is in a directory `dev`: its requirements are then advisory.
  bool in_development = false;
  /// True if the lock of the host lists it.
  bool locked = false;
  /// True if the host uses it when no reference asks for another version, or uses a package that
  /// requires it.
  bool used = false;
  std::vector<RequirementInfo> requirements = {};
  /// Why the host never uses it; absent if it may.
  std::optional<Error> refused = {};
};

/// A source of a requirement.
struct RequirerInfo {
  /// A reference passed to Host::resolve, the host, or a package with its version.
  std::string name;
  /// The accepted versions; empty: any.
  std::string versions;
};

/// A newer version that was not chosen.
struct SkippedVersion {
  std::string version;
  /// For people, eg: "me.example/blur 1.2.0 requires ^1.4"
  std::string reason;
};

/// A package that is used, and why this version was chosen.
struct ResolvedPackage {
  PackageInfo package;
  /// Everything that uses it, including packages that no reference led to.
  std::vector<RequirerInfo> required_by;
  /// Newest first.
  std::vector<SkippedVersion> newer;
};

/// The packages that references lead to.
struct ResolvedPackages {
  /// The packages that the references name, then what they require, recursively. Each once.
  std::vector<ResolvedPackage> packages;
  /// For references: bad-reference, not-found, and why the host does not use what they name.
  std::vector<Error> errors;
  /// version-substituted: another version is used because the one in a reference is absent.
  std::vector<Error> warnings;
};

}}  // namespace tenon::v0_1
