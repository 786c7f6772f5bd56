// SPDX-License-Identifier: BSL-1.0
#include "catalog/package_resolution.hpp"

#include <algorithm>
#include <utility>

#include "catalog/compatibility.hpp"
#include "catalog/package_info.hpp"
#include "catalog/reference.hpp"
#include "package/lock.hpp"
#include "trust/locked_content.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// Returns the plugin that the host uses of those that a reference names: the first that it can
/// use, otherwise the first that its requirements do not refuse.
std::vector<const Registration*>::const_iterator preferred(
    const std::vector<const Registration*>& plugins) {
  const auto accepted = [](const Registration* one) { return !one->refused; };
  const auto used = std::ranges::find_if(plugins, [&](const Registration* one) {
    return accepted(one) && compatibility_of(one->provided()).usable();
  });
  return used != plugins.end() ? used : std::ranges::find_if(plugins, accepted);
}

/// Returns the package of the plugin that a reference names, or, if no plugin has that name, the
/// package of that name.
Result<NamedPackage> named_package(const Catalog& catalog, const PluginLookup& lookup,
                                   const PackageDescriptions& packages,
                                   const std::string& reference) {
  const Bindings& bindings = catalog.bindings();
  auto plugins = catalog.registry().find_all(reference, lookup.default_domain());
  if (plugins) {
    const Registration* first = plugins->front();
    const auto taken = preferred(*plugins);
    if (taken == plugins->end()) return *first->refused;
    auto wanted =
        Reference::parse(reference, (*taken)->name().substr(0, (*taken)->name().find('/')));
    return NamedPackage{
        reference, std::move(*wanted),
        bindings.repository().find((*taken)->package(), (*taken)->package_version())};
  }
  if (plugins.error().code() != "not-found") return std::move(plugins).error();
  auto wanted = Reference::parse(reference, lookup.default_domain());
  const PackageId best = wanted ? packages.find(*wanted) : none;
  if (best == none) {
    if (const Error* file = lookup.broken(catalog, reference)) return *file;
  }
  if (best == none && wanted && !bindings.repository().versions(wanted->name).empty()) {
    return packages.not_found(reference, *wanted);
  }
  if (best == none) return std::move(plugins).error();
  const Package& package = bindings.repository().package(best);
  if (auto checked = bindings.check(package.name, package.version); !checked) {
    return std::move(checked).error();
  }
  return NamedPackage{reference, std::move(*wanted), best};
}

}  // namespace

std::vector<PackageInfo> packages_of(const Catalog& catalog) {
  return PackageDescriptions(catalog.bindings(), catalog.files()).all();
}

ResolvedPackages resolve(const Catalog& catalog, const PluginLookup& plugins,
                         const std::vector<std::string>& references) {
  const PackageDescriptions packages(catalog.bindings(), catalog.files());
  ResolvedPackages resolved;
  std::vector<NamedPackage> named;
  for (const std::string& reference : references) {
    auto one = named_package(catalog, plugins, packages, reference);
    if (one) {
      named.push_back(std::move(*one));
    } else {
      resolved.errors.push_back(std::move(one).error());
    }
  }
  resolved.packages = packages.closure_of(named);
  for (const NamedPackage& one : named) {
    const Package& package = catalog.bindings().repository().package(one.package);
    if (*one.wanted.match(package.version) == Match::exact) continue;
    resolved.warnings.push_back(
        Error({.code = "version-substituted",
               .where = one.reference,
               .found = package.name + " " + package.version.to_string(),
               .needed = "version " + one.wanted.version->to_string() + ", which is not available",
               .fix = "name an available version, or reinstall that one",
               .severity = Severity::warning}));
  }
  return resolved;
}

Result<void> write_lock(const Catalog& catalog, const std::filesystem::path& file) {
  const Bindings& bindings = catalog.bindings();
  const PackageDescriptions packages(bindings, catalog.files());
  if (!bindings.resolution().conflicts.empty())
    return bindings.resolution().conflicts.front().error;
  std::vector<LockedPackage> locked;
  for (const PackageId id : bindings.resolution().packages) {
    const Package& package = bindings.repository().package(id);
    if (package.dev) {
      return Error(
          {.code = "not-lockable",
           .where = std::filesystem::path(packages.file(id)).string(),
           .found = "a package in development: " + package.name,
           .needed = "released packages, whose content does not change",
           .fix = "remove it from the plugin path, or move it to a directory of its version"});
    }
    locked.push_back({.name = package.name, .version = package.version});
    if (packages.file(id).empty()) continue;
    if (auto done = lock_content(packages.file(id), locked.back()); !done) return done;
  }
  if (auto checked = check_replaceable(file, locked, bindings.host()); !checked) return checked;
  return write_lock_file(file, std::move(locked), bindings.host());
}

}}}  // namespace tenon::v0_1::detail
