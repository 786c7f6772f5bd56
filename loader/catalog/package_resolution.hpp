// SPDX-License-Identifier: BSL-1.0
//
// The packages that references and requirements resolve to, and the lock file that states them.
#pragma once

#include <tenon/packages.hpp>
#include <tenon/result.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "catalog/plugin_lookup.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// See Host::packages.
std::vector<PackageInfo> packages_of(const Catalog& catalog);

/// See Host::resolve.
ResolvedPackages resolve(const Catalog& catalog, const PluginLookup& plugins,
                         const std::vector<std::string>& references);

/// See Host::write_lock.
Result<void> write_lock(const Catalog& catalog, const std::filesystem::path& file);

}}}  // namespace tenon::v0_1::detail
