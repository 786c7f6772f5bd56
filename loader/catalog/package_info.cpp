// SPDX-License-Identifier: BSL-1.0
#include "catalog/package_info.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/quote.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// Returns the versions that a reference accepts, or nothing if it accepts any. A named version
/// that was replaced accepts only the replacement.
std::optional<Requirement> accepted_by(const Reference& reference, const Version& got) {
  return reference.version ? Requirement::exactly(got) : reference.requirement;
}

/// Returns the part of a reference after the last '@', as it was written.
std::string versions_of(const std::string& reference) {
  const auto at = reference.rfind('@');
  return at != std::string::npos ? reference.substr(at + 1) : "";
}

}  // namespace

PackageDescriptions::PackageDescriptions(const Bindings& bindings,
                                         std::vector<const platform::PathText*> files)
    : bindings_(bindings), repository_(bindings.repository()), files_(std::move(files)) {}

bool PackageDescriptions::from(PackageId id, Reference::Origin origin) const {
  return origin == Reference::Origin::any ||
         file(id).empty() == (origin == Reference::Origin::builtin);
}

PackageId PackageDescriptions::find(const Reference& wanted) const {
  PackageId best = none;
  const auto rank = [&](PackageId id) {
    const Version& version = repository_.package(id).version;
    const Match match = *wanted.match(version);
    return std::tuple(match != Match::exact, !bindings_.check(id).has_value(),
                      !repository_.package(id).compatible, match, !bindings_.is_preferred(id));
  };
  for (const PackageId id : repository_.versions(wanted.name)) {
    if (!from(id, wanted.origin) || !wanted.match(repository_.package(id).version)) continue;
    if (best == none || rank(id) < rank(best)) best = id;
  }
  return best;
}

Error PackageDescriptions::not_found(const std::string& reference, const Reference& wanted) const {
  std::vector<std::string> versions;
  for (const PackageId id : repository_.versions(wanted.name)) {
    versions.push_back(repository_.package(id).version.to_string() +
                       (file(id).empty() ? " (builtin)" : " (standalone)"));
  }
  return Error({.code = "not-found",
                .where = reference,
                .found = wanted.name + " " + some_of(versions, 10),
                .needed = "a package that has that name, origin and version",
                .fix = "put its module into a directory of the plugin path, or correct the "
                       "reference"});
}

RequirementInfo PackageDescriptions::describe(const Package& package, const Dependency& dependency,
                                              PackageId provider) const {
  RequirementInfo info{.package = dependency.name, .versions = dependency.versions.to_string()};
  if (provider == none) return info;
  const Version& version = repository_.package(provider).version;
  info.resolved = version.to_string();
  info.met = !package.dev || dependency.versions.contains(version);
  return info;
}

/// `providers`: see Bindings::providers_of.
PackageInfo PackageDescriptions::describe(PackageId id,
                                          const std::vector<PackageId>& providers) const {
  const Package& package = repository_.package(id);
  PackageInfo info{.name = package.name,
                   .version = package.version.to_string(),
                   .file = file(id),
                   .in_development = package.dev,
                   .locked = bindings_.locked(id),
                   .used = bindings_.used(id)};
  if (auto checked = bindings_.check(id); !checked) info.refused = std::move(checked).error();
  info.requirements.reserve(package.dependencies.size());
  for (std::size_t i = 0; i < package.dependencies.size(); ++i) {
    info.requirements.push_back(describe(package, package.dependencies[i], providers[i]));
  }
  return info;
}

std::vector<PackageInfo> PackageDescriptions::all() const {
  std::vector<std::string_view> names;
  for (NameId name = 0; name < repository_.names(); ++name) {
    names.push_back(repository_.text(name));
  }
  std::sort(names.begin(), names.end());
  std::vector<PackageInfo> packages;
  for (const std::string_view name : names) {
    for (const PackageId id : repository_.versions(name))
      packages.push_back(describe(id, bindings_.providers_of(id)));
  }
  return packages;
}

std::vector<PackageDescriptions::Reached> PackageDescriptions::reach(
    const std::vector<NamedPackage>& named) const {
  std::vector<bool> seen(repository_.size());
  std::vector<Reached> reached;
  const auto add = [&](PackageId id) {
    if (id == none || seen[id]) return;
    seen[id] = true;
    reached.push_back({id, bindings_.providers_of(id)});
  };
  for (const NamedPackage& one : named) add(one.package);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const std::vector<PackageId> providers = reached[i].providers;
    for (const PackageId provider : providers) add(provider);
  }
  return reached;
}

/// Returns the users of each package, among the used and the reached packages.
std::vector<PackageDescriptions::Users> PackageDescriptions::users(
    const std::vector<Reached>& reached, const std::vector<NamedPackage>& named) const {
  std::vector<PackageId> asking = bindings_.resolution().packages;
  for (const Reached& one : reached) {
    if (!bindings_.used(one.id)) asking.push_back(one.id);
  }
  std::vector<Users> users(repository_.size());
  for (const PackageId one : asking) {
    const Dependencies& dependencies = repository_.package(one).dependencies;
    const std::vector<PackageId> providers = bindings_.providers_of(one);
    for (std::size_t i = 0; i < dependencies.size(); ++i) {
      const PackageId got = providers[i];
      if (got != none && got != one) users[got].packages.push_back({one, &dependencies[i]});
    }
  }
  for (const NamedPackage& one : named) users[one.package].references.push_back(&one);
  return users;
}

std::vector<PackageDescriptions::Requirer> PackageDescriptions::requirers(
    PackageId id, const Users& users) const {
  const Package& package = repository_.package(id);
  std::vector<Requirer> all;
  all.reserve(users.references.size() + 1 + users.packages.size());
  for (const NamedPackage* one : users.references) {
    all.push_back(
        {{one->reference, versions_of(one->reference)}, accepted_by(one->wanted, package.version)});
  }
  const Requirement* requirement = bindings_.host_requirement(package.name);
  if (requirement != nullptr && bindings_.is_preferred(id)) {
    all.push_back({{bindings_.host(), requirement->to_string()}, *requirement});
  }
  for (const User& user : users.packages) {
    all.push_back(
        {{display_name(repository_.package(user.package)), user.dependency->versions.to_string()},
         user.dependency->versions});
  }
  return all;
}

/// Returns why a newer version was passed over. REQUIRED: both have the same name.
std::string PackageDescriptions::why_not(PackageId newer_id, PackageId selected_id,
                                         const std::vector<Requirer>& requirers) const {
  const Package& newer = repository_.package(newer_id);
  const Package& selected = repository_.package(selected_id);
  if (const auto checked = bindings_.check(newer_id); !checked) {
    const Error& refused = checked.error();
    return refused.message().empty() ? "needed: " + std::string(refused.needed())
                                     : "it " + std::string(refused.message()) +
                                           "; found: " + std::string(refused.found());
  }
  if (!newer.compatible && selected.compatible) {
    return "the host can use none of its plugins";
  }
  if (!newer.version.prerelease.empty() && selected.version.prerelease.empty()) {
    return "a prerelease; releases are preferred";
  }
  for (const Requirer& one : requirers) {
    if (!one.versions || one.versions->contains(newer.version)) continue;
    constexpr std::string_view requires_it = " requires ";
    std::string reason;
    reason.reserve(one.info.name.size() + requires_it.size() + one.info.versions.size());
    return reason.append(one.info.name).append(requires_it).append(one.info.versions);
  }
  if (bindings_.locked(selected_id)) return "the lock names the older one";
  return "one version should serve all requirers";
}

std::vector<SkippedVersion> PackageDescriptions::newer(
    PackageId id, const std::vector<Requirer>& requirers) const {
  const Package& selected = repository_.package(id);
  const auto version_of = [this](PackageId one) -> const Version& {
    return repository_.package(one).version;
  };
  std::vector<PackageId> found;
  for (const PackageId other : repository_.versions(selected.name)) {
    if (version_of(other) > selected.version) found.push_back(other);
  }
  const auto is_newer = [&](PackageId a, PackageId b) { return version_of(a) > version_of(b); };
  // Only prereleases are in another order.
  if (!std::ranges::is_sorted(found, is_newer)) std::ranges::stable_sort(found, is_newer);
  std::vector<SkippedVersion> passed_over;
  passed_over.reserve(found.size());
  for (const PackageId one : found) {
    passed_over.push_back({version_of(one).to_string(), why_not(one, id, requirers)});
  }
  return passed_over;
}

std::vector<ResolvedPackage> PackageDescriptions::closure_of(
    const std::vector<NamedPackage>& named) const {
  const std::vector<Reached> reached = reach(named);
  const std::vector<Users> users = this->users(reached, named);
  std::vector<ResolvedPackage> packages;
  packages.reserve(reached.size());
  for (const auto& [id, providers] : reached) {
    std::vector<Requirer> all = requirers(id, users[id]);
    ResolvedPackage resolved{
        .package = describe(id, providers), .required_by = {}, .newer = newer(id, all)};
    resolved.required_by.reserve(all.size());
    for (Requirer& one : all) resolved.required_by.push_back(std::move(one.info));
    packages.push_back(std::move(resolved));
  }
  return packages;
}

}}}  // namespace tenon::v0_1::detail
