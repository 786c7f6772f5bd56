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

std::vector<Dependency>& Dependencies::own() {
  if (list_ == nullptr) {
    list_ = std::make_shared<std::vector<Dependency>>();
  } else if (list_.use_count() > 1) {
    list_ = std::make_shared<std::vector<Dependency>>(*list_);
  }
  return *list_;
}

void Dependencies::sort() {
  if (!std::ranges::is_sorted(*this, {}, &Dependency::name))
    std::ranges::stable_sort(own(), {}, &Dependency::name);
}

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
  const auto [known, is_new] = ids_.try_emplace(text, static_cast<NameId>(names_.size()));
  if (is_new) names_.emplace_back().text = &text;
  return known->second;
}

/// Returns the position of a version among those of a name, or the one where it belongs.
std::size_t Repository::position_of(const Version& version, const Name& name) const {
  const auto at = std::ranges::partition_point(
      name.versions, [&](PackageId other) { return preferred(packages_[other].version, version); });
  return static_cast<std::size_t>(at - name.versions.begin());
}

bool Repository::has_at(std::size_t position, const Version& version, const Name& name) const {
  return position < name.versions.size() &&
         total_order(packages_[name.versions[position]].version, version) == 0;
}

Result<PackageId> Repository::add(Package added) {
  const auto id = static_cast<PackageId>(packages_.size());
  Package& package = packages_.emplace_back(std::move(added));
  const NameId name_id = add_name(package.name);
  Name& name = names_[name_id];
  const std::size_t at = position_of(package.version, name);
  if (has_at(at, package.version, name)) {
    Error duplicate({.code = "duplicate-package",
                     .where = package.name + " " + in_quotes(package.version.to_string()),
                     .found = "two packages of this name and version",
                     .needed = "one",
                     .fix = "remove one of the two, or change the version of one"});
    packages_.pop_back();
    return duplicate;
  }
  name.versions.insert(name.versions.begin() + static_cast<std::ptrdiff_t>(at), id);
  if (package.version.prerelease.empty()) ++name.releases;

  package.dependencies.sort();
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
                      .dependencies = package.dependencies.begin()});
  return id;
}

std::span<const PackageId> Repository::versions(std::string_view name) const {
  const auto id = find_name(name);
  return id == none ? std::span<const PackageId>() : versions(id);
}

PackageId Repository::find(std::string_view name, const Version& version) const {
  const auto id = find_name(name);
  if (id == none) return none;
  const Name& known = names_[id];
  const std::size_t at = position_of(version, known);
  return has_at(at, version, known) ? known.versions[at] : none;
}

}}}  // namespace tenon::v0_1::detail
