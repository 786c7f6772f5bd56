// SPDX-License-Identifier: BSL-1.0
//
// tenon/packages.hpp: what a host says of the packages that it has found: what each of them
// requires and gets, and why it is this version and not a newer one.
#pragma once

#include <tenon/result.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tenon {

/// What a package requires of another one, and what it gets.
struct RequirementInfo {
  std::string package;
  /// As the author wrote it, eg: "^1.4"
  std::string versions;
  /// The version that it gets; empty where it gets none. A package in development may get one that
  /// it does not ask for.
  std::string gets = {};
  /// Whether it gets what it asks for.
  bool met = false;
};

/// One version of a package.
struct PackageInfo {
  std::string name;
  std::string version;
  /// Where the module lies; empty for a builtin.
  std::filesystem::path file;
  bool builtin() const noexcept { return file.empty(); }
  /// From a folder `dev`: its requirements are wishes.
  bool in_development = false;
  /// The lock of the host names it.
  bool locked = false;
  /// The host takes it where nobody asks for another version, or something that it takes so gets
  /// it.
  bool used = false;
  std::vector<RequirementInfo> requirements = {};
  /// Why the host never takes it; nothing where it does.
  std::optional<Error> refused = {};
};

/// Somebody who requires a package.
struct RequirerInfo {
  /// A reference that was asked about, the host, or a package with its version.
  std::string name;
  /// Empty: any will do.
  std::string versions;
};

/// A newer version that was passed over.
struct PassedOver {
  std::string version;
  /// For people, eg: "me.example/blur 1.2.0 requires ^1.4"
  std::string reason;
};

/// A package that somebody gets, and why it is this version.
struct ResolvedPackage {
  PackageInfo package;
  /// All who get it, also those that nobody asked about.
  std::vector<RequirerInfo> required_by;
  /// The newest first.
  std::vector<PassedOver> newer;
};

/// What references come to.
struct Resolved {
  /// Those that are referred to, then what they require, and what that requires. Each once.
  std::vector<ResolvedPackage> packages;
  /// Of references: bad-reference, not-found, why the host does not take what they name.
  std::vector<Error> errors;
  /// version-substituted: a version that a reference names is gone, and another one takes its
  /// place.
  std::vector<Error> warnings;
};

}  // namespace tenon
