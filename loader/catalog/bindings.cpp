// SPDX-License-Identifier: BSL-1.0
#include "catalog/bindings.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "base/quote.hpp"
#include "package/usability.hpp"

namespace tenon::detail {
namespace {

/// All that a package says of one name, eg: "^1.4"
std::string required(const Package& asker, std::string_view name) {
  std::string all;
  for (const Need& need : asker.needs) {
    if (need.name == name) all += (all.empty() ? "" : " and ") + need.versions.to_string();
  }
  return all;
}

bool requires_any(const Package& asker, std::string_view name) {
  return std::any_of(asker.needs.begin(), asker.needs.end(),
                     [name](const Need& need) { return need.name == name; });
}

bool takes(const Package& asker, std::string_view name, const Version& version) {
  return std::all_of(asker.needs.begin(), asker.needs.end(), [&](const Need& need) {
    return need.name != name || need.versions.contains(version);
  });
}

/// Whether it is the package that was found, and not one that is to take its place.
bool same_needs(const Package& found, const Package& asker) {
  return std::is_permutation(
      found.needs.begin(), found.needs.end(), asker.needs.begin(), asker.needs.end(),
      [](const Need& a, const Need& b) { return a.name == b.name && a.versions == b.versions; });
}

Error not_required(const Package& asker, std::string_view name, const Version& version) {
  const std::string range =
      "^" + std::to_string(version.major) + "." + std::to_string(version.minor);
  return Error({.code = "undeclared-requirement",
                .where = in_words(asker),
                .found = in_words(name, version) + ", which its manifest does not require",
                .needed = "a requirement of " + std::string(name),
                .fix = "add \"" + std::string(name) + "\": \"" + range +
                       "\" to what the manifest of " + asker.name + " requires"});
}

}  // namespace

Bindings::Bindings(Packages packages) : packages_(std::move(packages)) {
  for (Package& package : packages_.found) {
    // The first counts; who registers plugins tells of the others.
    static_cast<void>(repository_.add(std::move(package)));
  }
  packages_.found.clear();
  for (const auto& [name, error] : packages_.broken) {
    repository_.add_broken(name, {std::string(error.code()), std::string(error.where())});
    const std::string_view whole = name;
    broken_by_short_name_.emplace(whole.substr(whole.find('/') + 1), &error);
  }
  locked_.resize(repository_.size());
  for (const auto& [name, version] : packages_.lock) {
    if (const PackageId id = repository_.find(name, version); id != none) locked_[id] = true;
  }
  find_usable();
  settle();
  find_flaws();
}

void Bindings::find_usable() {
  const Usability usability(repository_);
  usable_.resize(repository_.size());
  for (PackageId id = 0; id < repository_.size(); id++) {
    usable_[id] = usability.usable(id);
    if (!usable_[id]) unmet_.emplace(id, usability.reason(id));
  }
}

void Bindings::settle() {
  Root host{.name = packages_.host, .needs = {}};
  for (const auto& [name, versions] : packages_.requirements)
    host.needs.push_back({name, versions});
  question_.roots.push_back(std::move(host));
  for (NameId name = 0; name < repository_.names(); name++) {
    const PackageId id = chosen(name);
    if (id != none) question_.used.push_back(id);
  }
  question_.lock = packages_.lock;
  resolution_ = resolve(repository_, question_);
  first_binding_.assign(repository_.size(), none);
  for (const PackageId id : resolution_.packages) first_binding_[id] = resolution_.bindings.size();
  for (std::size_t i = resolution_.bindings.size(); i-- > 0;) {
    const PackageId requirer = resolution_.bindings[i].requirer;
    if (requirer != none) first_binding_[requirer] = i;
  }
}

const Requirement* Bindings::of_host(std::string_view name) const {
  const auto found = packages_.requirements.find(name);
  return found != packages_.requirements.end() ? &found->second : nullptr;
}

const Error* Bindings::broken(std::string_view name) const {
  if (name.find('/') == std::string_view::npos) {
    const auto found = broken_by_short_name_.find(name);
    return found != broken_by_short_name_.end() ? found->second : nullptr;
  }
  const auto found = packages_.broken.find(name);
  return found != packages_.broken.end() ? &found->second : nullptr;
}

/// Which version the host uses where it requires none.
PackageId Bindings::chosen(NameId name) const {
  if (of_host(repository_.text(name)) != nullptr) return none;
  PackageId best = none;
  for (const PackageId id : repository_.versions(name)) {
    if (!usable_[id]) continue;
    if (locked_[id]) return id;
    if (best == none) best = id;
  }
  return best;
}

bool Bindings::comes_first(std::string_view name, const Version& version) const {
  const PackageId id = repository_.find(name, version);
  return id != none && comes_first(id);
}

bool Bindings::comes_first(PackageId id) const {
  const std::string& name = repository_.package(id).name;
  return of_host(name) == nullptr ? locked(id) : bound_to_host(name) == id;
}

// The host is the only root; its bindings come first, sorted by name as its requirements are.
PackageId Bindings::bound_to_host(std::string_view name) const {
  const auto begin = resolution_.bindings.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(question_.roots[0].needs.size());
  const auto found = std::partition_point(
      begin, end, [name](const Binding& one) { return one.need->name < name; });
  return found != end && found->need->name == name ? found->provider : none;
}

/// "example.io/colour 1.6.2" where the lock names another version of it.
std::vector<std::string> Bindings::used_beside_the_lock() const {
  std::unordered_set<std::string_view> named;
  for (const auto& [name, version] : packages_.lock) named.insert(name);
  std::vector<std::string> used;
  for (const PackageId id : resolution_.packages) {
    const Package& package = repository_.package(id);
    if (named.contains(package.name) && !locked(id)) used.push_back(in_words(package));
  }
  return used;
}

void Bindings::find_flaws() {
  for (Unmet& unmet : resolution_.unmet) flaws_.push_back(unmet.error);
  for (const auto& [id, error] : unmet_) flaws_.push_back(error);
  flaws_.insert(flaws_.end(), resolution_.warnings.begin(), resolution_.warnings.end());
  for (const auto& [name, version] : packages_.lock) {
    if (repository_.find(name, version) != none) continue;
    flaws_.push_back(Error({.code = "missing-locked-package",
                            .where = packages_.lock_file,
                            .found = "no " + in_words(name, version) + " among the packages",
                            .needed = "every package that the lock names",
                            .fix = "put it back, or write the lock anew with tenon lock"}));
  }
  if (!resolution_.within_lock) {
    flaws_.push_back(
        Error({.code = "lock-conflict",
               .where = packages_.lock_file,
               .found = "versions that do not give everybody what they require, so that others "
                        "are used: " +
                        some_of(used_beside_the_lock(), 10),
               .needed = "every package that is in use and what it requires",
               .fix = "write the lock anew with tenon lock"}));
  }
}

std::optional<Error> Bindings::refusal(std::string_view name, const Version& version) const {
  const PackageId id = repository_.find(name, version);
  if (id != none) return refusal(id);
  const Requirement* takes = of_host(name);
  if (takes == nullptr || takes->contains(version)) return std::nullopt;
  return refused_by_host(name, version, *takes);
}

std::optional<Error> Bindings::refusal(PackageId id) const {
  if (!usable_[id]) return unmet_.at(id);
  const Package& package = repository_.package(id);
  const Requirement* takes = of_host(package.name);
  if (takes == nullptr || takes->contains(package.version)) return std::nullopt;
  return refused_by_host(package.name, package.version, *takes);
}

Error Bindings::refused_by_host(std::string_view name, const Version& version,
                                const Requirement& takes) const {
  return Error({.code = "version-refused",
                .where = packages_.host,
                .found = in_words(name, version),
                .needed = std::string(name) + " " + takes.to_string() + ", which the host requires",
                .fix = "a version that the host takes, or let the host take this one"});
}

std::optional<Error> Bindings::refusal_of_change(const Package& before, const Package& fresh,
                                                 const std::vector<Package>& users,
                                                 const std::string& where) const {
  for (const Package& user : users) {
    const PackageId got = requires_any(user, before.name) ? bound(user, before.name) : none;
    if (got == none || total_order(repository_.package(got).version, before.version) != 0) continue;
    for (const Need& need : user.needs) {
      if (need.name != before.name || user.dev || need.versions.contains(fresh.version)) continue;
      return Error({.code = "restart-refused",
                    .where = where,
                    .found = in_words(fresh),
                    .needed = need.name + " " + need.versions.to_string() + ", which " +
                              in_words(user) + " requires, who uses it",
                    .fix = "a version that all its users take, or put it beside the old one in a "
                           "folder of its version"});
    }
  }
  if (const Requirement* takes = of_host(fresh.name); takes != nullptr) {
    if (!takes->contains(fresh.version)) return refused_by_host(fresh.name, fresh.version, *takes);
  }
  Repository changed;
  const PackageId id = changed.add(fresh).value();
  for (PackageId other = 0; other < repository_.size(); other++) {
    const Package& package = repository_.package(other);
    const bool replaced =
        package.name == before.name && total_order(package.version, before.version) == 0;
    // What has the version of the fresh one already is in its place.
    if (!replaced) static_cast<void>(changed.add(package));
  }
  const Usability usability(changed);
  if (usability.usable(id)) return std::nullopt;
  return usability.reason(id);
}

PackageId Bindings::bound(const Package& asker, std::string_view name) const {
  const PackageId id = repository_.find(asker.name, asker.version);
  if (id != none && same_needs(repository_.package(id), asker)) return bound(id, name);
  std::vector<Need> needs;
  std::copy_if(asker.needs.begin(), asker.needs.end(), std::back_inserter(needs),
               [name](const Need& need) { return need.name == name; });
  return preferred(asker, name, needs);
}

// The needs of what was found are sorted by name, and so are its bindings.
PackageId Bindings::bound(PackageId id, std::string_view name) const {
  const Package& asker = repository_.package(id);
  if (!used(id)) {
    const auto begin = std::partition_point(asker.needs.begin(), asker.needs.end(),
                                            [name](const Need& need) { return need.name < name; });
    const auto end = std::find_if(begin, asker.needs.end(),
                                  [name](const Need& need) { return need.name != name; });
    return preferred(asker, name, {begin, end});
  }
  const std::span<const Binding> bindings = bindings_of(id);
  const auto binding =
      std::partition_point(bindings.begin(), bindings.end(),
                           [name](const Binding& one) { return one.need->name < name; });
  if (binding != bindings.end() && binding->need->name == name) return binding->provider;
  return asker.name == name ? id : none;
}

std::vector<PackageId> Bindings::bound(PackageId id) const {
  const std::vector<Need>& needs = repository_.package(id).needs;
  std::vector<PackageId> providers;
  providers.reserve(needs.size());
  const std::span<const Binding> bindings = used(id) ? bindings_of(id) : std::span<const Binding>();
  auto binding = bindings.begin();
  for (const Need& need : needs) {
    while (binding != bindings.end() && binding->need->name < need.name) ++binding;
    const bool found = binding != bindings.end() && binding->need->name == need.name;
    providers.push_back(found ? binding->provider : bound(id, need.name));
  }
  return providers;
}

/// REQUIRED: used(id).
std::span<const Binding> Bindings::bindings_of(PackageId id) const {
  const std::span<const Binding> all = resolution_.bindings;
  const std::size_t begin = first_binding_[id];
  // There is one for each name at most.
  const std::size_t most = repository_.end_link(id) - repository_.first_link(id);
  const auto some = all.subspan(begin, std::min(most, all.size() - begin));
  const auto end =
      std::ranges::find_if(some, [id](const Binding& one) { return one.requirer != id; });
  return some.first(static_cast<std::size_t>(end - some.begin()));
}

/// What one gets who takes no part in the resolution: a version that the host has asked for by its
/// number, or code that is about to replace another. Itself, else what is in use or locked, else
/// the preferred version. `needs`: its own of that name.
PackageId Bindings::preferred(const Package& asker, std::string_view name,
                              std::span<const Need> needs) const {
  const auto all_take = [needs](const Version& version) {
    return std::ranges::all_of(
        needs, [&version](const Need& need) { return need.versions.contains(version); });
  };
  if (asker.name == name && all_take(asker.version)) {
    return repository_.find(asker.name, asker.version);
  }
  if (needs.empty()) return none;
  PackageId best = none;
  PackageId any = none;
  for (const PackageId id : repository_.versions(name)) {
    if (!usable_[id]) continue;
    if (any == none) any = id;
    if (!all_take(repository_.package(id).version)) continue;
    if (used(id) || locked_[id]) return id;
    if (best == none) best = id;
  }
  return best == none && asker.dev ? any : best;
}

std::optional<Error> Bindings::refusal(const Package& asker, std::string_view name,
                                       const Version& version, bool builtin) const {
  const bool requires_it = requires_any(asker, name);
  const bool itself = asker.name == name;
  if (!requires_it && builtin) return std::nullopt;
  if (!requires_it && !itself) return not_required(asker, name, version);
  const bool gets_itself = itself && takes(asker, name, asker.version);
  const PackageId got = gets_itself ? none : bound(asker, name);
  const Version* gets = gets_itself   ? &asker.version
                        : got != none ? &repository_.package(got).version
                                      : nullptr;
  if (gets != nullptr && total_order(*gets, version) == 0) return std::nullopt;
  return Error({.code = "version-refused",
                .where = in_words(asker),
                .found = in_words(name, version),
                .needed = requires_it ? std::string(name) + " " + required(asker, name) +
                                            ", of which it gets " +
                                            (gets != nullptr ? gets->to_string() : "nothing")
                                      : "the version that asks",
                .fix = requires_it
                           ? "name no version, or let " + asker.name + " require another one"
                           : "name no version, or another package"});
}

}  // namespace tenon::detail
