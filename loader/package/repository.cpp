// SPDX-License-Identifier: BSL-1.0
#include "package/repository.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/quote.hpp"

namespace tenon {
namespace {

// Whether `a` comes before `b` among the versions of a name.
bool preferred(const Version& a, const Version& b) {
  if (a.prerelease.empty() != b.prerelease.empty()) return a.prerelease.empty();
  return total_order(a, b) > 0;
}

}  // namespace

std::string in_words(std::string_view name, const Version& version) {
  return std::string(name) + " " + version.to_string();
}

std::uint64_t packed_numbers(const Version& version) {
  constexpr int bits_of_major = 27;
  constexpr int bits = 18;
  if (version.major >> bits_of_major != 0 || (version.minor | version.patch) >> bits != 0) return 0;
  return (std::uint64_t(1) << 63 | version.major << 2 * bits | version.minor << bits |
          version.patch);
}

Repository::Numbers Repository::numbers(const Requirement& versions) {
  const Intervals& releases = versions.releases();
  if (releases.size() != 1 || !versions.prereleases().empty()) return {};
  const Version& low = releases[0].low;
  const std::optional<Version>& high = releases[0].high;
  if (!low.build.empty() || (high && !high->build.empty())) return {};
  const auto from = packed_numbers(low);
  if (from == 0) return {};
  return {.low = from, .high = high ? packed_numbers(*high) : UINT64_MAX};
}

NameId Repository::add_name(const std::string& text) {
  if (const auto known = ids_.find(text); known != TextIndex::nothing) return known;
  const auto id = static_cast<NameId>(names_.size());
  names_.push_back({.text = text, .versions = {}});
  return ids_.add(names_.back().text, id);
}

std::vector<PackageId>::const_iterator Repository::place_of(const Name& name,
                                                            const Version& version) const {
  return std::lower_bound(
      name.versions.begin(), name.versions.end(), version,
      [&](PackageId a, const Version& b) { return preferred(packages_[a].version, b); });
}

Result<PackageId> Repository::add(Package package) {
  const auto name_id = add_name(package.name);
  const auto id = static_cast<PackageId>(packages_.size());
  const auto place = place_of(names_[name_id], package.version);
  if (place != names_[name_id].versions.end() &&
      total_order(packages_[*place].version, package.version) == 0) {
    return Error({.code = "duplicate-package",
                  .where = package.name + " " + in_quotes(package.version.to_string()),
                  .found = "two packages of this name and version",
                  .needed = "one",
                  .fix = "remove one of them, or give one a version of its own"});
  }
  names_[name_id].versions.insert(place, id);
  if (package.version.prerelease.empty()) ++names_[name_id].releases;

  if (!std::ranges::is_sorted(package.needs, {}, &Need::name)) {
    std::ranges::stable_sort(package.needs, {}, &Need::name);
  }
  const auto first_link = static_cast<std::uint32_t>(links_.size());
  for (std::uint32_t i = 0; i < package.needs.size(); ++i) {
    if (i > 0 && package.needs[i].name == package.needs[i - 1].name) {
      ++links_.back().count;
      numbers_.back() = {};
    } else {
      links_.push_back({.name = add_name(package.needs[i].name), .first = i, .count = 1});
      numbers_.push_back(numbers(package.needs[i].versions));
    }
  }
  of_package_.push_back({.name = name_id,
                         .first_link = first_link,
                         .end_link = static_cast<std::uint32_t>(links_.size()),
                         .dev = package.dev,
                         .numbers = packed_numbers(package.version),
                         .needs = nullptr});
  packages_.push_back(std::move(package));
  of_package_.back().needs = packages_.back().needs.data();
  return id;
}

std::span<const PackageId> Repository::versions(std::string_view name) const {
  const auto id = find_name(name);
  return id == none ? std::span<const PackageId>() : versions(id);
}

PackageId Repository::find(std::string_view name, const Version& version) const {
  const auto id = find_name(name);
  if (id == none) return none;
  const auto place = place_of(names_[id], version);
  const bool found =
      place != names_[id].versions.end() && total_order(packages_[*place].version, version) == 0;
  return found ? *place : none;
}

}  // namespace tenon
