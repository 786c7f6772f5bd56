// SPDX-License-Identifier: BSL-1.0
//
// Descriptions of packages for the host's face.
#pragma once

#include <tenon/packages.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "catalog/bindings.hpp"
#include "catalog/reference.hpp"

namespace tenon::detail {

/// A reference, and the package that it comes to.
struct NamedPackage {
  std::string reference;
  Reference wanted;
  PackageId package;
};

class PackageDescriptions {
 public:
  /// `files`: of each package of the bindings where it lies; empty for a builtin. REQUIRED: both
  /// live as long as this.
  PackageDescriptions(const Bindings& bindings,
                      const std::vector<const std::filesystem::path*>& files);

  const std::filesystem::path& file(PackageId id) const { return *files_[id]; }

  /// The package that a reference names itself, whether or not the host takes it: what is asked for
  /// before the next best, what is locked before the rest, then the preferred one; none where there
  /// is none.
  PackageId find(const Reference& wanted) const;
  /// The error for a reference that names none of the packages that have its name.
  Error not_found(const std::string& reference, const Reference& wanted) const;

  /// By name, of each the preferred version first.
  std::vector<PackageInfo> all() const;
  /// What is named, and all that this requires.
  std::vector<ResolvedPackage> closure_of(const std::vector<NamedPackage>& named) const;

 private:
  struct Requirer {
    RequirerInfo info;
    std::optional<Requirement> versions;  // that it takes; nothing: any
  };
  /// A package that gets another one.
  struct User {
    PackageId package;
    const Need* need;
  };
  /// Those who get a package, and the references to it.
  struct Users {
    std::vector<User> packages;
    std::vector<const NamedPackage*> references;
  };

  PackageInfo describe(PackageId id, const std::vector<PackageId>& providers) const;
  RequirementInfo describe(const Package& package, const Need& need, PackageId provider) const;
  bool from(PackageId id, Reference::Origin origin) const;
  std::vector<PackageId> reach(const std::vector<NamedPackage>& named) const;
  std::vector<Requirer> requirers(PackageId id, const Users& users) const;
  std::vector<Users> users(const std::vector<PackageId>& reached,
                           const std::vector<NamedPackage>& named) const;
  std::vector<SkippedVersion> newer(PackageId id, const std::vector<Requirer>& requirers) const;
  std::string why_not(PackageId newer, PackageId taken,
                      const std::vector<Requirer>& requirers) const;

  const Bindings& bindings_;
  const Repository& repository_;
  const std::vector<const std::filesystem::path*>& files_;
};

}  // namespace tenon::detail
