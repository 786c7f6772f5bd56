// SPDX-License-Identifier: BSL-1.0
//
// Who gets which version of which package, of all that a host has found: the resolver's answer to
// what the host and its packages require.
//
//  - The host takes every package that gets what it requires, of the versions that its own
//    requirements admit. What it requires itself it shares with the packages that require the same.
//    Of all else it takes the newest, unless it asks for another: that choice is free, and has no
//    say in what packages get.
//  - A package sees itself, what its manifest requires, at the one version that it got, and the
//    builtins of the host: these are the core, which nobody has to require. Who requires a builtin
//    all the same gets what it asks for, or nothing.
#pragma once

#include <tenon/result.hpp>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "package/repository.hpp"
#include "package/resolver.hpp"

namespace tenon::detail {

/// What there is, and what is asked of it.
struct Packages {
  /// The host, as messages call it.
  std::string host{};
  /// Which versions of a package the host takes; any of those that are not named here.
  std::map<std::string, Requirement, std::less<>> requirements{};
  /// Versions to keep to, and the file that says so.
  std::vector<std::pair<std::string, Version>> lock{};
  std::string lock_file{};
  /// Of two with the same name and version the first counts.
  std::vector<Package> found{};
  /// Names in manifests of files that cannot be used, and what is wrong with these.
  std::map<std::string, Error, std::less<>> broken{};
};

/// Const functions may be called from any thread.
class Bindings {
 public:
  explicit Bindings(Packages packages);
  Bindings(const Bindings&) = delete;
  Bindings& operator=(const Bindings&) = delete;

  /// What somebody requires and does not get, what is not enforced, and where the lock does not
  /// fit. Codes: those of the resolver; missing-locked-package, lock-conflict.
  const std::vector<Error>& flaws() const noexcept { return flaws_; }

  /// Why the host does not use a version of a package; nothing where it does.
  /// Errors: those of the resolver; version-refused.
  std::optional<Error> refusal(std::string_view name, const Version& version) const;
  std::optional<Error> refusal(PackageId id) const;
  /// Why a package does not see a version of another one, or of itself; nothing where it does. The
  /// asker may be newer than what was found. Errors: undeclared-requirement, version-refused.
  std::optional<Error> refusal(const Package& asker, std::string_view name, const Version& version,
                               bool builtin) const;

  /// Why code may not take the place of what has the same name, of users that go on with it;
  /// nothing where it may. `where`: its file.
  /// Errors: restart-refused; version-refused; those of the resolver.
  std::optional<Error> refusal_of_change(const Package& before, const Package& fresh,
                                         const std::vector<Package>& users,
                                         const std::string& where) const;

  /// Whether the lock names it.
  bool locked(PackageId id) const { return locked_[id]; }

  /// Whether the host takes it before newer ones: its own requirement got it, or the lock names it.
  bool comes_first(std::string_view name, const Version& version) const;
  bool comes_first(PackageId id) const;

  /// The host, as messages call it.
  const std::string& host() const noexcept { return packages_.host; }
  /// Which versions of a package the host takes; nullptr where it takes any.
  const Requirement* of_host(std::string_view name) const;

  /// What is wrong with a file that cannot be used and has this name, with or without its domain;
  /// nullptr: there is none.
  const Error* broken(std::string_view name) const;

  const Repository& repository() const noexcept { return repository_; }
  /// What the host uses where it asks for no version, and all that this requires.
  const Resolution& resolution() const noexcept { return resolution_; }
  /// Of each package whether it gets what it requires.
  bool usable(PackageId id) const { return usable_[id]; }
  /// Whether the host uses it, or something that the host uses gets it.
  bool used(PackageId id) const { return first_binding_[id] != none; }
  /// What a package gets for a name; none where it gets nothing, or where it was not found and gets
  /// itself.
  PackageId bound(const Package& asker, std::string_view name) const;
  PackageId bound(PackageId id, std::string_view name) const;
  /// The same for each need of a package.
  std::vector<PackageId> bound(PackageId id) const;

 private:
  PackageId chosen(NameId name) const;
  PackageId bound_to_host(std::string_view name) const;
  std::span<const Binding> bindings_of(PackageId id) const;
  PackageId preferred(const Package& asker, std::string_view name,
                      std::span<const Need> needs) const;
  Error refused_by_host(std::string_view name, const Version& version,
                        const Requirement& takes) const;
  std::vector<std::string> used_beside_the_lock() const;
  void find_usable();
  void settle();
  void find_flaws();

  Packages packages_;  // apart from what is in the repository
  Repository repository_;
  std::vector<bool> usable_;
  std::vector<bool> locked_;
  std::map<PackageId, Error> unmet_;  // of packages that are not usable
  // By the name without its domain: the first in the order of whole names.
  std::map<std::string_view, const Error*> broken_by_short_name_;
  Question question_;      // the host's requirements, and the packages that it uses
  Resolution resolution_;  // points into the two
  std::vector<std::size_t> first_binding_;  // of packages; none where the host does not use them
  std::vector<Error> flaws_;
};

}  // namespace tenon::detail
