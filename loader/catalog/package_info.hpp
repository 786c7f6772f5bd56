// SPDX-License-Identifier: BSL-1.0
//
// Descriptions of packages for the public API.
#pragma once

#include <tenon/packages.hpp>

#include <optional>
#include <string>
#include <vector>

#include "catalog/bindings.hpp"
#include "catalog/reference.hpp"
#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// A reference, and the package that it names.
struct NamedPackage {
  std::string reference;
  Reference wanted;
  PackageId package;
};

class PackageDescriptions {
 public:
  /// `files` has the file of each package of the bindings, by package id; empty for a builtin.
  /// REQUIRED: both live as long as this.
  PackageDescriptions(const Bindings& bindings, std::vector<const platform::PathText*> files);

  const platform::PathText& file(PackageId id) const { return *files_[id]; }

  /// Returns the package that a reference names, even if the host refuses it, or none. Exact
  /// matches come before others, locked packages before others, then in the order of preference.
  PackageId find(const Reference& wanted) const;
  /// Returns the error for a reference whose name exists, but not with that origin or version.
  Error not_found(const std::string& reference, const Reference& wanted) const;

  /// Returns all packages, sorted by name. The preferred version of each name comes first.
  std::vector<PackageInfo> all() const;
  /// Returns the named packages, and all that these require.
  std::vector<ResolvedPackage> closure_of(const std::vector<NamedPackage>& named) const;

 private:
  struct Requirer {
    RequirerInfo info;
    std::optional<Requirement> versions;  // that it accepts; nothing if it accepts any
  };
  /// A package whose dependency is bound to another package.
  struct User {
    PackageId package;
    const Dependency* dependency;
  };
  /// The users of a package, and the references to it.
  struct Users {
    std::vector<User> packages;
    std::vector<const NamedPackage*> references;
  };

  /// A package, and the packages that meet its dependencies; see Bindings::providers_of.
  struct Reached {
    PackageId id;
    std::vector<PackageId> providers;
  };

  PackageInfo describe(PackageId id, const std::vector<PackageId>& providers) const;
  RequirementInfo describe(const Package& package, const Dependency& dependency,
                           PackageId provider) const;
  bool from(PackageId id, Reference::Origin origin) const;
  std::vector<Reached> reach(const std::vector<NamedPackage>& named) const;
  std::vector<Requirer> requirers(PackageId id, const Users& users) const;
  std::vector<Users> users(const std::vector<Reached>& reached,
                           const std::vector<NamedPackage>& named) const;
  std::vector<SkippedVersion> newer(PackageId id, const std::vector<Requirer>& requirers) const;
  std::string why_not(PackageId newer, PackageId selected,
                      const std::vector<Requirer>& requirers) const;

  const Bindings& bindings_;
  const Repository& repository_;
  const std::vector<const platform::PathText*> files_;
};

}}}  // namespace tenon::v0_1::detail
