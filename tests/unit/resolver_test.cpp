// SPDX-License-Identifier: BSL-1.0
#include "package/resolver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tenon::detail { namespace {

Version version(const std::string& text) {
  return Version::parse(text).value();
}

std::string text_of(const Repository& repository, PackageId id) {
  if (id == none) return "none";
  const Package& package = repository.package(id);
  return package.name + " " + package.version.to_string();
}

using Texts = std::vector<std::string>;

TEST(Dependencies, CopiesShareTheListUntilTheyChange) {
  const Requirement any = Requirement::parse("*").value();
  Dependencies first{{"b", any}, {"a", any}};
  Dependencies copy = first;
  EXPECT_EQ(copy.begin(), first.begin());
  copy.sort();
  copy.push_back({"c", any});
  EXPECT_EQ(first, (Dependencies{{"b", any}, {"a", any}}));
  EXPECT_EQ(copy, (Dependencies{{"a", any}, {"b", any}, {"c", any}}));
  EXPECT_TRUE(Dependencies().empty());
  EXPECT_EQ(Dependencies().begin(), Dependencies().end());
}

/// Parses name and requirement of a package, eg: "b ^1.2".
Dependency need(const std::string& text) {
  const auto space = text.find(' ');
  return {.name = text.substr(0, space),
          .versions = Requirement::parse(text.substr(space + 1)).value()};
}

Package package(const std::string& name_and_version, const Texts& needs) {
  const auto space = name_and_version.find(' ');
  Package made = {.name = name_and_version.substr(0, space),
                  .version = version(name_and_version.substr(space + 1))};
  for (const auto& text : needs) made.dependencies.push_back(need(text));
  return made;
}

/// A repository, and the requirements to resolve.
struct World {
  explicit World(const std::vector<std::pair<std::string, Texts>>& packages) {
    for (const auto& [name_and_version, needs] : packages) {
      repository.add(package(name_and_version, needs)).value();
    }
  }

  World& asks(const Texts& needs) {
    question.roots.push_back({.name = "photo 5.1", .dependencies = {}});
    for (const auto& text : needs) question.roots.back().dependencies.push_back(need(text));
    return *this;
  }
  World& locked(const Texts& versions) {
    for (const auto& text : versions) {
      const auto made = package(text, {});
      question.lock.emplace_back(made.name, made.version);
    }
    return *this;
  }

  /// Returns the resolved versions, eg: "a 1.0.0, b 1.2.0".
  std::string versions() {
    answer = resolve(repository, question);
    Texts sorted;
    for (const PackageId id : answer.packages) sorted.push_back(text_of(repository, id));
    std::sort(sorted.begin(), sorted.end());
    std::string texts;
    for (const auto& text : sorted) texts += (texts.empty() ? "" : ", ") + text;
    return texts;
  }
  std::string root_gets(const std::string& name) const {
    return text_of(repository, answer.for_root(0, name));
  }
  std::string gets(const std::string& requirer, const std::string& name) const {
    const auto made = package(requirer, {});
    return text_of(repository,
                   answer.for_package(repository, repository.find(made.name, made.version), name));
  }

  Repository repository;
  Problem question;
  Resolution answer;
};

TEST(Resolver, SelectsTheNewestRelease) {
  World world({{"a 1.0.0", {}}, {"a 1.10.0", {}}, {"a 1.9.0", {}}, {"a 2.0.0-rc.1", {}}});
  EXPECT_EQ(world.asks({"a *"}).versions(), "a 1.10.0");
}

TEST(Resolver, PrefersReleasesToPrereleases) {
  World world({{"a 1.0.0", {}}, {"a 1.1.0-rc.1", {}}, {"a 1.1.0-rc.2", {}}});
  EXPECT_EQ(world.asks({"a >=1.0,!=1.1.0-x"}).versions(), "a 1.0.0");
  EXPECT_EQ(world.root_gets("a"), "a 1.0.0");
  World rest({{"a 1.1.0-rc.1", {}}, {"a 1.1.0-rc.2", {}}});
  EXPECT_EQ(rest.asks({"a >=1.0,!=1.1.0-x"}).versions(), "a 1.1.0-rc.2");
}

TEST(Resolver, SharesAVersionThatSatisfiesAll) {
  // A diamond: x and y both require z.
  World world({{"a 1.0.0", {"x *", "y *"}},
               {"x 1.0.0", {"z 1.2.0"}},
               {"y 1.0.0", {"z 1"}},
               {"z 1.2.0", {}},
               {"z 1.3.0", {}}});
  EXPECT_EQ(world.asks({"a *"}).versions(), "a 1.0.0, x 1.0.0, y 1.0.0, z 1.2.0");
}

TEST(Resolver, SelectsVersionsSideBySideIfNoneSatisfiesAll) {
  World world({{"x 1.0.0", {"z 1"}},
               {"y 1.0.0", {"z 1.2.0"}},
               {"w 1.0.0", {"z 1.3.0"}},
               {"z 1.2.0", {}},
               {"z 1.3.0", {}},
               {"z 1.1.0", {}}});
  EXPECT_EQ(world.asks({"x *", "y *", "w *"}).versions(),
            "w 1.0.0, x 1.0.0, y 1.0.0, z 1.2.0, z 1.3.0");
  EXPECT_EQ(world.gets("x 1.0.0", "z"), "z 1.3.0");
  EXPECT_EQ(world.gets("y 1.0.0", "z"), "z 1.2.0");
  EXPECT_EQ(world.gets("w 1.0.0", "z"), "z 1.3.0");
}

TEST(Resolver, SharesAVersionAmongAsManyAsPossible) {
  World world({{"x 1.0.0", {"z ^1"}},
               {"y 1.0.0", {"z >=1.2,<1.5"}},
               {"w 1.0.0", {"z ^2"}},
               {"z 1.4.0", {}},
               {"z 1.9.0", {}},
               {"z 2.0.0", {}}});
  EXPECT_EQ(world.asks({"x *", "y *", "w *"}).versions(),
            "w 1.0.0, x 1.0.0, y 1.0.0, z 1.4.0, z 2.0.0");
}

TEST(Resolver, SkipsVersionsWithUnmetRequirements) {
  World world({{"a 2.0.0", {"b 2"}}, {"a 1.0.0", {"b 1"}}, {"b 1.0.0", {}}, {"b 2.0.0", {"c *"}}});
  EXPECT_EQ(world.asks({"a *"}).versions(), "a 1.0.0, b 1.0.0");
  EXPECT_TRUE(world.answer.conflicts.empty());
}

TEST(Resolver, ResolvesCircularRequirements) {
  World world({{"a 1.0.0", {"b *"}}, {"b 1.0.0", {"c *"}}, {"c 1.0.0", {"a *"}}});
  EXPECT_EQ(world.asks({"b *"}).versions(), "a 1.0.0, b 1.0.0, c 1.0.0");
  World broken({{"a 1.0.0", {"b *"}}, {"b 1.0.0", {"a *", "c *"}}});
  EXPECT_EQ(broken.asks({"a *"}).versions(), "");
  ASSERT_EQ(broken.answer.conflicts.size(), 1U);
  EXPECT_EQ(broken.answer.conflicts[0].error.code(), "missing-package");
}

TEST(Resolver, NamesABrokenModuleOnlyIfItWouldMeetTheRequirement) {
  const auto code = [](const std::string& requirement, std::optional<Version> broken) {
    World world({{"a 1.0.0", {"b " + requirement}}, {"b 1.0.0", {}}});
    world.repository.add_broken("b", {"wrong-directory", "b.so", std::move(broken)});
    EXPECT_EQ(world.asks({"a *"}).versions(), "");
    return std::string(world.answer.conflicts.at(0).error.code());
  };
  EXPECT_EQ(code("^2", version("2.1.0")), "wrong-directory");
  EXPECT_EQ(code("^3", version("2.1.0")), "no-matching-version");
  EXPECT_EQ(code("^3", std::nullopt), "wrong-directory");
}

TEST(Resolver, SkipsAVersionThatItsRequirementsExclude) {
  World world({{"n 2.0.0", {"m *"}}, {"n 1.0.0", {}}, {"m 1.0.0", {"n <2"}}});
  EXPECT_EQ(world.asks({"n *"}).versions(), "n 1.0.0");
}

TEST(Resolver, ResolvesRequirementsOnThePackageItself) {
  World world({{"a 1.0.0", {}}, {"a 1.5.0", {"a 1"}}, {"a 2.0.0", {"a 1"}}, {"b 1.0.0", {}}});
  EXPECT_EQ(world.asks({"a *", "b *"}).versions(), "a 1.5.0, a 2.0.0, b 1.0.0");
  EXPECT_EQ(world.gets("a 2.0.0", "a"), "a 1.5.0");
  EXPECT_EQ(world.gets("a 1.5.0", "a"), "a 1.5.0");
  EXPECT_EQ(world.gets("b 1.0.0", "b"), "b 1.0.0");
  EXPECT_EQ(world.gets("b 1.0.0", "a"), "none");
}

TEST(Resolver, FollowsTheLock) {
  const std::vector<std::pair<std::string, Texts>> packages = {
      {"x 1.0.0", {"z <2"}}, {"y 1.0.0", {"z >=1.5"}}, {"z 1.0.0", {}}, {"z 2.0.0", {}}};
  World first(packages);
  EXPECT_EQ(first.asks({"x *", "y *"}).versions(), "x 1.0.0, y 1.0.0, z 1.0.0, z 2.0.0");

  // A newer version could serve both.
  auto more = packages;
  more.push_back({"z 1.9.0", {}});
  World unlocked(more);
  EXPECT_EQ(unlocked.asks({"x *", "y *"}).versions(), "x 1.0.0, y 1.0.0, z 1.9.0");
  World locked(more);
  locked.asks({"x *", "y *"}).locked({"x 1.0.0", "y 1.0.0", "z 1.0.0", "z 2.0.0"});
  EXPECT_EQ(locked.versions(), "x 1.0.0, y 1.0.0, z 1.0.0, z 2.0.0");
  EXPECT_TRUE(locked.answer.within_lock);
}

TEST(Resolver, NeverViolatesARequirementForTheLock) {
  World world({{"a 1.0.0", {}}, {"a 2.0.0", {}}, {"b 1.0.0", {}}, {"b 2.0.0", {}}});
  world.asks({"a 2", "b *", "c *"}).locked({"a 1.0.0", "b 1.0.0", "b 9.0.0", "d 1.0.0"});
  EXPECT_EQ(world.versions(), "a 2.0.0, b 1.0.0");
  EXPECT_FALSE(world.answer.within_lock);
  EXPECT_EQ(world.answer.conflicts.size(), 1U);
}

TEST(Resolver, PrefersLockedVersionsAmongEquals) {
  // Two packages accept each version of z.
  World world({{"w 1.0.0", {"z >=2"}},
               {"x 1.0.0", {"z !=2.0.0"}},
               {"y 1.0.0", {"z <3"}},
               {"z 1.0.0", {}},
               {"z 2.0.0", {}},
               {"z 3.0.0", {}}});
  EXPECT_EQ(world.asks({"w *", "x *", "y *"}).versions(),
            "w 1.0.0, x 1.0.0, y 1.0.0, z 2.0.0, z 3.0.0");
  EXPECT_EQ(world.gets("x 1.0.0", "z"), "z 3.0.0");
  world.locked({"z 1.0.0"});
  EXPECT_EQ(world.versions(), "w 1.0.0, x 1.0.0, y 1.0.0, z 1.0.0, z 3.0.0");
  EXPECT_EQ(world.gets("x 1.0.0", "z"), "z 1.0.0");
}

TEST(Resolver, PrefersLockedVersionsToSharedOnes) {
  using Specs = std::vector<std::pair<std::string, Texts>>;
  const auto locked = [](const Specs& packages, const Texts& needs) {
    World world(packages);
    world.asks(needs).locked({"x 1.0.0", "z 1.0.0"});
    const std::string versions = world.versions();
    EXPECT_FALSE(world.answer.within_lock);
    return versions + "; x has " + world.gets("x 1.0.0", "z");
  };
  const Specs packages = {
      {"x 1.0.0", {"z *"}}, {"y 1.0.0", {"z 2"}}, {"z 1.0.0", {}}, {"z 2.0.0", {}}};
  EXPECT_EQ(locked(packages, {"x *", "y *"}), "x 1.0.0, y 1.0.0, z 1.0.0, z 2.0.0; x has z 1.0.0");
  // Requirements of several ranges, and of more packages.
  auto more = packages;
  more[1].second = {"z !=1.0.0"};
  more.push_back({"w 1.0.0", {"z 2 || 3"}});
  EXPECT_EQ(locked(more, {"x *", "y *", "w *"}),
            "w 1.0.0, x 1.0.0, y 1.0.0, z 1.0.0, z 2.0.0; x has z 1.0.0");
  // In a cycle, x becomes a requirer after z was chosen for the others.
  auto cycle = packages;
  cycle[3].second = {"x *"};
  EXPECT_EQ(locked(cycle, {"y *"}), "x 1.0.0, y 1.0.0, z 1.0.0, z 2.0.0; x has z 1.0.0");
}

TEST(Resolver, PrefersALockedPrereleaseToItsRelease) {
  const std::vector<std::pair<std::string, Texts>> packages = {
      {"x 1.0.0", {"z >=2.0.0-rc.1"}}, {"z 2.0.0-rc.1", {}}, {"z 2.0.0", {}}};
  World free(packages);
  EXPECT_EQ(free.asks({"x *"}).versions(), "x 1.0.0, z 2.0.0");
  World locked(packages);
  EXPECT_EQ(locked.asks({"x *"}).locked({"x 1.0.0", "z 2.0.0-rc.1"}).versions(),
            "x 1.0.0, z 2.0.0-rc.1");
}

TEST(Resolver, ReportsAllMissingPackagesAndRequirers) {
  World world({{"blur 1.2.0", {"colour ^2", "noise *"}},
               {"blur 1.1.0", {}},
               {"colour 1.4.0", {}},
               {"colour 1.6.2", {}}});
  world.asks({"blur ^1.2", "invert *", "colour >2,<1"});
  EXPECT_EQ(world.versions(), "");
  Texts texts;
  for (const auto& unmet : world.answer.conflicts) texts.push_back(unmet.error.to_string());
  const Texts expected = {
      "error[missing-package] photo 5.1: requires invert *\n"
      "   found   no package named invert\n"
      "   needed  invert *\n"
      "   fix     add a version of invert *",
      "error[contradictory-requirement] photo 5.1: requires colour >2,<1\n"
      "   found   colour >2,<1, which no version can meet\n"
      "   needed  colour >2,<1\n"
      "   fix     change the requirement of photo 5.1, or let photo 5.1 accept colour 1.6.2",
      "error[no-matching-version] photo 5.1: requires blur ^1.2; blur 1.2.0 requires colour ^2\n"
      "   found   colour 1.6.2, 1.4.0\n"
      "   needed  colour ^2\n"
      "   fix     add a version of colour ^2, or let photo 5.1 accept blur 1.1.0",
      "error[missing-package] photo 5.1: requires blur ^1.2; blur 1.2.0 requires noise *\n"
      "   found   no package named noise\n"
      "   needed  noise *\n"
      "   fix     add a version of noise *, or let photo 5.1 accept blur 1.1.0",
  };
  EXPECT_EQ(texts, expected);
  ASSERT_EQ(world.answer.conflicts[2].chain.size(), 2U);
  const auto& chain = world.answer.conflicts[2].chain;
  EXPECT_EQ(chain[0].root, 0U);
  EXPECT_EQ(text_of(world.repository, chain[0].provider), "blur 1.2.0");
  EXPECT_EQ(text_of(world.repository, chain[1].requirer), "blur 1.2.0");
  EXPECT_EQ(chain[1].dependency->name, "colour");
  EXPECT_EQ(chain[1].provider, none);
}

TEST(Resolver, SelectsOneVersionPerRequirer) {
  World world({{"a 1.0.0", {}}, {"a 2.0.0", {}}, {"a 3.0.0", {}}});
  world.question.roots = {{.name = "photo 5.1", .dependencies = {need("a <3"), need("a >1.0.0")}}};
  EXPECT_EQ(world.versions(), "a 2.0.0");

  world.question.roots = {{.name = "photo 5.1", .dependencies = {need("a 1"), need("a 2")}}};
  EXPECT_EQ(world.versions(), "");
  ASSERT_EQ(world.answer.conflicts.size(), 1U);
  const auto& error = world.answer.conflicts[0].error;
  EXPECT_EQ(error.code(), "version-conflict");
  EXPECT_EQ(error.message(), "requires a 1 and 2");
  EXPECT_EQ(error.found(), "1 accepts 1.0.0, 2 accepts 2.0.0");

  // Different roots may get different versions.
  world.question.roots = {{.name = "first", .dependencies = {need("a 1")}},
                          {.name = "second", .dependencies = {need("a 2")}}};
  EXPECT_EQ(world.versions(), "a 1.0.0, a 2.0.0");
}

TEST(Resolver, TreatsRequirementsOfDevPackagesAsAdvisory) {
  World world({{"b 1.0.0", {}}, {"b 2.0.0", {}}, {"c 1.0.0", {}}});
  auto dev = package("a 0.0.0", {"b 3", "c 1", "d *"});
  dev.dev = true;
  world.repository.add(std::move(dev)).value();
  EXPECT_EQ(world.asks({"a *"}).versions(), "a 0.0.0, b 2.0.0, c 1.0.0");
  EXPECT_TRUE(world.answer.conflicts.empty());
  ASSERT_EQ(world.answer.warnings.size(), 2U);
  EXPECT_EQ(world.answer.warnings[0].code(), "requirement-not-enforced");
  EXPECT_EQ(world.answer.warnings[0].severity(), Severity::warning);
  EXPECT_EQ(world.answer.warnings[0].found(), "b 2.0.0");
  EXPECT_EQ(world.answer.warnings[1].found(), "no usable version");
  EXPECT_EQ(world.gets("a 0.0.0", "d"), "none");
}

TEST(Repository, RefusesDuplicatePackages) {
  World world({{"a 1.0.0", {}}, {"a 1.0.0+b", {}}});
  const auto again = world.repository.add(package("a 1.0.0", {}));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), "duplicate-package");
  EXPECT_EQ(world.repository.size(), 2U);
}

TEST(Resolver, ResolvesALongChain) {
  Repository repository;
  constexpr int length = 100000;
  for (int i = 0; i < length; ++i) {
    Package link = {.name = std::to_string(i), .version = {.major = 1}};
    link.dependencies.push_back({.name = std::to_string(i + 1), .versions = need("x 1").versions});
    repository.add(std::move(link)).value();
  }
  const Problem question = {.roots = {{.name = "photo", .dependencies = {need("0 *")}}}};
  EXPECT_EQ(resolve(repository, question).conflicts.at(0).chain.size(), 1U + length);
  repository.add(package(std::to_string(length) + " 1.0.0", {"0 *"})).value();
  EXPECT_EQ(resolve(repository, question).packages.size(), 1U + length);
}

/// Random small repositories, with or without cycles, in which about half of the requirements can
/// be met.
class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}

  std::uint64_t pick(std::uint64_t below) {
    return std::uniform_int_distribution<std::uint64_t>(0, below - 1)(random_);
  }

  Dependency need(std::uint64_t first_name, std::uint64_t names) {
    static const char* const specs[] = {"*",     "1",     "2",    "1.0.0",  "1.1.0",
                                        "2.0.0", ">=1.1", "<2",   "3",      ">=2.0.0-a",
                                        "!=2",   "<1.1",  "^1.0", "2.0.0-a"};
    return {.name = std::string(1, static_cast<char>('a' + first_name + pick(names - first_name))),
            .versions = Requirement::parse(specs[pick(std::size(specs))]).value()};
  }

  /// Without cycles, a package requires only later names.
  std::vector<Package> packages(bool circles) {
    static const char* const versions[] = {"1.0.0", "1.1.0", "2.0.0-a", "2.0.0"};
    std::vector<Package> made;
    const auto names = 2 + pick(4);
    for (std::uint64_t name = 0; name < names; ++name) {
      for (const auto* text : versions) {
        if (pick(2) == 0 || made.size() == 11) continue;  // few, because all subsets are tried
        Package next = {.name = std::string(1, static_cast<char>('a' + name)),
                        .version = Version::parse(text).value()};
        const auto first = circles ? 0 : name + 1;
        for (auto count = pick(4); count > 0; --count) {
          // No package has the name after the last.
          next.dependencies.push_back(
              need(first, first == names || pick(6) == 0 ? names + 1 : names));
        }
        made.push_back(std::move(next));
      }
    }
    return made;
  }

  std::vector<Root> roots() {
    std::vector<Root> made(1 + pick(3));
    for (auto& root : made) {
      root.name = "root " + std::to_string(&root - made.data());
      for (auto count = 1 + pick(3); count > 0; --count) root.dependencies.push_back(need(0, 6));
    }
    return made;
  }

  void shuffle(std::vector<Package>& packages) {
    std::shuffle(packages.begin(), packages.end(), random_);
  }

 private:
  std::mt19937 random_;
};

Repository repository_of(const std::vector<Package>& packages) {
  Repository repository;
  for (const auto& package : packages) repository.add(package).value();
  return repository;
}

/// Groups requirements by name.
std::map<std::string, std::vector<const Dependency*>> by_name(const Dependencies& needs) {
  std::map<std::string, std::vector<const Dependency*>> result;
  for (const Dependency& need : needs) result[need.name].push_back(&need);
  return result;
}

bool meets(const Package& package, const std::vector<const Dependency*>& needs) {
  return std::all_of(needs.begin(), needs.end(), [&](const Dependency* need) {
    return need->name == package.name && need->versions.contains(package.version);
  });
}

/// Returns the usable packages: the union of all sets of packages in which all requirements are met
/// within the set. Tries all subsets.
std::set<std::size_t> usable(const std::vector<Package>& packages) {
  const auto bits = std::size_t(1) << packages.size();
  std::vector<std::vector<std::size_t>> met_by;  // of each group of needs: bits of who meets it
  for (const Package& package : packages) {
    met_by.emplace_back();
    for (const auto& [name, needs] : by_name(package.dependencies)) {
      std::size_t who = 0;
      for (std::size_t i = 0; i < packages.size(); ++i) {
        who |= static_cast<std::size_t>(meets(packages[i], needs)) << i;
      }
      met_by.back().push_back(who);
    }
  }
  std::size_t all = 0;
  for (std::size_t set = 0; set < bits; ++set) {
    bool closed = true;
    for (std::size_t i = 0; i < packages.size() && closed; ++i) {
      if ((set >> i & 1) == 0) continue;
      closed = std::all_of(met_by[i].begin(), met_by[i].end(),
                           [set](std::size_t who) { return (who & set) != 0; });
    }
    if (closed) all |= set;
  }
  std::set<std::size_t> result;
  for (std::size_t i = 0; i < packages.size(); ++i) {
    if (all >> i & 1) result.insert(i);
  }
  return result;
}

/// Returns the parts of a resolution that do not depend on ids.
Texts texts_of(const Repository& repository, const Problem& question, const Resolution& answer) {
  Texts texts;
  for (const PackageId id : answer.packages) texts.push_back(text_of(repository, id));
  for (const Binding& binding : answer.bindings) {
    texts.push_back((binding.root != none ? question.roots[binding.root].name
                                          : text_of(repository, binding.requirer)) +
                    " gets " + text_of(repository, binding.provider) + " for " +
                    binding.dependency->name);
  }
  for (const Conflict& unmet : answer.conflicts) texts.push_back(unmet.error.to_string());
  return texts;
}

Texts sorted(Texts texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

class RandomRepositories : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    seed = std::random_device()();
    random = Random(seed);
  }
  unsigned seed = 0;
  Random random{0};
};
INSTANTIATE_TEST_SUITE_P(Resolver, RandomRepositories, testing::Bool(), [](const auto& circles) {
  return circles.param ? "WithCircles" : "WithoutCircles";
});

TEST_P(RandomRepositories, ResolveCompletelyAndMinimally) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (int i = 0; i < 2000; ++i) {
    const auto packages = random.packages(GetParam());
    const auto repository = repository_of(packages);
    const Problem question = {.roots = random.roots()};
    const auto answer = resolve(repository, question);
    const auto usable_ones = usable(packages);

    // A requirement of a root is met if and only if a usable package meets it.
    bool all_met = true;
    for (std::uint32_t root = 0; root < question.roots.size(); ++root) {
      for (const auto& [name, needs] : by_name(question.roots[root].dependencies)) {
        const bool can =
            std::any_of(usable_ones.begin(), usable_ones.end(),
                        [&, &group = needs](std::size_t at) { return meets(packages[at], group); });
        all_met = all_met && can;
        const auto provider = answer.for_root(root, name);
        ASSERT_EQ(provider != none, can) << name;
        ASSERT_TRUE(!can || meets(repository.package(provider), needs));
      }
    }
    ASSERT_EQ(answer.conflicts.empty(), all_met);

    // Requirements of resolved packages are met by resolved packages.
    const std::set<PackageId> chosen(answer.packages.begin(), answer.packages.end());
    std::set<PackageId> provided;
    for (const Binding& binding : answer.bindings) {
      if (binding.provider != none && binding.provider != binding.requirer) {
        provided.insert(binding.provider);
      }
    }
    ASSERT_EQ(chosen, provided);
    for (const PackageId id : chosen) {
      for (const auto& [name, needs] : by_name(repository.package(id).dependencies)) {
        const auto provider = answer.for_package(repository, id, name);
        ASSERT_TRUE(chosen.contains(provider));
        ASSERT_TRUE(meets(repository.package(provider), needs));
      }
    }
  }
}

TEST_P(RandomRepositories, ResolveIndependentlyOfTheirOrder) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (int i = 0; i < 500; ++i) {
    auto packages = random.packages(GetParam());
    const auto repository = repository_of(packages);
    const Problem question = {.roots = random.roots()};
    const auto expected = texts_of(repository, question, resolve(repository, question));
    random.shuffle(packages);
    const auto shuffled = repository_of(packages);
    ASSERT_EQ(texts_of(shuffled, question, resolve(shuffled, question)), expected);
  }
}

TEST_P(RandomRepositories, AreStableWithTheirResultAsALock) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (int i = 0; i < 1000; ++i) {
    auto packages = random.packages(GetParam());
    random.shuffle(packages);
    // Some packages are added after the lock was written.
    const auto later = packages.size() / 3;
    const std::vector<Package> before(packages.begin() + static_cast<std::ptrdiff_t>(later),
                                      packages.end());
    const auto repository = repository_of(before);
    Problem question = {.roots = random.roots()};
    const auto answer = resolve(repository, question);
    if (!answer.conflicts.empty()) continue;
    const auto expected = texts_of(repository, question, answer);
    for (const PackageId id : answer.packages) {
      question.lock.emplace_back(repository.package(id).name, repository.package(id).version);
    }
    const auto all = repository_of(packages);
    const auto again = resolve(all, question);
    ASSERT_TRUE(again.within_lock);
    ASSERT_EQ(sorted(texts_of(all, question, again)), sorted(expected));
  }
}

// If one version satisfies all, the preferred one of these is shared. This is not guaranteed if
// requirements are circular.
TEST_P(RandomRepositories, ShareAVersionThatSatisfiesAll) {
  if (GetParam()) return;
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (int i = 0; i < 1000; ++i) {
    const auto packages = random.packages(false);
    const auto repository = repository_of(packages);
    const Problem question = {.roots = random.roots()};
    const auto answer = resolve(repository, question);
    const auto usable_ones = usable(packages);

    std::map<std::string, Requirement> all;  // the intersection of all requirements on a name
    std::map<std::string, std::set<PackageId>> given;
    for (const Binding& binding : answer.bindings) {
      if (binding.provider == none) continue;
      const auto& needs = binding.root != none ? question.roots[binding.root].dependencies
                                               : repository.package(binding.requirer).dependencies;
      for (const Dependency& need : needs) {
        if (need.name != binding.dependency->name) continue;
        const auto [known, is_new] = all.emplace(need.name, need.versions);
        if (!is_new) known->second = known->second & need.versions;
      }
      given[binding.dependency->name].insert(binding.provider);
    }
    for (const auto& [name, versions] : all) {
      PackageId best = none;
      for (const PackageId id : repository.versions(name)) {
        const bool fits =
            usable_ones.contains(id) && versions.contains(repository.package(id).version);
        if (fits && best == none) best = id;
      }
      ASSERT_TRUE(best == none || given[name] == std::set<PackageId>{best}) << name;
    }
  }
}

}}  // namespace tenon::detail
