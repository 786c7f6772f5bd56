// SPDX-License-Identifier: BSL-1.0
//
// Which packages are usable, and what the others lack.
#pragma once

#include <tenon/result.hpp>

#include <memory>

#include "package/repository.hpp"

namespace tenon {

/// Which packages are usable, and why the others are not: one pass for all of them.
class Usability {
 public:
  /// REQUIRED: the repository lives as long as this.
  explicit Usability(const Repository& repository);
  Usability(const Usability&) = delete;
  Usability& operator=(const Usability&) = delete;
  ~Usability();

  bool usable(PackageId id) const;

  /// Everything that the package lacks, with what those lack that could meet it. Takes time for
  /// what it says, not for what there is. REQUIRED: not usable(id).
  /// Error: that of an Unmet; the code is that of the first reason.
  Error reason(PackageId id) const;

 private:
  class Search;
  const std::unique_ptr<Search> search_;
};

}  // namespace tenon
