// SPDX-License-Identifier: BSL-1.0
#include "catalog/bindings.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "base/quote.hpp"
#include "package/usability.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// Returns the package's requirements of one name, eg: "^1.4".
std::string required(const Package& requester, std::string_view name) {
  std::string all;
  for (const Dependency& dependency : requester.dependencies) {
    if (dependency.name == name)
      all += (all.empty() ? "" : " and ") + dependency.versions.to_string();
  }
  return all;
}

bool requires_any(const Package& requester, std::string_view name) {
  return std::any_of(requester.dependencies.begin(), requester.dependencies.end(),
                     [name](const Dependency& dependency) { return dependency.name == name; });
}

bool accepts(const Package& requester, std::string_view name, const Version& version) {
  return std::all_of(requester.dependencies.begin(), requester.dependencies.end(),
                     [&](const Dependency& dependency) {
                       return dependency.name != name || dependency.versions.contains(version);
                     });
}

/// Returns whether `requester` is the package that was found, and not one that will replace it.
bool same_dependencies(const Package& found, const Package& requester) {
  return std::is_permutation(found.dependencies.begin(), found.dependencies.end(),
                             requester.dependencies.begin(), requester.dependencies.end(),
                             [](const Dependency& a, const Dependency& b) {
                               return a.name == b.name && a.versions == b.versions;
                             });
}

Error not_required(const Package& requester, std::string_view name, const Version& version) {
  const std::string range =
      "^" + std::to_string(version.major) + "." + std::to_string(version.minor);
  return Error({.code = "undeclared-requirement",
                .where = display_name(requester),
                .found = display_name(name, version) + ", which its manifest does not require",
                .needed = "a requirement of " + std::string(name),
                .fix = "add \"" + std::string(name) + "\": \"" + range +
                       "\" to what the manifest of " + requester.name + " requires"});
}

}  // namespace

Bindings::Bindings(Packages packages) : packages_(std::move(packages)) {
  repository_.reserve(packages_.found.size());
  for (Package& package : packages_.found) {
    // The first is used. The registry reports the others.
    static_cast<void>(repository_.add(std::move(package)));
  }
  packages_.found.clear();
  for (const auto& [name, broken] : packages_.broken) {
    const Error& error = broken.error;
    repository_.add_broken(name,
                           {std::string(error.code()), std::string(error.where()), broken.version});
    const std::string_view whole = name;
    broken_by_short_name_.emplace(whole.substr(whole.find('/') + 1), &error);
  }
  locked_.resize(repository_.size());
  for (const auto& [name, version] : packages_.lock) {
    if (const PackageId id = repository_.find(name, version); id != none) locked_[id] = true;
  }
  find_usable();
  resolve_packages();
  collect_diagnostics();
}

void Bindings::find_usable() {
  const Usability usability(repository_);
  usable_.resize(repository_.size());
  for (PackageId id = 0; id < repository_.size(); ++id) {
    usable_[id] = usability.usable(id);
    if (!usable_[id]) unusable_.emplace(id, usability.reason(id));
  }
}

void Bindings::resolve_packages() {
  Root host{.name = packages_.host, .dependencies = {}};
  for (const auto& [name, versions] : packages_.requirements)
    host.dependencies.push_back({name, versions});
  problem_.roots.push_back(std::move(host));
  for (NameId name = 0; name < repository_.names(); ++name) {
    const PackageId id = default_version(name);
    if (id != none) problem_.used.push_back(id);
  }
  problem_.lock = packages_.lock;
  const bool nothing_is_required =
      repository_.links().empty() && packages_.requirements.empty() && packages_.lock.empty();
  if (nothing_is_required) {
    resolution_.packages = problem_.used;
  } else {
    resolution_ = resolve(repository_, problem_);
  }
  first_binding_.assign(repository_.size(), none);
  for (const PackageId id : resolution_.packages) first_binding_[id] = resolution_.bindings.size();
  for (std::size_t i = resolution_.bindings.size(); i-- > 0;) {
    const PackageId requirer = resolution_.bindings[i].requirer;
    if (requirer != none) first_binding_[requirer] = i;
  }
}

const Requirement* Bindings::host_requirement(std::string_view name) const {
  const auto found = packages_.requirements.find(name);
  return found != packages_.requirements.end() ? &found->second : nullptr;
}

const Error* Bindings::broken(std::string_view name) const {
  if (name.find('/') == std::string_view::npos) {
    const auto found = broken_by_short_name_.find(name);
    return found != broken_by_short_name_.end() ? found->second : nullptr;
  }
  const auto found = packages_.broken.find(name);
  return found != packages_.broken.end() ? &found->second.error : nullptr;
}

/// Returns the version that the host uses if it requires none. As when the host looks up a plugin,
/// a version without compatible plugins is the last choice, even if it is locked.
PackageId Bindings::default_version(NameId name) const {
  if (host_requirement(repository_.text(name)) != nullptr) return none;
  const auto rank = [this](PackageId id) {
    return std::pair(!repository_.package(id).compatible, !locked_[id]);
  };
  PackageId best = none;
  for (const PackageId id : repository_.versions(name)) {
    if (usable_[id] && (best == none || rank(id) < rank(best))) best = id;
  }
  return best;
}

bool Bindings::is_preferred(std::string_view name, const Version& version) const {
  const PackageId id = repository_.find(name, version);
  return id != none && is_preferred(id);
}

bool Bindings::is_preferred(PackageId id) const {
  const std::string& name = repository_.package(id).name;
  return host_requirement(name) == nullptr ? locked(id) : host_provider(name) == id;
}

// The host is the only root. Its bindings come first, and are sorted by name like its requirements.
PackageId Bindings::host_provider(std::string_view name) const {
  const auto begin = resolution_.bindings.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(problem_.roots[0].dependencies.size());
  const auto found = std::partition_point(
      begin, end, [name](const Binding& one) { return one.dependency->name < name; });
  return found != end && found->dependency->name == name ? found->provider : none;
}

/// Returns the packages of which the lock names another version, eg: "example.io/colour 1.6.2".
std::vector<std::string> Bindings::used_despite_lock() const {
  std::unordered_set<std::string_view> named;
  for (const auto& [name, version] : packages_.lock) named.insert(name);
  std::vector<std::string> used;
  for (const PackageId id : resolution_.packages) {
    const Package& package = repository_.package(id);
    if (named.contains(package.name) && !locked(id)) used.push_back(display_name(package));
  }
  std::ranges::sort(used);
  return used;
}

/// Returns the unusable packages in the order of names and versions.
std::vector<PackageId> Bindings::sorted_unusable() const {
  std::vector<PackageId> sorted;
  for (const auto& [id, error] : unusable_) sorted.push_back(id);
  std::ranges::sort(sorted, [this](PackageId a, PackageId b) {
    const Package& one = repository_.package(a);
    const Package& other = repository_.package(b);
    return one.name != other.name ? one.name < other.name
                                  : total_order(one.version, other.version) < 0;
  });
  return sorted;
}

void Bindings::collect_diagnostics() {
  for (Conflict& conflict : resolution_.conflicts) diagnostics_.push_back(conflict.error);
  for (const PackageId id : sorted_unusable()) diagnostics_.push_back(unusable_.at(id));
  // Those of one package stay in the order of its requirements.
  std::ranges::stable_sort(resolution_.warnings, {}, &Error::where);
  diagnostics_.insert(diagnostics_.end(), resolution_.warnings.begin(), resolution_.warnings.end());
  for (const auto& [name, version] : packages_.lock) {
    if (repository_.find(name, version) != none) continue;
    diagnostics_.push_back(
        Error({.code = "missing-locked-package",
               .where = packages_.lock_file,
               .found = "no " + display_name(name, version) + " among the packages",
               .needed = "all packages that the lock names",
               .fix = "restore it, or regenerate the lock with tenon lock"}));
  }
  if (!resolution_.within_lock) {
    diagnostics_.push_back(
        Error({.code = "lock-conflict",
               .where = packages_.lock_file,
               .found = "locked versions that do not meet all requirements; used instead: " +
                        some_of(used_despite_lock(), 10),
               .needed = "a lock of all packages in use and of their requirements",
               .fix = "regenerate the lock with tenon lock"}));
  }
}

Result<void> Bindings::check(std::string_view name, const Version& version) const {
  const PackageId id = repository_.find(name, version);
  if (id != none) return check(id);
  const Requirement* requirement = host_requirement(name);
  if (requirement == nullptr || requirement->contains(version)) return {};
  return refused_by_host(name, version, *requirement);
}

Result<void> Bindings::check(PackageId id) const {
  if (!usable_[id]) return unusable_.at(id);
  const Package& package = repository_.package(id);
  const Requirement* requirement = host_requirement(package.name);
  if (requirement == nullptr || requirement->contains(package.version)) return {};
  return refused_by_host(package.name, package.version, *requirement);
}

Error Bindings::refused_by_host(std::string_view name, const Version& version,
                                const Requirement& requirement) const {
  return Error(
      {.code = "version-refused",
       .where = packages_.host,
       .found = display_name(name, version),
       .needed = std::string(name) + " " + requirement.to_string() + ", which the host requires",
       .fix = "use a version that the host accepts, or change the requirement of the host"});
}

Result<void> Bindings::check_restart(const Package& previous, const Package& replacement,
                                     const std::vector<Package>& users,
                                     const std::string& where) const {
  for (const Package& user : users) {
    const PackageId got =
        requires_any(user, previous.name) ? provider_for(user, previous.name) : none;
    if (got == none || total_order(repository_.package(got).version, previous.version) != 0)
      continue;
    for (const Dependency& dependency : user.dependencies) {
      if (dependency.name != previous.name || user.dev ||
          dependency.versions.contains(replacement.version))
        continue;
      return Error(
          {.code = "restart-refused",
           .where = where,
           .found = display_name(replacement),
           .needed = dependency.name + " " + dependency.versions.to_string() + ", which " +
                     "the user " + display_name(user) + " requires",
           .fix = "use a version that all its users accept, or install it next to the old one, "
                  "in a directory of its version"});
    }
  }
  if (const Requirement* requirement = host_requirement(replacement.name); requirement != nullptr) {
    if (!requirement->contains(replacement.version))
      return refused_by_host(replacement.name, replacement.version, *requirement);
  }
  Repository changed;
  const PackageId id = changed.add(replacement).value();
  for (PackageId other = 0; other < repository_.size(); ++other) {
    const Package& package = repository_.package(other);
    const bool replaced =
        package.name == previous.name && total_order(package.version, previous.version) == 0;
    // If the repository already has this version, the replacement was added first and wins.
    if (!replaced) static_cast<void>(changed.add(package));
  }
  const Usability usability(changed);
  if (usability.usable(id)) return {};
  return usability.reason(id);
}

PackageId Bindings::provider_for(const Package& requester, std::string_view name) const {
  const PackageId id = repository_.find(requester.name, requester.version);
  if (id != none && same_dependencies(repository_.package(id), requester))
    return provider_for(id, name);
  std::vector<Dependency> dependencies;
  std::copy_if(requester.dependencies.begin(), requester.dependencies.end(),
               std::back_inserter(dependencies),
               [name](const Dependency& dependency) { return dependency.name == name; });
  return select_provider(requester, name, dependencies);
}

// The dependencies of a package in the repository are sorted by name, and so are its bindings.
PackageId Bindings::provider_for(PackageId id, std::string_view name) const {
  const Package& requester = repository_.package(id);
  if (!used(id)) {
    const auto begin = std::partition_point(
        requester.dependencies.begin(), requester.dependencies.end(),
        [name](const Dependency& dependency) { return dependency.name < name; });
    const auto end =
        std::find_if(begin, requester.dependencies.end(),
                     [name](const Dependency& dependency) { return dependency.name != name; });
    return select_provider(requester, name, {begin, end});
  }
  const std::span<const Binding> bindings = bindings_of(id);
  const auto binding =
      std::partition_point(bindings.begin(), bindings.end(),
                           [name](const Binding& one) { return one.dependency->name < name; });
  if (binding != bindings.end() && binding->dependency->name == name) return binding->provider;
  return requester.name == name ? id : none;
}

std::vector<PackageId> Bindings::providers_of(PackageId id) const {
  const Dependencies& dependencies = repository_.package(id).dependencies;
  std::vector<PackageId> providers;
  providers.reserve(dependencies.size());
  const std::span<const Binding> bindings = used(id) ? bindings_of(id) : std::span<const Binding>();
  auto binding = bindings.begin();
  for (const Dependency& dependency : dependencies) {
    while (binding != bindings.end() && binding->dependency->name < dependency.name) ++binding;
    const bool found = binding != bindings.end() && binding->dependency->name == dependency.name;
    providers.push_back(found ? binding->provider : provider_for(id, dependency.name));
  }
  return providers;
}

/// REQUIRED: used(id).
std::span<const Binding> Bindings::bindings_of(PackageId id) const {
  const std::span<const Binding> all = resolution_.bindings;
  const std::size_t begin = first_binding_[id];
  // At most one for each name.
  const std::size_t most = repository_.end_link(id) - repository_.first_link(id);
  const auto some = all.subspan(begin, std::min(most, all.size() - begin));
  const auto end =
      std::ranges::find_if(some, [id](const Binding& one) { return one.requirer != id; });
  return some.first(static_cast<std::size_t>(end - some.begin()));
}

/// Selects a provider for a requester that is not part of the resolution: a version that the host
/// named explicitly, or code that will replace a module. Returns the requester itself, otherwise a
/// version that is used or locked, otherwise the preferred version. `dependencies` are the
/// requester's dependencies on that name.
PackageId Bindings::select_provider(const Package& requester, std::string_view name,
                                    std::span<const Dependency> dependencies) const {
  const auto all_accept = [dependencies](const Version& version) {
    return std::ranges::all_of(dependencies, [&version](const Dependency& dependency) {
      return dependency.versions.contains(version);
    });
  };
  if (requester.name == name && all_accept(requester.version)) {
    return repository_.find(requester.name, requester.version);
  }
  if (dependencies.empty()) return none;
  PackageId best = none;
  PackageId any = none;
  for (const PackageId id : repository_.versions(name)) {
    if (!usable_[id]) continue;
    if (any == none) any = id;
    if (!all_accept(repository_.package(id).version)) continue;
    if (used(id) || locked_[id]) return id;
    if (best == none) best = id;
  }
  return best == none && requester.dev ? any : best;
}

Result<void> Bindings::check(const Package& requester, std::string_view name,
                             const Version& version, bool builtin) const {
  const bool requires_it = requires_any(requester, name);
  const bool itself = requester.name == name;
  if (!requires_it && builtin) return {};
  if (!requires_it && !itself) return not_required(requester, name, version);
  const bool gets_itself = itself && accepts(requester, name, requester.version);
  const PackageId got = gets_itself ? none : provider_for(requester, name);
  const Version* gets = gets_itself   ? &requester.version
                        : got != none ? &repository_.package(got).version
                                      : nullptr;
  if (gets != nullptr && total_order(*gets, version) == 0) return {};
  return Error({.code = "version-refused",
                .where = display_name(requester),
                .found = display_name(name, version),
                .needed = requires_it ? std::string(name) + " " + required(requester, name) +
                                            ", of which it gets " +
                                            (gets != nullptr ? gets->to_string() : "nothing")
                                      : "its own version",
                .fix = requires_it
                           ? "leave out the version, or change the requirement of " + requester.name
                           : "leave out the version, or name another package"});
}

}}}  // namespace tenon::v0_1::detail
