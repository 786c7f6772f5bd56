// SPDX-License-Identifier: BSL-1.0
//
// The resolver: which version of each required package each requirer gets.
//
// A requirer is a package or a root. A root is the host, a reference, or anything else outside of
// the packages. Several versions of one package may be loaded side by side, because each
// requirement binds its requirer to one version. The resolver guarantees:
//
//  - A version is usable if each of its requirements is met by some usable version. Cycles are
//    allowed. A requirement of a root is met if and only if some usable version meets it, and all
//    requirements of what a root gets, directly or not, are met. Unusable versions of other
//    packages have no effect.
//  - A requirer gets one version of a name, even if it requires the name several times.
//  - A version in `Problem::used` is in use although nothing requires it. Its requirements count,
//    but it is not preferred as a provider.
//  - Among the versions of a name, the ones that most requirers accept are chosen first, and among
//    these the preferred one: a locked version, then the newest release, then the newest
//    prerelease. All requirers that accept it get it; the others share the remaining versions in
//    the same way. Therefore one version serves all requirers if possible, and otherwise as many as
//    possible.
//  - Only requirers that are part of the result are counted. This is exact unless packages require
//    each other in cycles. In a cycle, a version that was dropped again may have been counted; the
//    result is still valid, but may have more versions than necessary.
//  - With a lock, only locked versions of the locked names are considered, as long as no root loses
//    a requirement that could be met and no version in `Problem::used` becomes unusable. Otherwise
//    locked versions come first: a requirer that accepts a usable locked version gets one, even if
//    another version serves more requirers. Names of which the repository has no locked version are
//    not restricted. A result that is used as a lock gives the same result again, whatever packages
//    were added since.
//  - Each package has itself: a requirement of its own name that it meets itself binds it to
//    itself. A requirement of another version of itself does not affect its requirers. A package
//    that states no requirement of its own name has `Requirement::same_major`. The core is not a
//    package; a host that lets plugins name it adds one.
//  - The requirements of a dev package are advisory. If no usable version meets one, the dev
//    package gets the preferred version of that name, or none, with a warning.
//  - The result does not depend on the order in which packages were added.
//
// The time grows about linearly with what is reachable from the roots.
#pragma once

#include <tenon/result.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "package/repository.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// A requirer that is not a package. It gets one version of each name.
struct Root {
  std::string name;  // for people, eg: "photo 5.1"
  Dependencies dependencies;
};

struct Problem {
  std::vector<Root> roots;
  /// Versions to use: those of a lock file, or the loaded ones if these are to be kept.
  std::vector<std::pair<std::string, Version>> lock{};
  /// Packages that are in use whether or not they are required. Unusable ones are ignored.
  std::vector<PackageId> used{};
};

/// The version that a requirer gets.
struct Binding {
  std::uint32_t root = none;               // the requirer is a root, by index,
  PackageId requirer = none;               // or a package
  const Dependency* dependency = nullptr;  // the requirer's first one of that name
  PackageId provider = none;               // or none: see `conflicts` and `warnings`
};

/// A requirement that no usable version meets.
struct Conflict {
  /// The path from a root: the provider of each binding is the requirer of the next one, and the
  /// last one has no provider.
  std::vector<Binding> chain;
  /// missing-package, no-matching-version, contradictory-requirement or version-conflict, with a
  /// description of the chain, the available versions and a fix; or the code of the file of that
  /// name that cannot be used.
  Error error;
};

/// The result. It refers to the repository and the problem. Const functions may be called from any
/// thread.
struct Resolution {
  std::vector<PackageId> packages;  // all that are needed; except in cycles, requirers come first
  std::vector<Binding> bindings;    // of the roots, then of the packages, in their order
  std::vector<Conflict> conflicts;  // of each name and requirement the shortest chain
  std::vector<Error> warnings;      // requirement-not-enforced, for dev packages
  bool within_lock = true;          // only locked versions of locked names were needed

  /// Returns the version of `name` that a root, or a package of the result, gets; none if it does
  /// not require that name or the requirement is not met. A package gets itself for its own name
  /// unless it requires another version.
  PackageId for_root(std::uint32_t root, std::string_view name) const;
  PackageId for_package(const Repository& repository, PackageId requirer,
                        std::string_view name) const;
};

/// Resolves the requirements of the roots. REQUIRED: the arguments live as long as the result.
Resolution resolve(const Repository& repository, const Problem& problem);

}}}  // namespace tenon::v0_1::detail
