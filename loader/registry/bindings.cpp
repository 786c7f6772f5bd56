// SPDX-License-Identifier: BSL-1.0
#include "registry/bindings.hpp"

#include <algorithm>
#include <unordered_set>

#include "package/quote.hpp"

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

Error not_required(const Package& asker, std::string_view name, const Version& version) {
  const std::string range =
      "^" + std::to_string(version.major) + "." + std::to_string(version.minor);
  return Error({.code = "not-required",
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
  usable_ = usable_packages(repository_);
  locked_.resize(repository_.size());
  for (const auto& [name, version] : packages_.lock) {
    if (const PackageId id = repository_.find(name, version); id != none) locked_[id] = true;
  }

  Root host{.name = packages_.host, .needs = {}};
  for (const auto& [name, versions] : packages_.requirements)
    host.needs.push_back({name, versions});
  question_.roots.push_back(std::move(host));
  for (NameId name = 0; name < repository_.names(); name++) {
    const PackageId id = chosen(repository_.text(name));
    if (id == none) continue;
    const Package& package = repository_.package(id);
    question_.roots.push_back(
        {.name = packages_.host,
         .needs = {{.name = package.name, .versions = Requirement::exactly(package.version)}}});
  }
  question_.lock = packages_.lock;
  resolution_ = resolve(repository_, question_);
  find_flaws();
}

const Requirement* Bindings::of_host(std::string_view name) const {
  const auto found = packages_.requirements.find(name);
  return found != packages_.requirements.end() ? &found->second : nullptr;
}

/// Which version the host uses where it asks for none.
PackageId Bindings::chosen(std::string_view name) const {
  const Requirement* takes = of_host(name);
  PackageId best = none;
  for (const PackageId id : repository_.versions(name)) {
    const Version& version = repository_.package(id).version;
    if (!usable_[id] || (takes != nullptr && !takes->contains(version))) continue;
    if (locked_[id]) return id;
    if (best == none) best = id;
  }
  return best;
}

bool Bindings::locked(std::string_view name, const Version& version) const {
  const PackageId id = repository_.find(name, version);
  return id != none && locked_[id];
}

/// Why a package does not get what it requires.
Error Bindings::unmet(const Package& package) const {
  const Question question{.roots = {{.name = in_words(package), .needs = package.needs}}};
  Resolution resolution = resolve(repository_, question);
  return std::move(resolution.unmet.front().error);
}

/// "example.io/colour 1.6.2" where the lock names another version of it.
std::vector<std::string> Bindings::used_beside_the_lock() const {
  std::unordered_set<std::string_view> named;
  for (const auto& [name, version] : packages_.lock) named.insert(name);
  std::vector<std::string> used;
  for (const PackageId id : resolution_.packages) {
    const Package& package = repository_.package(id);
    if (named.contains(package.name) && !locked(package.name, package.version))
      used.push_back(in_words(package));
  }
  return used;
}

void Bindings::find_flaws() {
  for (Unmet& unmet : resolution_.unmet) flaws_.push_back(unmet.error);
  for (PackageId id = 0; id < repository_.size(); id++) {
    if (usable_[id]) continue;
    const auto& error = unmet_.emplace(id, unmet(repository_.package(id))).first->second;
    flaws_.push_back(error);
  }
  flaws_.insert(flaws_.end(), resolution_.warnings.begin(), resolution_.warnings.end());
  for (const auto& [name, version] : packages_.lock) {
    if (repository_.find(name, version) != none) continue;
    flaws_.push_back(Error({.code = "locked-missing",
                            .where = packages_.lock_file,
                            .found = "no " + in_words(name, version) + " among the packages",
                            .needed = "every package that the lock names",
                            .fix = "put it back, or write the lock anew with tenon lock"}));
  }
  if (!resolution_.within_lock) {
    flaws_.push_back(
        Error({.code = "lock-unfit",
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
  if (id != none && !usable_[id]) return unmet_.at(id);
  const Requirement* takes = of_host(name);
  if (takes == nullptr || takes->contains(version)) return std::nullopt;
  return refused_by_host(name, version, *takes);
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
  if (fresh.dev) return std::nullopt;
  const Question question{.roots = {{.name = in_words(fresh), .needs = fresh.needs}}};
  Resolution resolution = resolve(repository_, question);
  if (resolution.unmet.empty()) return std::nullopt;
  return std::move(resolution.unmet.front().error);
}

PackageId Bindings::bound(const Package& asker, std::string_view name) const {
  const PackageId id = repository_.find(asker.name, asker.version);
  const auto& resolved = resolution_.packages;
  if (id != none && std::find(resolved.begin(), resolved.end(), id) != resolved.end()) {
    return resolution_.for_package(repository_, id, name);
  }
  // A version that the host has asked for by its number, or code that is about to replace another.
  Question question{.roots = {{.name = in_words(asker), .needs = asker.needs}},
                    .lock = packages_.lock};
  for (const PackageId used : resolved) {
    const Package& package = repository_.package(used);
    question.lock.emplace_back(package.name, package.version);
  }
  return resolve(repository_, question).for_root(0, name);
}

std::optional<Error> Bindings::refusal(const Package& asker, std::string_view name,
                                       const Version& version, bool builtin) const {
  const bool itself = asker.name == name;
  if (!requires_any(asker, name)) {
    if (builtin || (itself && total_order(asker.version, version) == 0)) return std::nullopt;
    if (!itself) return not_required(asker, name, version);
    return Error({.code = "version-refused",
                  .where = in_words(asker),
                  .found = in_words(name, version),
                  .needed = "the version that asks",
                  .fix = "name no version, or another package"});
  }
  const PackageId got = bound(asker, name);
  const Package* provider = got != none ? &repository_.package(got) : nullptr;
  if (provider != nullptr && total_order(provider->version, version) == 0) return std::nullopt;
  return Error({.code = "version-refused",
                .where = in_words(asker),
                .found = in_words(name, version),
                .needed = std::string(name) + " " + required(asker, name) + ", of which it gets " +
                          (provider != nullptr ? provider->version.to_string() : "nothing"),
                .fix = "name no version, or let " + asker.name + " require another one"});
}

}  // namespace tenon::detail
