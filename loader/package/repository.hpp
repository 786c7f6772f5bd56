// SPDX-License-Identifier: BSL-1.0
//
// The repository: all packages that were found, and what each of them requires.
#pragma once

#include <tenon/result.hpp>

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_index.hpp"
#include "package/requirement.hpp"
#include "package/semver.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// A requirement of one package.
struct Dependency {
  std::string name;      // of the required package
  Requirement versions;  // that are accepted

  friend bool operator==(const Dependency&, const Dependency&) = default;
};

/// The requirements of one package. Copies share the list until they change: a manifest and its
/// package have the same.
class Dependencies {
 public:
  Dependencies() = default;
  Dependencies(std::initializer_list<Dependency> all)
      : list_(std::make_shared<std::vector<Dependency>>(all)) {}

  bool empty() const noexcept { return size() == 0; }
  std::size_t size() const noexcept { return list_ != nullptr ? list_->size() : 0; }
  const Dependency* begin() const noexcept { return list_ != nullptr ? list_->data() : nullptr; }
  const Dependency* end() const noexcept { return begin() + size(); }
  const Dependency& operator[](std::size_t i) const noexcept { return begin()[i]; }

  void reserve(std::size_t count) { own().reserve(count); }
  void push_back(Dependency one) { own().push_back(std::move(one)); }
  /// Replaces all versions that are accepted by the equal ones that `same` returns for them.
  template <class Same>
  void replace_versions(const Same& same) {
    if (empty()) return;
    for (Dependency& one : own()) one.versions = same(one.versions);
  }
  /// Sorts by name. Those of the same name stay in their order.
  void sort();

  friend bool operator==(const Dependencies& a, const Dependencies& b) {
    return std::ranges::equal(a, b);
  }

 private:
  std::vector<Dependency>& own();

  std::shared_ptr<std::vector<Dependency>> list_;
};

/// One version of a package.
struct Package {
  std::string name;
  Version version;
  Dependencies dependencies{};  // one version meets all of the same name
  bool dev = false;             // from a directory `dev`: its requirements are advisory
  bool compatible = true;       // this program may use some plugin of it, if it has any
};

/// Returns the name and version of a package for messages, eg: "me.example/blur 1.2.0".
std::string display_name(std::string_view name, const Version& version);
inline std::string display_name(const Package& package) {
  return display_name(package.name, package.version);
}

/// Index of a package or of a name in the repository.
using PackageId = std::uint32_t;
using NameId = std::uint32_t;
inline constexpr std::uint32_t none = UINT32_MAX;

/// Returns major, minor and patch packed into one number of the same order, or 0 if they are too
/// large. Prerelease and build metadata are ignored. Most comparisons need no more.
std::uint64_t packed_version(const Version& version);

/// Packages by name and version. Results do not depend on the order in which packages were added.
/// Const functions may be called from any thread.
class Repository {
 public:
  Repository() = default;
  Repository(Repository&&) = default;
  Repository& operator=(Repository&&) = default;
  Repository(const Repository&) = delete;
  Repository& operator=(const Repository&) = delete;
  ~Repository() = default;

  /// The dependencies of a package on one name.
  struct Link {
    NameId name;
    std::uint32_t first;  // among the package's dependencies, which are sorted by name
    std::uint32_t count;
  };

  /// The versions that a link accepts, if these are all releases from `low` up to, but not
  /// including, `high`, as packed versions. Otherwise `high` is 0.
  struct ReleaseRange {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
  };
  static ReleaseRange release_range(const Requirement& versions);

  /// Prepares for that many names.
  void reserve(std::size_t names) { ids_.reserve(names); }
  /// Adds a package, and sorts its dependencies by name. Error: duplicate-package, if the
  /// repository has the same name and version, including the build metadata.
  Result<PackageId> add(Package added);

  /// A module that has a name but cannot be used.
  struct Broken {
    std::string code;                  // of its error
    std::string where;                 // its file
    std::optional<Version> version{};  // of its package, if it is known
  };
  /// Adds an unusable module. It is mentioned in the errors of packages that require the name.
  void add_broken(std::string name, Broken broken) {
    broken_.emplace(std::move(name), std::move(broken));
  }
  /// Returns the unusable module of that name, or nullptr.
  const Broken* broken(std::string_view name) const {
    const auto found = broken_.find(name);
    return found != broken_.end() ? &found->second : nullptr;
  }

  std::size_t size() const { return packages_.size(); }

  /// Returns a package. The reference is valid as long as the repository.
  /// REQUIRED: id < size().
  const Package& package(PackageId id) const { return packages_[id]; }

  /// Returns the packages of that name, the preferred one first: releases from the newest down,
  /// then prereleases from the newest down.
  std::span<const PackageId> versions(std::string_view name) const;

  /// Returns the package of exactly that name and version, or none.
  PackageId find(std::string_view name, const Version& version) const;

  // The functions below are for the resolver. A name has an id if a package has or requires it.

  std::size_t names() const { return names_.size(); }
  NameId find_name(std::string_view name) const {
    const auto* id = number_of(ids_, name);
    return id != nullptr ? *id : none;
  }
  const std::string& text(NameId name) const { return *names_[name].text; }
  std::span<const PackageId> versions(NameId name) const {
    return {names_[name].versions.data(), names_[name].versions.size()};
  }
  /// Returns how many of the versions are releases. These come first.
  std::uint32_t releases(NameId name) const { return names_[name].releases; }

  NameId name(PackageId id) const { return entries_[id].name; }
  bool dev(PackageId id) const { return entries_[id].dev; }
  /// Returns the `packed_version` of a package.
  std::uint64_t packed(PackageId id) const { return entries_[id].packed; }
  /// Returns the first dependency of a link of the package.
  const Dependency& dependency(PackageId id, const Link& link) const {
    return entries_[id].dependencies[link.first];
  }
  /// Returns the links of all packages. Those of one package are contiguous.
  const std::vector<Link>& links() const { return links_; }
  const std::vector<ReleaseRange>& release_ranges() const { return release_ranges_; }
  std::uint32_t first_link(PackageId id) const { return entries_[id].first_link; }
  std::uint32_t end_link(PackageId id) const { return entries_[id].end_link; }

 private:
  struct Name {
    const std::string* text = nullptr;  // in a package, whose address is stable
    boost::container::small_vector<PackageId, 2> versions = {};
    std::uint32_t releases = 0;
  };
  struct Entry {
    NameId name;
    std::uint32_t first_link;
    std::uint32_t end_link;
    bool dev;
    std::uint64_t packed;
    const Dependency* dependencies;  // of the package, whose address is stable
  };

  NameId add_name(const std::string& text);
  std::size_t position_of(const Version& version, const Name& name) const;
  bool has_at(std::size_t position, const Version& version, const Name& name) const;

  std::deque<Package> packages_;
  std::vector<Entry> entries_;  // by package id
  std::vector<Link> links_;
  std::vector<ReleaseRange> release_ranges_;  // by link
  std::deque<Name> names_;
  TextIndex ids_;  // of the texts of names_
  std::map<std::string, Broken, std::less<>> broken_;
};

}}}  // namespace tenon::v0_1::detail
