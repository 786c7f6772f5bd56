// SPDX-License-Identifier: BSL-1.0
#include "catalog/bindings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tenon::tests { namespace {

using detail::Bindings;
using detail::Dependency;
using detail::none;
using detail::Package;
using detail::PackageId;
using detail::Packages;
using detail::Requirement;
using detail::Version;
using Specs = std::vector<std::pair<std::string, std::string>>;
using Lock = std::vector<std::pair<std::string, Version>>;

Version version(const std::string& text) {
  return Version::parse(text).value();
}

Package package(std::string name, const std::string& number, const Specs& needs = {}) {
  Package package{.name = std::move(name), .version = version(number)};
  for (const auto& [of, spec] : needs) {
    package.dependencies.push_back({of, Requirement::parse(spec).value()});
  }
  return package;
}

std::string code(const Result<void>& checked) {
  return checked ? "" : std::string(checked.error().code());
}

/// Returns the version of a package that a dependent is bound to, or "" if there is none.
std::string got(const Bindings& bindings, const Package& asker, std::string_view name) {
  const PackageId id = bindings.provider_for(asker, name);
  return id != none ? bindings.repository().package(id).version.to_string() : "";
}

/// Returns the packages in use, sorted, eg: "a 1.0.0, b 2.0.0".
std::string used(const Bindings& bindings) {
  std::vector<std::string> all;
  for (const PackageId id : bindings.resolution().packages) {
    const Package& package = bindings.repository().package(id);
    all.push_back(package.name + " " + package.version.to_string());
  }
  std::sort(all.begin(), all.end());
  std::string words;
  for (const auto& one : all) words += (words.empty() ? "" : ", ") + one;
  return words;
}

TEST(Bindings, GiveTheHostTheNewestVersions) {
  const Bindings bindings({.host = "photo",
                           .found = {package("x.y/a", "1.0.0"), package("x.y/a", "1.2.0"),
                                     package("x.y/a", "2.0.0-rc.1"), package("x.y/b", "0.1.0")}});
  EXPECT_EQ(used(bindings), "x.y/a 1.2.0, x.y/b 0.1.0");
  EXPECT_TRUE(bindings.check("x.y/a", version("1.0.0"))) << "asked for by its number";
  EXPECT_TRUE(bindings.diagnostics().empty());
}

TEST(Bindings, GiveTheHostVersionsWithCompatiblePlugins) {
  Packages packages{.host = "photo",
                    .found = {package("x.y/a", "1.0.0"), package("x.y/a", "1.1.0"),
                              package("x.y/a", "1.2.0"), package("x.y/b", "1.0.0")}};
  packages.found[2].compatible = false;
  packages.found[3].compatible = false;
  EXPECT_EQ(used(Bindings(packages)), "x.y/a 1.1.0, x.y/b 1.0.0");
  packages.lock = {{"x.y/a", version("1.0.0")}};
  EXPECT_EQ(used(Bindings(packages)), "x.y/a 1.0.0, x.y/b 1.0.0");

  // A lock of another program may name a version that this one cannot use.
  packages.lock = {{"x.y/a", version("1.2.0")}};
  const Bindings unfit(packages);
  EXPECT_EQ(used(unfit), "x.y/a 1.1.0, x.y/b 1.0.0");
  ASSERT_EQ(unfit.diagnostics().size(), 1u);
  EXPECT_EQ(unfit.diagnostics()[0].code(), "lock-conflict");
}

// An old plugin that is not used must not hold back newer packages.
TEST(Bindings, IgnoreRequirementsOfUnusedVersions) {
  const Bindings bindings({.host = "photo",
                           .found = {package("x.y/a", "1.0.0", {{"x.y/c", "~1.0"}}),
                                     package("x.y/a", "2.0.0", {{"x.y/c", "^1"}}),
                                     package("x.y/c", "1.0.4"), package("x.y/c", "1.5.0")}});
  EXPECT_EQ(used(bindings), "x.y/a 2.0.0, x.y/c 1.5.0");
  const auto& newest = package("x.y/a", "2.0.0", {{"x.y/c", "^1"}});
  EXPECT_EQ(got(bindings, newest, "x.y/c"), "1.5.0");
  const auto& oldest = package("x.y/a", "1.0.0", {{"x.y/c", "~1.0"}});
  EXPECT_EQ(got(bindings, oldest, "x.y/c"), "1.0.4");
}

TEST(Bindings, ShareAVersionOrBindVersionsSideBySide) {
  const Package one = package("x.y/one", "1.0.0", {{"x.y/c", "^1"}});
  const Package other = package("x.y/other", "1.0.0", {{"x.y/c", ">=1,<1.5"}});
  const Package third = package("x.y/third", "1.0.0", {{"x.y/c", "^2"}});
  const Bindings bindings({.host = "photo",
                           .found = {one, other, third, package("x.y/c", "1.4.0"),
                                     package("x.y/c", "1.9.0"), package("x.y/c", "2.0.0")}});
  EXPECT_EQ(got(bindings, one, "x.y/c"), "1.4.0");
  EXPECT_EQ(got(bindings, other, "x.y/c"), "1.4.0");
  EXPECT_EQ(got(bindings, third, "x.y/c"), "2.0.0");
}

TEST(Bindings, EnforceRequirementsOfTheHost) {
  Packages packages{.host = "photo",
                    .requirements = {{"x.y/a", Requirement::parse("^1").value()}},
                    .found = {package("x.y/a", "1.0.0"), package("x.y/a", "2.0.0")}};
  const Bindings bindings(packages);
  EXPECT_EQ(used(bindings), "x.y/a 1.0.0");
  const auto refused = bindings.check("x.y/a", version("2.0.0"));
  EXPECT_EQ(code(refused), "version-refused");
  EXPECT_EQ(refused.error().needed(), "x.y/a ^1, which the host requires");

  packages.requirements.insert({"x.y/nobody", Requirement::parse("^1").value()});
  const Bindings incomplete(packages);
  ASSERT_EQ(incomplete.diagnostics().size(), 1u);
  EXPECT_EQ(incomplete.diagnostics()[0].code(), "missing-package");
  EXPECT_EQ(incomplete.diagnostics()[0].where(), "photo");
  EXPECT_EQ(used(incomplete), "x.y/a 1.0.0") << "what else there is is used";
}

TEST(Bindings, ExcludePackagesWithUnmetRequirements) {
  const Bindings bindings(
      {.host = "photo",
       .found = {package("x.y/a", "1.0.0"), package("x.y/a", "2.0.0", {{"x.y/b", "*"}}),
                 package("x.y/b", "1.0.0", {{"x.y/c", "^3"}}), package("x.y/c", "2.0.0")}});
  EXPECT_EQ(used(bindings), "x.y/a 1.0.0, x.y/c 2.0.0");
  const auto refused = bindings.check("x.y/a", version("2.0.0"));
  ASSERT_EQ(code(refused), "no-matching-version");
  EXPECT_EQ(refused.error().where(), "x.y/a 2.0.0");
  EXPECT_EQ(refused.error().message(), "requires x.y/b *; x.y/b 1.0.0 requires x.y/c ^3");
  EXPECT_EQ(refused.error().found(), "x.y/c 2.0.0");
  ASSERT_EQ(bindings.diagnostics().size(), 2u);
  EXPECT_EQ(bindings.diagnostics()[0].where(), "x.y/a 2.0.0");
  EXPECT_EQ(bindings.diagnostics()[1].where(), "x.y/b 1.0.0");
}

TEST(Bindings, ReportAllConflictsOfAPackage) {
  const Bindings bindings(
      {.host = "photo",
       .found = {package("x.y/a", "1.0.0", {{"x.y/b", "*"}, {"x.y/c", "^2"}, {"x.y/d", ">1,<1"}}),
                 package("x.y/c", "1.0.0"), package("x.y/c", "1.1.0")}});
  const auto refused = bindings.check("x.y/a", version("1.0.0"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(
      refused.error().to_string(),
      "error[missing-package] x.y/a 1.0.0: requires x.y/b *; requires x.y/c ^2; requires "
      "x.y/d >1,<1\n"
      "   found   no package named x.y/b; x.y/c 1.1.0, 1.0.0; x.y/d >1,<1, which no "
      "version can meet\n"
      "   needed  x.y/b *; x.y/c ^2; x.y/d >1,<1\n"
      "   fix     add a version of x.y/b *; add a version of x.y/c ^2, or let x.y/a 1.0.0 accept "
      "x.y/c 1.1.0; change the requirement of x.y/a 1.0.0");
}

TEST(Bindings, ExplainEveryBranchOfATransitiveConflict) {
  const Bindings bindings({.host = "photo",
                           .found = {package("x.y/a", "1.0.0", {{"x.y/b", "^1"}}),
                                     package("x.y/b", "1.0.0", {{"x.y/c", "^3"}}),
                                     package("x.y/b", "1.1.0", {{"x.y/d", "*"}}),
                                     package("x.y/b", "2.0.0"), package("x.y/c", "2.0.0")}});
  const auto refused = bindings.check("x.y/a", version("1.0.0"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().to_string(),
            "error[missing-package] x.y/a 1.0.0: requires x.y/b ^1; x.y/b 1.1.0 requires x.y/d *; "
            "x.y/b 1.0.0 requires x.y/c ^3\n"
            "   found   no package named x.y/d; x.y/c 2.0.0\n"
            "   needed  x.y/d *; x.y/c ^3\n"
            "   fix     add a version of x.y/d *, or let x.y/a 1.0.0 accept x.y/b 2.0.0; add a "
            "version of x.y/c ^3, or let x.y/a 1.0.0 accept x.y/b 2.0.0");
}

// The error shows the first links of a long chain, and what is missing at its end.
TEST(Bindings, AbbreviateTheExplanationOfALongChain) {
  Packages packages{.host = "photo"};
  constexpr int length = 4000;
  for (int i = 0; i < length; ++i) {
    packages.found.push_back(
        package("x.y/" + std::to_string(i), "1.0.0", {{"x.y/" + std::to_string(i + 1), "*"}}));
  }
  const Bindings bindings(packages);
  ASSERT_EQ(bindings.diagnostics().size(), std::size_t(length));
  const std::string first(bindings.diagnostics().front().message());
  EXPECT_EQ(first.find("requires x.y/1 *; x.y/1 1.0.0 requires x.y/2 *; "), 0u) << first;
  EXPECT_NE(first.find("; ...; x.y/3999 1.0.0 requires x.y/4000 *"), std::string::npos) << first;
  EXPECT_LT(first.size(), 1000u);
  EXPECT_EQ(bindings.diagnostics().front().needed(), "x.y/4000 *");
}

TEST(Bindings, LimitAPackageToItsRequirements) {
  const Package asker = package("x.y/a", "1.0.0", {{"x.y/b", "^1"}});
  const Bindings bindings({.host = "photo",
                           .found = {asker, package("x.y/a", "2.0.0"), package("x.y/b", "1.3.0"),
                                     package("x.y/b", "2.0.0"), package("x.y/c", "1.4.2"),
                                     package("photo.example/core", "5.0.0")}});
  EXPECT_EQ(code(bindings.check(asker, "x.y/b", version("1.3.0"), false)), "");
  const auto other = bindings.check(asker, "x.y/b", version("2.0.0"), false);
  EXPECT_EQ(code(other), "version-refused");
  EXPECT_EQ(other.error().needed(), "x.y/b ^1, of which it gets 1.3.0");
  const auto unseen = bindings.check(asker, "x.y/c", version("1.4.2"), false);
  EXPECT_EQ(code(unseen), "undeclared-requirement");
  EXPECT_EQ(unseen.error().where(), "x.y/a 1.0.0");
  EXPECT_EQ(unseen.error().fix(), R"(add "x.y/c": "^1.4" to what the manifest of x.y/a requires)");
}

TEST(Bindings, LetAPackageUseItselfAndTheCore) {
  const Package asker = package("x.y/a", "1.0.0");
  const Bindings bindings(
      {.host = "photo",
       .found = {asker, package("x.y/a", "2.0.0"), package("photo.example/core", "5.0.0")}});
  EXPECT_EQ(code(bindings.check(asker, "x.y/a", version("1.0.0"), false)), "");
  EXPECT_EQ(code(bindings.check(asker, "x.y/a", version("2.0.0"), false)), "version-refused");
  EXPECT_EQ(code(bindings.check(asker, "photo.example/core", version("5.0.0"), true)), "");
}

TEST(Bindings, EnforceRequirementsOfTheCore) {
  const Package content = package("x.y/a", "1.0.0", {{"photo.example/core", "^5"}});
  const Package wants_more = package("x.y/b", "1.0.0", {{"photo.example/core", "^6"}});
  const Bindings bindings(
      {.host = "photo", .found = {content, wants_more, package("photo.example/core", "5.0.0")}});
  EXPECT_EQ(code(bindings.check(content, "photo.example/core", version("5.0.0"), true)), "");
  EXPECT_EQ(code(bindings.check(wants_more, "photo.example/core", version("5.0.0"), true)),
            "version-refused");
  EXPECT_EQ(code(bindings.check("x.y/b", version("1.0.0"))), "no-matching-version");
}

// A restart checks the new generation before it replaces the old one.
TEST(Bindings, BindANewerVersionBeforeItReplacesTheOld) {
  const Bindings bindings(
      {.host = "photo",
       .found = {package("x.y/a", "1.0.0"), package("x.y/b", "1.0.0"), package("x.y/b", "2.0.0")}});
  const Package fresh = package("x.y/a", "1.1.0", {{"x.y/b", "^1"}});
  EXPECT_EQ(got(bindings, fresh, "x.y/b"), "1.0.0");
  EXPECT_EQ(code(bindings.check(fresh, "x.y/b", version("1.0.0"), false)), "");
}

TEST(Bindings, RefuseAReplacementThatADependentExcludes) {
  const Package user = package("x.y/a", "1.0.0", {{"x.y/b", "^1"}});
  const Package before = package("x.y/b", "1.0.0");
  const Bindings bindings({.host = "photo",
                           .requirements = {{"x.y/c", Requirement::parse("^1").value()}},
                           .found = {user, before, package("x.y/c", "1.0.0")}});
  const auto change = [&](const Package& fresh, const std::vector<Package>& users) {
    return bindings.check_restart(before, fresh, users, "b.so");
  };
  EXPECT_EQ(code(change(package("x.y/b", "1.5.0"), {user})), "");
  const auto refused = change(package("x.y/b", "2.0.0"), {user});
  EXPECT_EQ(code(refused), "restart-refused");
  EXPECT_EQ(refused.error().needed(), "x.y/b ^1, which the user x.y/a 1.0.0 requires");
  EXPECT_EQ(code(change(package("x.y/b", "2.0.0"), {})), "") << "nobody uses it";
  EXPECT_EQ(code(change(package("x.y/b", "1.1.0", {{"x.y/d", "*"}}), {user})), "missing-package");
  EXPECT_EQ(code(bindings.check_restart(package("x.y/c", "1.0.0"), package("x.y/c", "2.0.0"), {},
                                        "c.so")),
            "version-refused");
}

TEST(Bindings, FollowTheLockAndReportConflicts) {
  Packages packages{
      .host = "photo",
      .lock = {{"x.y/a", version("1.0.0")}, {"x.y/b", version("1.0.0")}},
      .lock_file = "tenon.lock",
      .found = {package("x.y/a", "1.0.0", {{"x.y/b", "^1"}}), package("x.y/a", "1.1.0"),
                package("x.y/b", "1.0.0"), package("x.y/b", "1.9.0"), package("x.y/c", "1.0.0")}};
  const Bindings kept(packages);
  EXPECT_EQ(used(kept), "x.y/a 1.0.0, x.y/b 1.0.0, x.y/c 1.0.0");
  EXPECT_TRUE(kept.diagnostics().empty());
  EXPECT_TRUE(kept.locked(kept.repository().find("x.y/a", version("1.0.0"))));
  EXPECT_FALSE(kept.locked(kept.repository().find("x.y/a", version("1.1.0"))));

  packages.lock[1].second = version("1.2.0");
  const Bindings incomplete(packages);
  EXPECT_EQ(used(incomplete), "x.y/a 1.0.0, x.y/b 1.9.0, x.y/c 1.0.0");
  ASSERT_EQ(incomplete.diagnostics().size(), 1u);
  EXPECT_EQ(incomplete.diagnostics()[0].code(), "missing-locked-package");
  EXPECT_EQ(incomplete.diagnostics()[0].where(), "tenon.lock");

  packages.lock[1].second = version("1.0.0");
  packages.found[0] = package("x.y/a", "1.0.0", {{"x.y/b", "^1.5"}});
  const Bindings unfit(packages);
  EXPECT_EQ(got(unfit, packages.found[0], "x.y/b"), "1.9.0") << "a lock breaks no requirement";
  ASSERT_EQ(unfit.diagnostics().size(), 1u);
  EXPECT_EQ(unfit.diagnostics()[0].code(), "lock-conflict");
  EXPECT_EQ(unfit.diagnostics()[0].found(),
            "locked versions that do not meet all requirements; used instead: "
            "x.y/b 1.9.0");
}

// A package that the lock does not suit gets what it requires. The others keep their versions.
TEST(Bindings, KeepLockedVersionsIfAnotherPackageRequiresMore) {
  const Package x = package("x.y/x", "1.0.0", {{"x.y/lib", ">=1"}});
  const Package y = package("x.y/y", "1.0.0", {{"x.y/lib", "^2"}});
  Packages packages{.host = "photo",
                    .lock = {{"x.y/x", version("1.0.0")}, {"x.y/lib", version("1.0.0")}},
                    .lock_file = "tenon.lock",
                    .found = {x, package("x.y/lib", "1.0.0"), package("x.y/lib", "2.0.0")}};
  const Bindings before(packages);
  EXPECT_EQ(got(before, x, "x.y/lib"), "1.0.0");
  EXPECT_TRUE(before.diagnostics().empty());

  packages.found.push_back(y);
  const Bindings after(packages);
  EXPECT_EQ(got(after, x, "x.y/lib"), "1.0.0");
  EXPECT_EQ(got(after, y, "x.y/lib"), "2.0.0");
  EXPECT_EQ(used(after), "x.y/lib 1.0.0, x.y/lib 2.0.0, x.y/x 1.0.0, x.y/y 1.0.0");
  ASSERT_EQ(after.diagnostics().size(), 1u);
  EXPECT_EQ(after.diagnostics()[0].code(), "lock-conflict");
}

TEST(Bindings, TreatRequirementsOfDevPackagesAsAdvisory) {
  Package asker = package("x.y/a", "0.0.0", {{"x.y/b", "^9"}});
  asker.dev = true;
  const Bindings bindings({.host = "photo", .found = {asker, package("x.y/b", "1.0.0")}});
  EXPECT_EQ(got(bindings, asker, "x.y/b"), "1.0.0");
  ASSERT_EQ(bindings.diagnostics().size(), 1u);
  EXPECT_EQ(bindings.diagnostics()[0].code(), "requirement-not-enforced");
}

// In any repository, each excluded package has a reason, and each requirement of a package in use
// is met by the version that it is bound to.
TEST(Bindings, AreConsistentInRandomRepositories) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return random() % n; };
  const std::vector<std::string> names{"x.y/a", "x.y/b", "x.y/c", "x.y/d"};
  const std::vector<std::string> specs{"*", "^1", "^2", "~1.1", ">=1.1,<3", "!=1.0", "^4"};
  std::size_t refused = 0, bound = 0;
  for (int round = 0; round < 2000; ++round) {
    Packages packages{.host = "photo"};
    for (const std::string& name : names) {
      for (const char* number : {"1.0.0", "1.1.0", "2.0.0", "3.0.0-rc.1"}) {
        if (below(3) == 0) continue;
        Specs needs;
        for (const std::string& of : names) {
          if (below(4) == 0) needs.emplace_back(of, specs[below(specs.size())]);
        }
        packages.found.push_back(package(name, number, needs));
      }
    }
    const Bindings bindings(packages);
    for (const Package& asker : packages.found) {
      if (const auto checked = bindings.check(asker.name, asker.version); !checked) {
        EXPECT_FALSE(checked.error().code().empty());
        ++refused;
        continue;
      }
      for (const Dependency& need : asker.dependencies) {
        const PackageId id = bindings.provider_for(asker, need.name);
        if (need.name == asker.name) continue;  // see SelfRequirements
        ASSERT_NE(id, none) << asker.name << " " << asker.version.to_string() << " gets no "
                            << need.name;
        const Package& provider = bindings.repository().package(id);
        EXPECT_TRUE(need.versions.contains(provider.version));
        EXPECT_TRUE(bindings.usable(id));
        EXPECT_EQ(code(bindings.check(asker, need.name, provider.version, false)), "");
        ++bound;
      }
    }
  }
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(bound, 1000u);
}

// Errors are the same in whichever order a scan finds the packages.
TEST(Bindings, ReportTheSameErrorsInAnyOrder) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](unsigned n) { return random() % n; };
  const std::vector<std::string> names{"x.y/a", "x.y/b", "x.y/c", "x.y/d", "x.y/e"};
  const std::vector<std::string> specs{"*", "^1", "^2", ">=1.1,<3", "^4", ">2,<1"};
  const auto errors_of = [](const Packages& packages) {
    std::vector<std::string> texts;
    const Bindings bindings(packages);
    for (const Error& error : bindings.diagnostics()) texts.push_back(error.to_string());
    return texts;
  };
  for (int round = 0; round < 1000; ++round) {
    Packages packages{.host = "photo",
                      .requirements = {{"x.y/a", Requirement::parse("^1").value()}},
                      .lock = {{"x.y/b", version("1.0.0")}, {"x.y/c", version("2.0.0")}},
                      .lock_file = "tenon.lock"};
    for (const std::string& name : names) {
      for (const char* number : {"1.0.0", "1.1.0", "2.0.0"}) {
        if (below(4) == 0) continue;
        Specs needs;
        for (const std::string& of : names) {
          if (of != name && below(3) == 0) needs.emplace_back(of, specs[below(specs.size())]);
        }
        packages.found.push_back(package(name, number, needs));
        packages.found.back().dev = below(8) == 0;
      }
    }
    const std::vector<std::string> expected = errors_of(packages);
    std::shuffle(packages.found.begin(), packages.found.end(), random);
    ASSERT_EQ(errors_of(packages), expected) << "round " << round;
  }
}

}}  // namespace tenon::tests
