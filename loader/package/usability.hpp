// SPDX-License-Identifier: BSL-1.0
//
// Which packages are usable, and which requirements of the others are unmet.
#pragma once

#include <tenon/result.hpp>

#include <memory>

#include "package/repository.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Finds the usable packages of a repository in one pass, and why the others are unusable.
class Usability {
 public:
  /// REQUIRED: the repository lives as long as this.
  explicit Usability(const Repository& repository);
  Usability(const Usability&) = delete;
  Usability& operator=(const Usability&) = delete;
  ~Usability();

  bool usable(PackageId id) const;

  /// Returns the unmet requirements of a package, and those of the packages that could have met
  /// them. The time depends on the length of the text, not on the number of packages. The codes are
  /// those of `Conflict`; the first reason determines it. REQUIRED: not usable(id).
  Error reason(PackageId id) const;

 private:
  class Search;
  const std::unique_ptr<Search> search_;  // nullptr: no package requires any
};

}}}  // namespace tenon::v0_1::detail
