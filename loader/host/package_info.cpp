// SPDX-License-Identifier: BSL-1.0
#include "host/package_info.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/quote.hpp"

namespace tenon::detail {
namespace {

/// What a reference takes beside the version that it got; nothing: any.
std::optional<Requirement> taken_by(const Reference& reference, const Version& got) {
  return reference.version ? Requirement::exactly(got) : reference.requirement;
}

/// What a reference says of versions, as it was written.
std::string versions_of(const std::string& reference) {
  const auto at = reference.rfind('@');
  return at != std::string::npos ? reference.substr(at + 1) : "";
}

}  // namespace

PackageDescriptions::PackageDescriptions(const Bindings& bindings,
                                         const std::vector<const std::filesystem::path*>& files)
    : bindings_(bindings), repository_(bindings.repository()), files_(files) {}

bool PackageDescriptions::from(PackageId id, Reference::Origin origin) const {
  return origin == Reference::Origin::any ||
         file(id).empty() == (origin == Reference::Origin::builtin);
}

PackageId PackageDescriptions::find(const Reference& wanted) const {
  PackageId best = none;
  const auto rank = [&](PackageId id) {
    const Version& version = repository_.package(id).version;
    const int step = *wanted.step_down(version);
    return std::tuple(step > 0, bindings_.refusal(id).has_value(), step,
                      !bindings_.comes_first(id));
  };
  for (const PackageId id : repository_.versions(wanted.name)) {
    if (!from(id, wanted.origin) || !wanted.step_down(repository_.package(id).version)) continue;
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
                .fix = "put its module into a folder of the plugin path, or correct the "
                       "reference"});
}

RequirementInfo PackageDescriptions::describe(const Package& package, const Need& need,
                                              PackageId provider) const {
  RequirementInfo info{.package = need.name, .versions = need.versions.to_string()};
  if (provider == none) return info;
  const Version& version = repository_.package(provider).version;
  info.resolved = version.to_string();
  info.met = !package.dev || need.versions.contains(version);
  return info;
}

/// `providers`: see Bindings::bound.
PackageInfo PackageDescriptions::describe(PackageId id,
                                          const std::vector<PackageId>& providers) const {
  const Package& package = repository_.package(id);
  PackageInfo info{.name = package.name,
                   .version = package.version.to_string(),
                   .file = file(id),
                   .in_development = package.dev,
                   .locked = bindings_.locked(id),
                   .used = bindings_.used(id),
                   .refused = bindings_.refusal(id)};
  info.requirements.reserve(package.needs.size());
  for (std::size_t i = 0; i < package.needs.size(); i++) {
    info.requirements.push_back(describe(package, package.needs[i], providers[i]));
  }
  return info;
}

std::vector<PackageInfo> PackageDescriptions::all() const {
  std::vector<std::string_view> names;
  for (NameId name = 0; name < repository_.names(); name++) {
    names.push_back(repository_.text(name));
  }
  std::sort(names.begin(), names.end());
  std::vector<PackageInfo> packages;
  for (const std::string_view name : names) {
    for (const PackageId id : repository_.versions(name))
      packages.push_back(describe(id, bindings_.bound(id)));
  }
  return packages;
}

std::vector<PackageId> PackageDescriptions::reach(const std::vector<NamedPackage>& named) const {
  std::vector<bool> seen(repository_.size());
  std::vector<PackageId> reached;
  const auto add = [&](PackageId id) {
    if (id == none || seen[id]) return;
    seen[id] = true;
    reached.push_back(id);
  };
  for (const NamedPackage& one : named) add(one.package);
  for (std::size_t i = 0; i < reached.size(); i++) {
    for (const PackageId provider : bindings_.bound(reached[i])) add(provider);
  }
  return reached;
}

/// Of each package those who get it, of what is used and what is reached.
std::vector<PackageDescriptions::Users> PackageDescriptions::users(
    const std::vector<PackageId>& reached, const std::vector<NamedPackage>& named) const {
  std::vector<PackageId> asking = bindings_.resolution().packages;
  for (const PackageId one : reached) {
    if (!bindings_.used(one)) asking.push_back(one);
  }
  std::vector<Users> users(repository_.size());
  for (const PackageId one : asking) {
    const std::vector<Need>& needs = repository_.package(one).needs;
    const std::vector<PackageId> providers = bindings_.bound(one);
    for (std::size_t i = 0; i < needs.size(); i++) {
      const PackageId got = providers[i];
      if (got != none && got != one) users[got].packages.push_back({one, &needs[i]});
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
        {{one->reference, versions_of(one->reference)}, taken_by(one->wanted, package.version)});
  }
  const Requirement* takes = bindings_.of_host(package.name);
  if (takes != nullptr && bindings_.comes_first(id)) {
    all.push_back({{bindings_.host(), takes->to_string()}, *takes});
  }
  for (const User& user : users.packages) {
    all.push_back({{in_words(repository_.package(user.package)), user.need->versions.to_string()},
                   user.need->versions});
  }
  return all;
}

/// REQUIRED: `newer` is newer than `taken`, of the same name.
std::string PackageDescriptions::why_not(PackageId newer_id, PackageId taken_id,
                                         const std::vector<Requirer>& requirers) const {
  const Package& newer = repository_.package(newer_id);
  const Package& taken = repository_.package(taken_id);
  if (const auto refused = bindings_.refusal(newer_id)) {
    return refused->message().empty() ? "needed is " + std::string(refused->needed())
                                      : "it " + std::string(refused->message()) +
                                            ", and there is " + std::string(refused->found());
  }
  if (!newer.version.prerelease.empty() && taken.version.prerelease.empty()) {
    return "a prerelease, which comes after every release";
  }
  for (const Requirer& one : requirers) {
    if (one.versions && !one.versions->contains(newer.version))
      return one.info.name + " requires " + one.info.versions;
  }
  if (bindings_.locked(taken_id)) return "the lock keeps to the older one";
  return "one version is to serve all who require it";
}

std::vector<SkippedVersion> PackageDescriptions::newer(
    PackageId id, const std::vector<Requirer>& requirers) const {
  const Package& taken = repository_.package(id);
  const auto version_of = [this](PackageId one) -> const Version& {
    return repository_.package(one).version;
  };
  std::vector<PackageId> found;
  for (const PackageId other : repository_.versions(taken.name)) {
    if (version_of(other) > taken.version) found.push_back(other);
  }
  std::ranges::stable_sort(found,
                           [&](PackageId a, PackageId b) { return version_of(a) > version_of(b); });
  std::vector<SkippedVersion> passed_over;
  for (const PackageId one : found) {
    passed_over.push_back({version_of(one).to_string(), why_not(one, id, requirers)});
  }
  return passed_over;
}

std::vector<ResolvedPackage> PackageDescriptions::closure_of(
    const std::vector<NamedPackage>& named) const {
  const std::vector<PackageId> reached = reach(named);
  const std::vector<Users> users = this->users(reached, named);
  std::vector<ResolvedPackage> packages;
  packages.reserve(reached.size());
  for (const PackageId id : reached) {
    std::vector<Requirer> all = requirers(id, users[id]);
    ResolvedPackage resolved{
        .package = describe(id, bindings_.bound(id)), .required_by = {}, .newer = newer(id, all)};
    resolved.required_by.reserve(all.size());
    for (Requirer& one : all) resolved.required_by.push_back(std::move(one.info));
    packages.push_back(std::move(resolved));
  }
  return packages;
}

}  // namespace tenon::detail
