// SPDX-License-Identifier: BSL-1.0
//
// The packages that are there, from wherever they were found, and what each of them requires.
#pragma once

#include <tenon/result.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_index.hpp"
#include "package/requirement.hpp"
#include "package/semver.hpp"

namespace tenon {

/// Somebody's requirement of one package.
struct Need {
  std::string name;      // of the package
  Requirement versions;  // that will do
  std::string by{};      // who says so, where that is not the requirer itself, eg: "photo.json"
};

/// One version of a package.
struct Package {
  std::string name;
  Version version;
  std::vector<Need> needs{};  // several of one name are met together, by one version
  bool dev = false;           // from a folder `dev`: its requirements are wishes
};

/// One version of a package as messages name it, eg: "me.example/blur 1.2.0"
std::string in_words(std::string_view name, const Version& version);
inline std::string in_words(const Package& package) {
  return in_words(package.name, package.version);
}

/// Of a package its place in the repository, of a name the same.
using PackageId = std::uint32_t;
using NameId = std::uint32_t;
inline constexpr std::uint32_t none = TextIndex::nothing;

/// Major, minor and patch in one number that is ordered as they are, whatever stands behind them;
/// 0 when they are too large for that. Most comparisons need no more.
std::uint64_t packed_numbers(const Version& version);

/// Packages by name and version. What is made of a repository does not depend on the order in
/// which packages were added. Const functions may be called from any thread.
class Repository {
 public:
  Repository() = default;
  Repository(Repository&&) = default;
  Repository& operator=(Repository&&) = default;
  Repository(const Repository&) = delete;
  Repository& operator=(const Repository&) = delete;
  ~Repository() = default;

  /// What a package requires of one name.
  struct Link {
    NameId name;
    std::uint32_t first;  // of its needs, which are sorted by name
    std::uint32_t count;
  };

  /// What a link takes where that is all releases from one version on, below another: their
  /// `packed_numbers`. Else `high` is 0.
  struct Numbers {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
  };
  static Numbers numbers(const Requirement& versions);

  /// Takes `package`, and sorts its needs by name. Error: duplicate-package, when one of that name
  /// and version, down to the build metadata, is there already.
  Result<PackageId> add(Package package);

  /// A module that has a name and cannot be used.
  struct Broken {
    std::string code;   // of what is wrong with it
    std::string where;  // its file
  };
  /// Notes one for messages: who requires the name is told of it.
  void add_broken(std::string name, Broken broken) {
    broken_.emplace(std::move(name), std::move(broken));
  }
  /// Nothing: nullptr.
  const Broken* broken(std::string_view name) const {
    const auto found = broken_.find(name);
    return found != broken_.end() ? &found->second : nullptr;
  }

  std::size_t size() const { return packages_.size(); }

  /// REQUIRED: id < size(). The package stays where it is as long as the repository.
  const Package& package(PackageId id) const { return packages_[id]; }

  /// All of that name in the order in which they are preferred: releases with the newest first,
  /// then prereleases with the newest first.
  std::span<const PackageId> versions(std::string_view name) const;

  /// The package of just that name and version, or none.
  PackageId find(std::string_view name, const Version& version) const;

  // What follows is for the resolver. Every name has an id that a package has or requires.

  std::size_t names() const { return names_.size(); }
  NameId find_name(std::string_view name) const { return ids_.find(name); }
  const std::string& text(NameId name) const { return names_[name].text; }
  std::span<const PackageId> versions(NameId name) const { return names_[name].versions; }
  /// How many of the versions are releases: those that come first.
  std::uint32_t releases(NameId name) const { return names_[name].releases; }

  NameId name(PackageId id) const { return of_package_[id].name; }
  bool dev(PackageId id) const { return of_package_[id].dev; }
  /// The `packed_numbers` of its version.
  std::uint64_t numbers(PackageId id) const { return of_package_[id].numbers; }
  /// The first need of a link of the package.
  const Need& need(PackageId id, const Link& link) const {
    return of_package_[id].needs[link.first];
  }
  /// The links of all packages stand in one row, those of one package together.
  const std::vector<Link>& links() const { return links_; }
  const std::vector<Numbers>& numbers_of_links() const { return numbers_; }
  std::uint32_t first_link(PackageId id) const { return of_package_[id].first_link; }
  std::uint32_t end_link(PackageId id) const { return of_package_[id].end_link; }

 private:
  struct Name {
    std::string text;
    std::vector<PackageId> versions;
    std::uint32_t releases = 0;
  };
  struct OfPackage {
    NameId name;
    std::uint32_t first_link;
    std::uint32_t end_link;
    bool dev;
    std::uint64_t numbers;
    const Need* needs;  // of the package, which stays where it is
  };

  NameId add_name(const std::string& text);
  std::vector<PackageId>::const_iterator place_of(const Name& name, const Version& version) const;

  std::deque<Package> packages_;
  std::vector<OfPackage> of_package_;
  std::vector<Link> links_;
  std::vector<Numbers> numbers_;  // of the links
  std::deque<Name> names_;
  TextIndex ids_;  // of the texts of names_
  std::map<std::string, Broken, std::less<>> broken_;
};

}  // namespace tenon
