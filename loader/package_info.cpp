// SPDX-License-Identifier: BSL-1.0
#include "package_info.hpp"

#include <algorithm>
#include <tuple>

#include "package/quote.hpp"

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
                                         std::vector<std::filesystem::path> files)
    : bindings_(bindings), repository_(bindings.repository()), files_(std::move(files)) {}

bool PackageDescriptions::from(PackageId id, Reference::Origin origin) const {
  return origin == Reference::Origin::any ||
         files_[id].empty() == (origin == Reference::Origin::builtin);
}

PackageId PackageDescriptions::find(const Reference& wanted) const {
  PackageId best = none;
  const auto rank = [&](PackageId id) {
    const Version& version = repository_.package(id).version;
    const int step = *wanted.step_down(version);
    return std::tuple(step > 0, bindings_.refusal(wanted.name, version).has_value(), step,
                      !bindings_.comes_first(wanted.name, version));
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
                       (files_[id].empty() ? " (builtin)" : " (standalone)"));
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
  info.gets = version.to_string();
  info.met = !package.dev || need.versions.contains(version);
  return info;
}

PackageInfo PackageDescriptions::describe(PackageId id) const {
  const Package& package = repository_.package(id);
  PackageInfo info{.name = package.name,
                   .version = package.version.to_string(),
                   .file = files_[id],
                   .in_development = package.dev,
                   .locked = bindings_.locked(package.name, package.version),
                   .used = bindings_.used(id),
                   .refused = bindings_.refusal(package.name, package.version)};
  for (const Need& need : package.needs) {
    info.requirements.push_back(describe(package, need, bindings_.bound(id, need.name)));
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
    for (const PackageId id : repository_.versions(name)) packages.push_back(describe(id));
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
    const Package& package = repository_.package(reached[i]);
    for (const Need& need : package.needs) add(bindings_.bound(reached[i], need.name));
  }
  return reached;
}

/// Of what is used and what is reached, those who get each package.
PackageDescriptions::Users PackageDescriptions::users(const std::vector<PackageId>& reached) const {
  std::vector<PackageId> asking = bindings_.resolution().packages;
  for (const PackageId one : reached) {
    if (!bindings_.used(one)) asking.push_back(one);
  }
  Users users;
  for (const PackageId one : asking) {
    const Package& asker = repository_.package(one);
    for (const Need& need : asker.needs) {
      const PackageId got = bindings_.bound(one, need.name);
      if (got != none && got != one) {
        users[got].push_back({{in_words(asker), need.versions.to_string()}, need.versions});
      }
    }
  }
  return users;
}

std::vector<PackageDescriptions::Requirer> PackageDescriptions::requirers(
    PackageId id, const std::vector<NamedPackage>& named, const Users& users) const {
  const Package& package = repository_.package(id);
  std::vector<Requirer> all;
  for (const NamedPackage& one : named) {
    if (one.package != id) continue;
    all.push_back(
        {{one.reference, versions_of(one.reference)}, taken_by(one.wanted, package.version)});
  }
  const Requirement* takes = bindings_.of_host(package.name);
  if (takes != nullptr && bindings_.comes_first(package.name, package.version)) {
    all.push_back({{bindings_.host(), takes->to_string()}, *takes});
  }
  if (const auto of_it = users.find(id); of_it != users.end()) {
    all.insert(all.end(), of_it->second.begin(), of_it->second.end());
  }
  return all;
}

/// REQUIRED: `newer` is newer than `taken`, of the same name.
std::string PackageDescriptions::why_not(const Package& newer, const Package& taken,
                                         const std::vector<Requirer>& requirers) const {
  if (const auto refused = bindings_.refusal(newer.name, newer.version)) {
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
  if (bindings_.locked(taken.name, taken.version)) return "the lock keeps to the older one";
  return "one version is to serve all who require it";
}

std::vector<PassedOver> PackageDescriptions::newer(PackageId id,
                                                   const std::vector<Requirer>& requirers) const {
  const Package& taken = repository_.package(id);
  std::vector<const Package*> found;
  for (const PackageId other : repository_.versions(taken.name)) {
    const Package& package = repository_.package(other);
    if (package.version > taken.version) found.push_back(&package);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Package* a, const Package* b) { return a->version > b->version; });
  std::vector<PassedOver> passed_over;
  for (const Package* package : found) {
    passed_over.push_back({package->version.to_string(), why_not(*package, taken, requirers)});
  }
  return passed_over;
}

std::vector<ResolvedPackage> PackageDescriptions::closure_of(
    const std::vector<NamedPackage>& named) const {
  const std::vector<PackageId> reached = reach(named);
  const Users users = this->users(reached);
  std::vector<ResolvedPackage> packages;
  for (const PackageId id : reached) {
    const std::vector<Requirer> all = requirers(id, named, users);
    ResolvedPackage resolved{.package = describe(id), .required_by = {}, .newer = newer(id, all)};
    for (const Requirer& one : all) resolved.required_by.push_back(one.info);
    packages.push_back(std::move(resolved));
  }
  return packages;
}

}  // namespace tenon::detail
