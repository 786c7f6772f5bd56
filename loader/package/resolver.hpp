// SPDX-License-Identifier: BSL-1.0
//
// The resolver: which version of which package everybody gets.
//
// Somebody who requires packages is a package or a root: the host, a reference, anything that
// asks from outside. Several versions of one package may be loaded side by side, so that every
// requirement is a matter between its requirer and one version. What is promised:
//
//  - Usable is a version each of whose requirements some usable version meets; cycles are fine. A
//    root gets what it needs exactly when a usable version meets it, and everything that a root
//    gets, directly or not, gets what it needs. What others lack hinders nobody.
//  - One requirer gets one version of a name, also where it names it several times.
//  - A version that is in use although nobody requires it (see `Question::used`) requires what it
//    requires, and is no reason for anybody to get that version.
//  - Of the versions of a name, those that the most requirers take go first, and of these the
//    preferred one: a locked one, then the newest release, then the newest prerelease. It goes to
//    all who take it; the others share what is left in the same way. So one version serves all
//    where one can, and else as many as it can.
//  - Requirers are those that the answer has in it. This is exact while no packages require each
//    other in a circle; in a circle a version that was left again may have counted, so that the
//    answer holds all the same but may have more versions than it must.
//  - With a lock nothing but locked versions is looked at for the names in it that are there, as
//    long as that leaves no root without what it could have; else they are preferred. An answer
//    given as a lock gives that answer again, whatever packages came up since.
//  - Each package has itself: a requirement of its own name that it meets itself goes to itself,
//    one that asks for another version is no matter of those who require the package, and one that
//    is not made is `Requirement::same_major`. The core is no package; a host that lets plugins
//    name it adds one.
//  - The requirements of a dev package are wishes. What no usable version meets goes to the
//    preferred version of that name, or to nobody, with a warning.
//  - The answer does not depend on the order in which packages were added.
//
// The time it takes grows with what the roots can reach, and hardly faster.
#pragma once

#include <tenon/result.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "package/repository.hpp"

namespace tenon {

/// Somebody outside who requires packages. Requirers whose needs are to be met by one version
/// of each name are one root, and say who they are in `Need::by`.
struct Root {
  std::string name;  // for people, eg: "photo 5.1"
  std::vector<Need> needs;
};

struct Question {
  std::vector<Root> roots;
  /// Versions to keep to: of a lock file, or those that are loaded where that is wished for.
  std::vector<std::pair<std::string, Version>> lock{};
  /// Packages that are in use whoever requires them. Those that are not usable are left out.
  std::vector<PackageId> used{};
};

/// Who gets what.
struct Binding {
  std::uint32_t root = none;   // the requirer: its place among the roots...
  PackageId requirer = none;   // ... or a package
  const Need* need = nullptr;  // the first of the requirer's that have this name
  PackageId provider = none;   // none: nothing, see `unmet` and `warnings`
};

/// A need that nothing meets.
struct Unmet {
  /// How a root came to it: each requires what the next one is a version of; the last one's
  /// need is met by nothing.
  std::vector<Binding> chain;
  /// missing-package, no-matching-version, contradictory-requirement, or version-conflict, with
  /// the chain in words, what is there, and what would help.
  Error error;
};

/// The answer. It points into the repository and the question. Const functions may be called from
/// any thread.
struct Resolution {
  std::vector<PackageId> packages;  // all that are needed; circles aside, requirers come first
  std::vector<Binding> bindings;    // of the roots, then of the packages, in their order
  std::vector<Unmet> unmet;         // of one name and requirement the shortest chain
  std::vector<Error> warnings;      // requirement-not-enforced: wishes of dev packages
  bool within_lock = true;          // whether the lock could be kept to

  /// What a root, or a package of the answer, gets for `name`; none where it has no need of that
  /// name or nothing meets it. A package gets itself for its own name unless it says otherwise.
  PackageId for_root(std::uint32_t root, std::string_view name) const;
  PackageId for_package(const Repository& repository, PackageId requirer,
                        std::string_view name) const;
};

/// REQUIRED: both live as long as the answer.
Resolution resolve(const Repository& repository, const Question& question);

}  // namespace tenon
