// SPDX-License-Identifier: BSL-1.0
//
// Packages that require the same package: the versions that they get in a host, in examples and
// compared with brute force.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catalog/bindings.hpp"

namespace tenon::tests { namespace {

using detail::Bindings;
using detail::Dependency;
using detail::display_name;
using detail::none;
using detail::Package;
using detail::PackageId;
using detail::Packages;
using detail::Requirement;
using detail::Version;
using Specs = std::vector<std::pair<std::string, std::string>>;

Package package(std::string name, const std::string& number, const Specs& needs = {}) {
  Package package{.name = std::move(name), .version = Version::parse(number).value()};
  for (const auto& [of, spec] : needs) {
    package.dependencies.push_back({of, Requirement::parse(spec).value()});
  }
  return package;
}

/// Returns the version of a package that a dependent is bound to, or "" if there is none.
std::string got(const Bindings& bindings, const Package& asker, std::string_view name) {
  const PackageId id = bindings.provider_for(asker, name);
  return id != none ? bindings.repository().package(id).version.to_string() : "";
}

/// Returns the version that the host uses for a reference without a version.
std::string seen(const Bindings& bindings, std::string_view name) {
  for (const PackageId id : bindings.repository().versions(name)) {
    const Version& version = bindings.repository().package(id).version;
    if (bindings.is_preferred(name, version)) return version.to_string();
  }
  for (const PackageId id : bindings.repository().versions(name)) {
    const Version& version = bindings.repository().package(id).version;
    if (bindings.check(name, version)) return version.to_string();
  }
  return "";
}

// x requires z 1.2.0, y any z 1.x: both must get 1.2.0.
class Diamond : public testing::Test {
 protected:
  const Package x_ = package("s.d/x", "1.0.0", {{"s.d/z", "1.2.0"}});
  const Package y_ = package("s.d/y", "1.0.0", {{"s.d/z", "1"}});
  Packages packages_{.host = "photo",
                     .found = {x_, y_, package("s.d/z", "1.2.0"), package("s.d/z", "1.3.0")}};
};

TEST_F(Diamond, SharesAVersionThatSatisfiesBoth) {
  const Bindings bindings(packages_);
  EXPECT_EQ(got(bindings, x_, "s.d/z"), "1.2.0");
  EXPECT_EQ(got(bindings, y_, "s.d/z"), "1.2.0");
  EXPECT_EQ(seen(bindings, "s.d/z"), "1.3.0") << "the host is free, and takes the newest";
}

TEST_F(Diamond, IsUnaffectedByUnrelatedPackages) {
  packages_.found.push_back(package("s.d/third", "1.0.0"));
  packages_.found.push_back(package("s.d/fourth", "1.0.0", {{"s.d/third", "*"}}));
  packages_.found.push_back(package("s.d/z", "2.0.0"));
  const Bindings bindings(packages_);
  EXPECT_EQ(got(bindings, x_, "s.d/z"), "1.2.0");
  EXPECT_EQ(got(bindings, y_, "s.d/z"), "1.2.0");
  EXPECT_EQ(seen(bindings, "s.d/z"), "2.0.0");
}

TEST_F(Diamond, IncludesRequirementsOfTheHost) {
  packages_.requirements = {{"s.d/z", Requirement::parse("^1").value()}};
  const Bindings bindings(packages_);
  EXPECT_EQ(got(bindings, y_, "s.d/z"), "1.2.0");
  EXPECT_EQ(seen(bindings, "s.d/z"), "1.2.0") << "one version serves all three";
  EXPECT_TRUE(bindings.check("s.d/z", Version::parse("1.3.0").value())) << "by its number";
}

// Requirements of packages that the host uses without a requirement count like all others.
TEST_F(Diamond, IncludesPackagesTheHostUsesWithoutARequirement) {
  const Package newest = package("s.d/free", "2.0.0", {{"s.d/z", "1.2.0"}});
  const Package older = package("s.d/free", "1.0.0", {{"s.d/z", "1.3.0"}});
  packages_.found = {newest, older, y_, package("s.d/z", "1.2.0"), package("s.d/z", "1.3.0")};
  const Bindings bindings(packages_);
  EXPECT_EQ(got(bindings, y_, "s.d/z"), "1.2.0");
  EXPECT_EQ(got(bindings, older, "s.d/z"), "1.3.0") << "asked for by its number";
}

TEST(Diamonds, BindVersionsSideBySideIfNoneSatisfiesAll) {
  const Package x = package("s.d/x", "1.0.0", {{"s.d/z", "1.2.0"}});
  const Package y = package("s.d/y", "1.0.0", {{"s.d/z", "1.3.0"}});
  const Bindings bindings(
      {.host = "photo", .found = {x, y, package("s.d/z", "1.2.0"), package("s.d/z", "1.3.0")}});
  EXPECT_EQ(got(bindings, x, "s.d/z"), "1.2.0");
  EXPECT_EQ(got(bindings, y, "s.d/z"), "1.3.0");
}

TEST(SelfRequirements, AreMetByThePackageOrSideBySide) {
  const Package fits = package("s.d/a", "1.5.0", {{"s.d/a", "1"}});
  const Package does_not = package("s.d/a", "2.0.0", {{"s.d/a", "1"}});
  const Package older = package("s.d/a", "1.0.0", {{"s.d/a", "^1"}});
  const Bindings bindings(
      {.host = "photo", .found = {fits, does_not, older, package("s.d/a", "1.9.0")}});
  EXPECT_EQ(got(bindings, does_not, "s.d/a"), "1.9.0") << "used by the host";
  EXPECT_EQ(got(bindings, fits, "s.d/a"), "1.5.0");
  EXPECT_EQ(got(bindings, older, "s.d/a"), "1.0.0");
  EXPECT_TRUE(bindings.check(fits, "s.d/a", fits.version, false));
  EXPECT_EQ(seen(bindings, "s.d/a"), "2.0.0");

  // A version that the scan did not find, and that replaces 1.5.0.
  const Package fresh = package("s.d/a", "1.6.0", {{"s.d/a", ">=1.6"}, {"s.d/a", "<2"}});
  EXPECT_TRUE(bindings.check(fresh, "s.d/a", fresh.version, false));
  EXPECT_TRUE(bindings.check_restart(fits, fresh, {}, "a.so"));
  const Package wants_newer = package("s.d/a", "1.6.0", {{"s.d/a", ">=3"}});
  EXPECT_EQ(bindings.check_restart(fits, wants_newer, {}, "a.so").error().code(),
            "no-matching-version");
}

TEST(SelfRequirements, MayBeMetByTheReplacement) {
  const Package before = package("s.d/a", "1.0.0");
  const Bindings bindings(
      {.host = "photo", .found = {before, package("s.d/b", "1.0.0", {{"s.d/a", "^2"}})}});
  const Package fresh = package("s.d/a", "2.0.0", {{"s.d/b", "*"}});
  EXPECT_TRUE(bindings.check_restart(before, fresh, {}, "a.so"))
      << "b gets what it requires when a is replaced";
}

std::set<std::string> names_in_use(const Bindings& bindings) {
  std::set<std::string> names;
  for (const PackageId id : bindings.resolution().packages) {
    names.insert(bindings.repository().package(id).name);
  }
  return names;
}

/// Random hosts of up to 16 packages. A package requires only later names, and optionally itself.
class RandomHosts : public testing::Test {
 protected:
  static constexpr std::size_t names = 4;

  unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }
  std::string name(std::size_t i) { return "s.d/" + std::string(1, static_cast<char>('a' + i)); }
  std::string spec() {
    static const char* const specs[] = {"*",  "1",     "2",     "1.0.0", "1.1.0", "^1.1",
                                        "<2", ">=1.1", "!=1.1", "1.2",   "4"};
    return specs[below(std::size(specs))];
  }

  /// `own`: some packages require other versions of themselves. This is a cycle, so that more
  /// versions than necessary may be used.
  Packages packages(bool own) {
    Packages made{.host = "photo"};
    for (std::size_t i = 0; i < names; ++i) {
      for (const char* number : {"1.0.0", "1.1.0", "1.2.0", "2.0.0"}) {
        if (below(3) == 0) continue;
        Specs needs;
        for (std::size_t of = own ? i : i + 1; of < names; ++of) {
          if (below(of == i ? 8 : 2) == 0) needs.emplace_back(name(of), spec());
        }
        made.found.push_back(package(name(i), number, needs));
      }
    }
    for (std::size_t i = 0; i < names; ++i) {
      if (below(6) == 0) made.requirements.emplace(name(i), Requirement::parse(spec()).value());
    }
    std::shuffle(made.found.begin(), made.found.end(), random_);
    return made;
  }

  const unsigned seed_ = std::random_device()();
  std::mt19937 random_{seed_};
};

/// The expected result, found by brute force.
class Expected {
 public:
  explicit Expected(const Packages& packages) : packages_(packages) {
    for (std::size_t i = 0; i < packages.found.size(); ++i) usable_.insert(i);
    while (std::erase_if(usable_, [this](std::size_t i) { return lacks(i); }) > 0) {
    }
  }

  bool usable(std::size_t i) const { return usable_.contains(i); }
  /// Returns the index of the newest usable matching package, or packages_.found.size().
  template <class Fits>
  std::size_t newest(const std::string& name, Fits fits) const {
    std::size_t best = packages_.found.size();
    for (const std::size_t i : usable_) {
      const Package& one = packages_.found[i];
      if (one.name != name || !fits(one.version)) continue;
      if (best == packages_.found.size() || one.version > packages_.found[best].version) best = i;
    }
    return best;
  }

 private:
  bool lacks(std::size_t i) const {
    return std::any_of(packages_.found[i].dependencies.begin(),
                       packages_.found[i].dependencies.end(), [this](const Dependency& need) {
                         return newest(need.name, [&](const Version& v) {
                                  return need.versions.contains(v);
                                }) == packages_.found.size();
                       });
  }

  const Packages& packages_;
  std::set<std::size_t> usable_;
};

TEST_F(RandomHosts, AgreeWithBruteForce) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  std::size_t shared = 0, apart = 0;
  for (int round = 0; round < 3000; ++round) {
    const bool own = round % 2 == 1;
    const Packages packages = this->packages(own);
    const Bindings bindings(packages);
    const Expected expected(packages);
    const auto count = packages.found.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Package& one = packages.found[i];
      const PackageId id = bindings.repository().find(one.name, one.version);
      ASSERT_EQ(bindings.usable(id), expected.usable(i)) << display_name(one);
      const auto takes = packages.requirements.find(one.name);
      const bool taken =
          takes == packages.requirements.end() || takes->second.contains(one.version);
      ASSERT_EQ(bindings.check(one.name, one.version).has_value(), expected.usable(i) && taken);
    }

    // Visits names so that requirers come before the packages that they require.
    std::set<std::size_t> in_use;
    for (std::size_t n = 0; n < names; ++n) {
      const std::string name = this->name(n);
      const auto of_host = packages.requirements.find(name);
      std::vector<std::pair<std::size_t, const Requirement*>> requirers;  // count: the host
      if (of_host != packages.requirements.end()) requirers.emplace_back(count, &of_host->second);
      if (of_host == packages.requirements.end()) {
        const std::size_t free = expected.newest(name, [](const Version&) { return true; });
        if (free != count) {
          in_use.insert(free);
          ASSERT_EQ(seen(bindings, name), packages.found[free].version.to_string());
        }
      }
      for (const std::size_t i : in_use) {
        for (const Dependency& need : packages.found[i].dependencies) {
          if (need.name == name && packages.found[i].name != name) {
            requirers.emplace_back(i, &need.versions);
          }
        }
      }
      const std::size_t best = expected.newest(name, [&](const Version& v) {
        return std::all_of(requirers.begin(), requirers.end(),
                           [&](const auto& one) { return one.second->contains(v); });
      });
      for (const auto& [requirer, takes] : requirers) {
        const auto of_it = [&versions = *takes](const Version& v) { return versions.contains(v); };
        if (expected.newest(name, of_it) == count) continue;  // an unmet requirement of the host
        const std::string gets = requirer == count ? seen(bindings, name)
                                                   : got(bindings, packages.found[requirer], name);
        ASSERT_NE(gets, "");
        ASSERT_TRUE(takes->contains(Version::parse(gets).value()));
        if (best != count && !own) {
          ASSERT_EQ(gets, packages.found[best].version.to_string()) << name;
          ++shared;
        } else {
          ++apart;
        }
        const auto provider = expected.newest(
            name, [&](const Version& v) { return v == Version::parse(gets).value(); });
        ASSERT_NE(provider, count);
        in_use.insert(provider);
      }
      // A self requirement is met by the package itself or by another version.
      for (std::size_t i = 0; i < count; ++i) {
        const Package& one = packages.found[i];
        if (one.name != name || !expected.usable(i)) continue;
        const auto own = std::find_if(one.dependencies.begin(), one.dependencies.end(),
                                      [&](const Dependency& need) { return need.name == name; });
        const std::string gets = got(bindings, one, name);
        if (own == one.dependencies.end() || own->versions.contains(one.version)) {
          ASSERT_EQ(gets, one.version.to_string());
        } else {
          ASSERT_TRUE(own->versions.contains(Version::parse(gets).value()));
        }
      }
      for (const PackageId id : bindings.resolution().packages) {
        const Package& one = bindings.repository().package(id);
        if (one.name != name) continue;
        for (std::size_t i = 0; i < count; ++i) {
          if (packages.found[i].name == name && packages.found[i].version == one.version) {
            in_use.insert(i);  // also versions that only meet self requirements
          }
        }
      }
    }
  }
  EXPECT_GT(shared, 3000u);
  EXPECT_GT(apart, 100u);
}

TEST_F(RandomHosts, AreStableWithTheirResultAsALock) {
  SCOPED_TRACE("seed " + std::to_string(seed_));
  int same = 0;
  for (int round = 0; round < 1000; ++round) {
    const Packages packages = this->packages(below(2) == 0);
    const Bindings before(packages);
    if (!before.resolution().conflicts.empty()) continue;
    Packages locked = packages;
    for (const PackageId id : before.resolution().packages) {
      const Package& one = before.repository().package(id);
      locked.lock.emplace_back(one.name, one.version);
    }
    for (const char* number : {"1.3.0", "2.1.0"}) {
      locked.found.push_back(package(name(below(names)), number));
    }
    const Bindings after(locked);
    // Packages that were unusable before are not in the lock, and may require unlocked packages.
    if (names_in_use(after) != names_in_use(before)) continue;
    ++same;
    ASSERT_TRUE(after.resolution().within_lock);
    for (const PackageId id : before.resolution().packages) {
      const Package& one = before.repository().package(id);
      for (const Dependency& need : one.dependencies) {
        ASSERT_EQ(got(after, one, need.name), got(before, one, need.name));
      }
    }
    for (std::size_t n = 0; n < names; ++n) {
      if (seen(before, name(n)).empty()) continue;
      ASSERT_EQ(seen(after, name(n)), seen(before, name(n)));
    }
  }
  EXPECT_GT(same, 500);
}

}}  // namespace tenon::tests
