// SPDX-License-Identifier: BSL-1.0
//
// Bindings: which version of each package the host and each package get, of all packages that the
// host has found. The resolver computes them from the requirements of the host and the packages.
//
//  - The host can use each package whose requirements are met, in the versions that the host's
//    requirements accept. It shares versions that it requires with packages that require the same.
//    Of other packages it uses the locked version by default, otherwise the newest one. Versions of
//    which it can use no plugin come last. This has no influence on the versions that packages get.
//  - A package sees itself, the packages that its manifest requires, each in the version that it
//    got, and the builtins of the host. These are the core, which need not be required. A package
//    that does require a builtin gets a version that it accepts, or nothing.
#pragma once

#include <tenon/result.hpp>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/scan.hpp"
#include "package/repository.hpp"
#include "package/resolver.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The packages that were found, and the requirements of the host.
struct Packages {
  /// The name of the host in messages.
  std::string host{};
  /// The host's requirements, by package. The host accepts any version of other packages.
  std::map<std::string, Requirement, std::less<>> requirements{};
  /// The locked versions, and the lock file.
  std::vector<std::pair<std::string, Version>> lock{};
  std::string lock_file{};
  /// If two have the same name and version, the first is used.
  std::vector<Package> found{};
  BrokenNames broken{};
};

/// Const functions may be called from any thread.
class Bindings {
 public:
  explicit Bindings(Packages packages);
  Bindings(const Bindings&) = delete;
  Bindings& operator=(const Bindings&) = delete;

  /// Returns the errors and warnings for unmet requirements, requirements that are not enforced,
  /// and conflicts with the lock. Codes: those of the resolver; missing-locked-package,
  /// lock-conflict.
  const std::vector<Error>& diagnostics() const noexcept { return diagnostics_; }

  /// Checks that the host can use a version of a package.
  /// Errors: those of the resolver; version-refused.
  Result<void> check(std::string_view name, const Version& version) const;
  Result<void> check(PackageId id) const;
  /// Checks that a package sees a version of another package, or of itself. The requester may be
  /// newer than the packages that were found.
  /// Errors: undeclared-requirement, version-refused.
  Result<void> check(const Package& requester, std::string_view name, const Version& version,
                     bool builtin) const;

  /// Checks that `replacement` can replace the previous version of a package in a restart, while
  /// `users` continue to use it. `where` is its file.
  /// Errors: restart-refused; version-refused; those of the resolver.
  Result<void> check_restart(const Package& previous, const Package& replacement,
                             const std::vector<Package>& users, const std::string& where) const;

  /// Returns whether the lock names the package.
  bool locked(PackageId id) const { return locked_[id]; }

  /// Returns whether the host uses this version rather than a newer one, because its own
  /// requirement got it or the lock names it.
  bool is_preferred(std::string_view name, const Version& version) const;
  bool is_preferred(PackageId id) const;

  /// Returns the name of the host in messages.
  const std::string& host() const noexcept { return packages_.host; }
  /// Returns the host's requirement of a package, or nullptr if it accepts any version.
  const Requirement* host_requirement(std::string_view name) const;

  /// Returns the error of an unusable file that has this name, or nullptr if there is none. The
  /// name may lack its domain.
  const Error* broken(std::string_view name) const;

  const Repository& repository() const noexcept { return repository_; }
  /// Returns the versions that the host uses unless a reference names another one, and all that
  /// these require.
  const Resolution& resolution() const noexcept { return resolution_; }
  /// Returns whether the requirements of a package are met.
  bool usable(PackageId id) const { return usable_[id]; }
  /// Returns whether the host uses the package, directly or as a dependency.
  bool used(PackageId id) const { return first_binding_[id] != none; }
  /// Returns the version of a name that a package gets. Returns none if it gets nothing, or if it
  /// gets itself and is not among the packages that were found.
  PackageId provider_for(const Package& requester, std::string_view name) const;
  PackageId provider_for(PackageId id, std::string_view name) const;
  /// Returns the provider of each dependency of a package.
  std::vector<PackageId> providers_of(PackageId id) const;

 private:
  PackageId default_version(NameId name) const;
  PackageId host_provider(std::string_view name) const;
  std::span<const Binding> bindings_of(PackageId id) const;
  PackageId select_provider(const Package& requester, std::string_view name,
                            std::span<const Dependency> dependencies) const;
  Error refused_by_host(std::string_view name, const Version& version,
                        const Requirement& requirement) const;
  std::vector<std::string> used_despite_lock() const;
  std::vector<PackageId> sorted_unusable() const;
  void find_usable();
  void resolve_packages();
  void collect_diagnostics();

  Packages packages_;  // `found` is moved to the repository
  Repository repository_;
  std::vector<bool> usable_;
  std::vector<bool> locked_;
  std::map<PackageId, Error> unusable_;  // the errors of unusable packages
  // By name without domain. Of several, the first in the order of full names.
  std::map<std::string_view, const Error*> broken_by_short_name_;
  Problem problem_;                         // the host's requirements, and its default versions
  Resolution resolution_;                   // refers to repository_ and problem_
  std::vector<std::size_t> first_binding_;  // by package; none if it is not used
  std::vector<Error> diagnostics_;
};

}}}  // namespace tenon::v0_1::detail
