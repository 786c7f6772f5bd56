// SPDX-License-Identifier: BSL-1.0
#include "package/repository.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/quote.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// Returns whether `a` comes before `b` among the versions of a name.
bool preferred(const Version& a, const Version& b) {
  if (a.prerelease.empty() != b.prerelease.empty()) return a.prerelease.empty();
  return total_order(a, b) > 0;
}

}  // namespace

std::string display_name(std::string_view name, const Version& version) {
  const std::string number = version.to_string();
  std::string text;
  text.reserve(name.size() + 1 + number.size());
  return text.append(name).append(1, ' ').append(number);
}

std::uint64_t packed_version(const Version& version) {
  constexpr int bits_of_major = 27;
  constexpr int bits = 18;
  if (version.major >> bits_of_major != 0 || (version.minor | version.patch) >> bits != 0) return 0;
  return (std::uint64_t(1) << 63 | version.major << 2 * bits | version.minor << bits |
          version.patch);
}

Repository::ReleaseRange Repository::release_range(const Requirement& versions) {
  const Intervals& releases = versions.releases();
  if (releases.size() != 1 || !versions.prereleases().empty()) return {};
  const Version& low = releases[0].low;
  const std::optional<Version>& high = releases[0].high;
  if (!low.build.empty() || (high && !high->build.empty())) return {};
  const auto from = packed_version(low);
  if (from == 0) return {};
  return {.low = from, .high = high ? packed_version(*high) : UINT64_MAX};
}

NameId Repository::add_name(const std::string& text) {
  if (const auto* known = number_of(ids_, text)) return *known;
  const auto id = static_cast<NameId>(names_.size());
  names_.push_back({.text = text, .versions = {}});
  ids_.emplace(names_.back().text, id);
  return id;
}

std::vector<PackageId>::const_iterator Repository::lower_bound(const Name& name,
                                                               const Version& version) const {
  return std::lower_bound(
      name.versions.begin(), name.versions.end(), version,
      [&](PackageId a, const Version& b) { return preferred(packages_[a].version, b); });
}

Result<PackageId> Repository::add(Package package) {
  const auto name_id = add_name(package.name);
  const auto id = static_cast<PackageId>(packages_.size());
  const auto at = lower_bound(names_[name_id], package.version);
  if (at != names_[name_id].versions.end() &&
      total_order(packages_[*at].version, package.version) == 0) {
    return Error({.code = "duplicate-package",
                  .where = package.name + " " + in_quotes(package.version.to_string()),
                  .found = "two packages of this name and version",
                  .needed = "one",
                  .fix = "remove one of the two, or change the version of one"});
  }
  names_[name_id].versions.insert(at, id);
  if (package.version.prerelease.empty()) ++names_[name_id].releases;

  if (!std::ranges::is_sorted(package.dependencies, {}, &Dependency::name)) {
    std::ranges::stable_sort(package.dependencies, {}, &Dependency::name);
  }
  const auto first_link = static_cast<std::uint32_t>(links_.size());
  for (std::uint32_t i = 0; i < package.dependencies.size(); ++i) {
    if (i > 0 && package.dependencies[i].name == package.dependencies[i - 1].name) {
      ++links_.back().count;
      release_ranges_.back() = {};
    } else {
      links_.push_back({.name = add_name(package.dependencies[i].name), .first = i, .count = 1});
      release_ranges_.push_back(release_range(package.dependencies[i].versions));
    }
  }
  entries_.push_back({.name = name_id,
                      .first_link = first_link,
                      .end_link = static_cast<std::uint32_t>(links_.size()),
                      .dev = package.dev,
                      .packed = packed_version(package.version),
                      .dependencies = nullptr});
  packages_.push_back(std::move(package));
  entries_.back().dependencies = packages_.back().dependencies.data();
  return id;
}

std::span<const PackageId> Repository::versions(std::string_view name) const {
  const auto id = find_name(name);
  return id == none ? std::span<const PackageId>() : versions(id);
}

PackageId Repository::find(std::string_view name, const Version& version) const {
  const auto id = find_name(name);
  if (id == none) return none;
  const auto at = lower_bound(names_[id], version);
  const bool found =
      at != names_[id].versions.end() && total_order(packages_[*at].version, version) == 0;
  return found ? *at : none;
}

}}}  // namespace tenon::v0_1::detail
