// SPDX-License-Identifier: BSL-1.0
//
// The rules of a host for packages: its requirements, its lock file, and whose files it trusts.
#pragma once

#include <tenon/host.hpp>
#include <tenon/result.hpp>

#include <optional>
#include <vector>

#include "binary/bundle.hpp"
#include "catalog/catalog.hpp"
#include "manifest/manifest.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Thread-safe once `read` has returned.
class HostRules {
 public:
  /// Reads the rules. Adds the errors of those that are ignored to `problems`. REQUIRED: called
  /// once, before the functions below.
  void read(const HostOptions& options, std::vector<Error>& problems);

  const CatalogRules& for_catalogs() const noexcept { return rules_; }
  const TrustPolicy& trust() const noexcept { return rules_.trust; }

  /// See HostServices::check_loadable.
  Result<void> check_loadable(const Catalog& catalog, const Manifest& before, const Manifest& fresh,
                              const Bundle& bundle, FileComparison& files,
                              std::vector<Error>& warnings) const;
  /// See Host::check_lock.
  Result<void> check_lock(const PackageInfo& package) const;

 private:
  void read_requirements(const HostOptions& options, std::vector<Error>& problems);
  void read_trust(const HostOptions& options, std::vector<Error>& problems);
  Result<void> read_lock(std::vector<Error>& problems);

  CatalogRules rules_;
  std::optional<Error> broken_;  // no module is loaded
};

}}}  // namespace tenon::v0_1::detail
