// SPDX-License-Identifier: BSL-1.0
#include "catalog/registry.hpp"

#include <tenon/host.hpp>
#include <tenon/inspect.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <filesystem>
#include <initializer_list>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "unit/hand_made_kinds.hpp"
#include "unit/lone_modules.hpp"

namespace tenon::tests { namespace {

using detail::FileComparison;
using detail::Manifest;
using detail::Match;
using detail::Module;
using detail::ModuleOrigin;
using detail::Provided;
using detail::Reference;
using detail::Registration;
using detail::Registry;
using detail::total_order;
using detail::Version;

Provided tool(std::string name, std::int32_t version) {
  return {"test.example/tool", version, tool_fingerprint(version), std::move(name)};
}

/// A registry with modules that are never loaded.
class RegistryTest : public testing::Test {
 protected:
  /// Registers a standalone module. Returns the codes of excluded plugins.
  std::vector<std::string> add(const std::string& file, const std::string& package,
                               const std::string& version, std::vector<Provided> provides) {
    return add(ModuleOrigin{std::filesystem::path(file), nullptr}, package, version,
               std::move(provides));
  }
  std::vector<std::string> add_builtin(const std::string& package, const std::string& version,
                                       std::vector<Provided> provides) {
    return add(ModuleOrigin{{}, &builtin_}, package, version, std::move(provides));
  }

  /// Returns the plugin that a reference finds, as "file" or "builtin" with its versions, or the
  /// code of the error.
  std::string find(std::string_view text, std::int32_t target = 4) {
    const auto found = registry_.find(tool_kind(), target, reference(text));
    return found ? in_words(**found) : std::string(found.error().code());
  }
  std::string why_not(std::string_view text, std::int32_t target = 4) {
    const auto found = registry_.find(tool_kind(), target, reference(text));
    return found ? "found" : std::string(found.error().found());
  }

  static std::string in_words(const Registration& found) {
    return (found.builtin ? "builtin" : found.owner->file().string()) + " " +
           found.package_version().to_string() + " v" + std::to_string(found.version);
  }

  Registry registry_{std::make_shared<const detail::Bindings>(detail::Packages{})};
  std::vector<Error> left_out_;

 private:
  static Reference reference(std::string_view text) {
    return Reference::parse(text, "test.example").value();
  }

  std::vector<std::string> add(ModuleOrigin origin, const std::string& package,
                               const std::string& version, std::vector<Provided> provides) {
    Manifest manifest;
    manifest.name = package;
    manifest.version = Version::parse(version).value();
    manifest.provides = std::move(provides);
    const auto kept = std::make_shared<const Manifest>(std::move(manifest));
    const std::size_t before = registry_.problems().size();
    registry_.add({std::make_shared<Module>(std::move(origin), kept, lone_.context), kept}, files_);
    registry_.finish();
    left_out_ = registry_.problems();
    left_out_.erase(left_out_.begin(), left_out_.begin() + static_cast<std::ptrdiff_t>(before));
    std::vector<std::string> codes;
    for (const Error& error : left_out_) codes.emplace_back(error.code());
    return codes;
  }

  const LoneModules lone_{};
  tenon_module builtin_{};
  FileComparison files_;
};

using Codes = std::vector<std::string>;

TEST_F(RegistryTest, FindsByName) {
  EXPECT_EQ(add("a.so", "me.example/tools", "1.0.0", {tool("me.example/saw", 4)}), Codes());
  EXPECT_EQ(find("me.example/saw"), "a.so 1.0.0 v4");
  EXPECT_EQ(find("saw"), "not-found");
  EXPECT_EQ(why_not("saw"), "neither a standalone plugin nor a builtin; only me.example/saw");
}

/// Threads that ask at once get the same lists and descriptions.
TEST_F(RegistryTest, ListsAndDescribesForManyThreads) {
  constexpr int modules = 100;
  for (int i = 0; i < modules; ++i) {
    const std::string name = "me.example/m" + std::to_string(modules - i);
    add(name, name, "1.0.0", {tool(name, i % 2 == 0 ? 4 : 5)});
  }
  std::barrier all_ready(4);
  std::vector<std::vector<const void*>> seen(4);
  std::vector<std::thread> threads;
  for (auto& own : seen) {
    threads.emplace_back([&] {
      all_ready.arrive_and_wait();
      EXPECT_EQ(registry_.problems().size(), modules / 2);
      for (const Registration* one : registry_.all())
        own.push_back(one->owner->description().get());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen[0].size(), modules);
  for (const auto& other : seen) EXPECT_EQ(other, seen[0]);
}

TEST_F(RegistryTest, AddsTheDomainOnlyToLookups) {
  EXPECT_EQ(add("a.so", "me.example/tools", "1.0.0",
                {tool("test.example/saw", 4), tool("me.example/axe", 4)}),
            Codes());
  EXPECT_EQ(find("saw"), "a.so 1.0.0 v4");
  EXPECT_EQ(find("test.example/saw"), "a.so 1.0.0 v4");
  EXPECT_EQ(find("axe"), "not-found");
  Codes names;
  for (const Registration* one : registry_.all()) names.push_back(one->name());
  EXPECT_EQ(names, (Codes{"me.example/axe", "test.example/saw"}));
}

TEST_F(RegistryTest, AbbreviatesLongListsInErrors) {
  for (int i = 10; i < 23; ++i) {
    const std::string number = std::to_string(i);
    add(number + ".so", "me.example/tools", "1." + number + ".0", {tool("me.example/saw", 4)});
    add("n" + number + ".so", "me.example/n" + number, "1.0.0", {tool("me.example/n" + number, 4)});
  }
  const std::string versions = why_not("me.example/saw@3.0.0");
  EXPECT_EQ(versions.find("1.22.0 (standalone, version 4 of the kind), 1.21.0 "), 0u) << versions;
  EXPECT_NE(versions.find(" and 3 more; no builtin"), std::string::npos) << versions;
  EXPECT_EQ(why_not("me.example/axe"),
            "neither a standalone plugin nor a builtin; only me.example/n10, me.example/n11, "
            "me.example/n12, me.example/n13, me.example/n14, me.example/n15, me.example/n16, "
            "me.example/n17, me.example/n18, me.example/n19 and 4 more");
}

TEST_F(RegistryTest, PrefersTheNewestReleaseThenTheNewestKindVersion) {
  add("a.so", "me.example/tools", "1.9.0", {tool("me.example/saw", 4)});
  add("b.so", "me.example/tools", "1.10.0", {tool("me.example/saw", 3), tool("me.example/saw", 4)});
  add("c.so", "me.example/tools", "2.0.0-rc.1", {tool("me.example/saw", 4)});
  EXPECT_EQ(find("me.example/saw"), "b.so 1.10.0 v4");
  EXPECT_EQ(find("me.example/saw", 3), "b.so 1.10.0 v3");
  EXPECT_EQ(find("me.example/saw@1.9.0"), "a.so 1.9.0 v4");
  EXPECT_EQ(find("me.example/saw@2.0.0-rc.1"), "c.so 2.0.0-rc.1 v4");
  EXPECT_EQ(find("me.example/saw@3.0.0"), "not-found");
}

TEST_F(RegistryTest, FallsBackFromAMissingVersion) {
  add("a.so", "me.example/tools", "1.2.1", {tool("me.example/saw", 4)});
  add("b.so", "me.example/tools", "1.2.8", {tool("me.example/saw", 4)});
  add("c.so", "me.example/tools", "1.7.0", {tool("me.example/saw", 4)});
  add("d.so", "me.example/tools", "2.0.0", {tool("me.example/saw", 4)});
  EXPECT_EQ(find("me.example/saw@1.2.1"), "a.so 1.2.1 v4");
  EXPECT_EQ(find("me.example/saw@1.2.5"), "b.so 1.2.8 v4");
  EXPECT_EQ(find("me.example/saw@1.3.0"), "c.so 1.7.0 v4");
  EXPECT_EQ(find("me.example/saw@2.5.0"), "d.so 2.0.0 v4");
  EXPECT_EQ(find("me.example/saw@3.0.0"), "not-found");
  EXPECT_EQ(find("me.example/saw@^1.2"), "c.so 1.7.0 v4");
  EXPECT_EQ(find("me.example/saw@~1.2"), "b.so 1.2.8 v4");
  EXPECT_EQ(find("me.example/saw@>=3"), "not-found");
}

// A fallback is only for a version that is absent.
TEST_F(RegistryTest, DoesNotFallBackFromAnUnusableVersion) {
  add("a.so", "me.example/tools", "1.2.0", {tool("me.example/saw", 5)});
  add("b.so", "me.example/tools", "1.3.0", {tool("me.example/saw", 4)});
  EXPECT_EQ(find("me.example/saw@1.2.0"), "not-found");
  EXPECT_EQ(why_not("me.example/saw@1.2.0"),
            "1.3.0 (standalone, version 4 of the kind), 1.2.0 (standalone, version 5 of the kind, "
            "too new); no builtin");
  EXPECT_EQ(find("me.example/saw@1.2.1"), "b.so 1.3.0 v4");
  add_builtin("test.example/builtins", "1.0.0", {tool("me.example/saw", 4)});
  EXPECT_EQ(find("me.example/saw@1.0.0"), "builtin 1.0.0 v4") << "rather than standalone 1.3.0";
}

TEST_F(RegistryTest, DistinguishesBuildMetadata) {
  add("a.so", "me.example/tools", "1.0.0+a", {tool("me.example/saw", 4)});
  EXPECT_EQ(add("b.so", "me.example/tools", "1.0.0+b", {tool("me.example/saw", 4)}), Codes());
  EXPECT_EQ(find("me.example/saw@1.0.0+a"), "a.so 1.0.0+a v4");
  EXPECT_EQ(find("me.example/saw@1.0.0+b"), "b.so 1.0.0+b v4");
  EXPECT_EQ(find("me.example/saw@1.0.0"), "b.so 1.0.0+b v4");
  EXPECT_EQ(find("me.example/saw"), "b.so 1.0.0+b v4");
  EXPECT_EQ(find("me.example/saw@1.0.0+c"), "b.so 1.0.0+b v4") << "the fallback";
  EXPECT_EQ(find("me.example/saw@==1.0.0+a"), "a.so 1.0.0+a v4");
  EXPECT_EQ(add("c.so", "me.example/tools", "1.0.0+a", {tool("me.example/saw", 4)}),
            Codes{"duplicate-file"});
}

TEST_F(RegistryTest, ReportsBothOriginsInErrors) {
  add("a.so", "me.example/tools", "1.0.0", {tool("test.example/saw", 9)});
  EXPECT_EQ(why_not("saw"), "1.0.0 (standalone, version 9 of the kind, too new); no builtin");
  add_builtin("test.example/builtins", "9.0.0", {tool("test.example/saw", 4)});
  EXPECT_EQ(why_not("saw@7.0.0"),
            "1.0.0 (standalone, version 9 of the kind, too new); "
            "9.0.0 (builtin, version 4 of the kind)");
}

TEST_F(RegistryTest, FallsBackToAPrerelease) {
  add("a.so", "me.example/tools", "2.0.0-rc.1", {tool("me.example/saw", 4)});
  EXPECT_EQ(find("me.example/saw"), "a.so 2.0.0-rc.1 v4");
}

TEST_F(RegistryTest, PrefersStandaloneToBuiltinPlugins) {
  add_builtin("test.example/builtins", "9.0.0", {tool("test.example/saw", 4)});
  EXPECT_EQ(find("saw"), "builtin 9.0.0 v4");
  EXPECT_EQ(add("a.so", "me.example/tools", "1.0.0", {tool("test.example/saw", 3)}), Codes());
  EXPECT_EQ(find("saw"), "a.so 1.0.0 v3");
  EXPECT_EQ(find("builtin:saw"), "builtin 9.0.0 v4");
  EXPECT_EQ(find("standalone:saw"), "a.so 1.0.0 v3");
}

TEST_F(RegistryTest, ReportsTheOtherOriginInErrors) {
  add_builtin("test.example/builtins", "9.0.0", {tool("test.example/saw", 4)});
  EXPECT_EQ(find("standalone:saw"), "not-found");
  EXPECT_EQ(why_not("standalone:saw"), "9.0.0 (builtin, version 4 of the kind)");
}

TEST_F(RegistryTest, SkipsIncompatibleKindVersions) {
  add("a.so", "me.example/tools", "2.0.0", {tool("me.example/saw", 9)});
  add("b.so", "me.example/tools", "1.0.0", {tool("me.example/saw", 3)});
  EXPECT_EQ(find("me.example/saw"), "b.so 1.0.0 v3");
}

TEST_F(RegistryTest, ExcludesKindVersionsThatAreTooNew) {
  EXPECT_EQ(add("a.so", "me.example/tools", "1.0.0", {tool("me.example/saw", 5)}),
            Codes{"kind-too-new"});
  EXPECT_EQ(left_out_[0].where(), "a.so");
  EXPECT_EQ(left_out_[0].found(), "me.example/saw (test.example/tool version 5)");
  EXPECT_EQ(left_out_[0].needed(), "version 1 to 4 of test.example/tool");
  EXPECT_EQ(why_not("me.example/saw"),
            "1.0.0 (standalone, version 5 of the kind, too new); no builtin");
}

TEST_F(RegistryTest, ExcludesKindVersionsThatCannotBeAdapted) {
  for (const std::int32_t version : {1, 2}) {
    const std::string name = "me.example/saw" + std::to_string(version);
    EXPECT_EQ(
        add(name, "me.example/tools" + std::to_string(version), "1.0.0", {tool(name, version)}),
        Codes{"kind-not-adaptable"});
    EXPECT_EQ(left_out_[0].message(), tool_refusal);
    EXPECT_EQ(find(name), "not-found");
    EXPECT_NE(why_not(name).find(tool_refusal), std::string::npos);
  }
}

TEST_F(RegistryTest, ServesRequestsForOlderKindVersions) {
  add("a.so", "me.example/tools", "1.0.0", {tool("me.example/saw", 1)});
  EXPECT_EQ(find("me.example/saw", 1), "a.so 1.0.0 v1");
  EXPECT_EQ(find("me.example/saw", 2), "a.so 1.0.0 v1");
  EXPECT_EQ(find("me.example/saw", 3), "not-found");
  add("b.so", "me.example/tools", "2.0.0", {tool("me.example/saw", 4)});
  EXPECT_EQ(find("me.example/saw", 1), "a.so 1.0.0 v1") << "version 4 cannot be used as version 1";
}

TEST_F(RegistryTest, ExcludesAnotherSpecOfTheSameKindVersion) {
  Provided other = tool("me.example/saw", 4);
  other.fingerprint = 0xbad;
  EXPECT_EQ(add("a.so", "me.example/tools", "1.0.0", {other}), Codes{"kind-differs"});
  EXPECT_EQ(find("me.example/saw"), "not-found");
  EXPECT_NE(why_not("me.example/saw").find("another spec"), std::string::npos);
}

TEST_F(RegistryTest, KeepsCompatiblePluginsOfAModule) {
  EXPECT_EQ(add("a.so", "me.example/tools", "1.0.0",
                {tool("me.example/new", 5), tool("me.example/saw", 4)}),
            Codes{"kind-too-new"});
  EXPECT_EQ(left_out_[0].severity(), Severity::warning);
  EXPECT_EQ(find("me.example/saw"), "a.so 1.0.0 v4");
}

TEST_F(RegistryTest, GradesExcludedPlugins) {
  add("a.so", "me.example/a", "1.0.0", {tool("me.example/a", 5), tool("me.example/b", 5)});
  ASSERT_EQ(left_out_.size(), 2u);
  EXPECT_EQ(left_out_[0].severity(), Severity::error);
  EXPECT_EQ(left_out_[1].severity(), Severity::error);
  const Provided foreign{"other.example/thing", 1, 1, "me.example/thing"};
  EXPECT_EQ(add("b.so", "me.example/b", "1.0.0", {tool("me.example/c", 5), foreign}),
            (Codes{"kind-too-new", "unknown-kind"}));
  EXPECT_EQ(left_out_[0].severity(), Severity::error) << "no plugin of the module is usable here";
  EXPECT_EQ(left_out_[1].severity(), Severity::warning) << "another program may have it";
}

TEST_F(RegistryTest, ReportsModulesOfUnknownKinds) {
  EXPECT_EQ(
      add("a.so", "me.example/tools", "1.0.0", {{"other.example/thing", 1, 1, "me.example/thing"}}),
      Codes{"unknown-kind"});
  EXPECT_EQ(registry_.all().size(), 1u);
}

TEST_F(RegistryTest, KeepsANameForItsFirstPackage) {
  add("a.so", "me.example/tools", "1.0.0", {tool("me.example/saw", 4)});
  EXPECT_EQ(add("b.so", "you.example/tools", "2.0.0", {tool("me.example/saw", 4)}),
            Codes{"name-taken"});
  EXPECT_EQ(find("me.example/saw"), "a.so 1.0.0 v4");
  EXPECT_EQ(left_out_[0].where(), "b.so");
  EXPECT_NE(left_out_[0].needed().find("a.so"), std::string_view::npos) << "the first module";
}

/// A package has several modules. The error must name the one that has the plugin already.
TEST_F(RegistryTest, NamesTheModuleThatHasTheNameAlready) {
  const auto rival = [&] { return std::string(left_out_.at(0).needed()); };
  add("a.so", "me.example/tools", "1.0.0", {tool("me.example/saw", 3)});
  EXPECT_EQ(add("b.so", "me.example/tools", "1.0.0", {tool("me.example/saw", 4)}), Codes());
  EXPECT_EQ(add("c.so", "me.example/tools", "2.0.0", {tool("me.example/saw", 4)}), Codes());
  for (const auto& [version, kind_version, file] :
       {std::tuple("1.0.0", 3, "a.so"), {"1.0.0", 4, "b.so"}, {"2.0.0", 4, "c.so"}}) {
    EXPECT_EQ(add("late.so", "me.example/tools", version, {tool("me.example/saw", kind_version)}),
              Codes{"duplicate-file"});
    EXPECT_EQ(rival(), std::string("one file; the same is in ") + file);
  }
  EXPECT_EQ(add("d.so", "you.example/tools", "3.0.0", {tool("me.example/saw", 4)}),
            Codes{"name-taken"});
  EXPECT_EQ(rival(), "a name that package me.example/tools in a.so does not use");
  EXPECT_EQ(find("me.example/saw"), "c.so 2.0.0 v4");
  EXPECT_EQ(find("me.example/saw@1.0.0"), "b.so 1.0.0 v4");
}

TEST_F(RegistryTest, KeepsTheFirstOfTwoEqualModules) {
  add("a.so", "me.example/tools", "1.0.0", {tool("me.example/saw", 4)});
  EXPECT_EQ(add("b.so", "me.example/tools", "1.0.0", {tool("me.example/saw", 4)}),
            Codes{"duplicate-file"});
  EXPECT_EQ(find("me.example/saw"), "a.so 1.0.0 v4");
  EXPECT_NE(left_out_[0].needed().find("a.so"), std::string_view::npos) << "the first module";
  EXPECT_EQ(left_out_[0].severity(), Severity::warning) << "an equal module is used";
}

TEST_F(RegistryTest, ListsTheNewestPerName) {
  add("a.so", "me.example/tools", "1.0.0", {tool("me.example/saw", 4)});
  add("b.so", "me.example/tools", "2.0.0", {tool("me.example/saw", 4), tool("me.example/axe", 3)});
  add("c.so", "you.example/tools", "1.0.0", {tool("you.example/new", 5)});
  std::vector<std::string> names;
  for (const Registration* one : registry_.newest(tool_kind(), 4)) {
    names.push_back(one->name() + " " + in_words(*one));
  }
  EXPECT_EQ(names, (Codes{"me.example/axe b.so 2.0.0 v3", "me.example/saw b.so 2.0.0 v4"}));
}

TEST_F(RegistryTest, FindsRegistrationsOfAnyKind) {
  add_builtin("test.example/builtins", "9.0.0", {tool("test.example/saw", 4)});
  add("a.so", "me.example/tools", "1.0.0", {tool("test.example/saw", 5)});
  add("b.so", "me.example/tools", "2.0.0", {{"other.example/thing", 1, 1, "other.example/saw"}});
  const auto words = [&](std::string_view reference, std::string_view domain) {
    Codes all;
    const auto found =
        registry_.find_all(reference, domain.empty() ? std::nullopt : std::optional(domain));
    if (!found) return Codes{std::string(found.error().code())};
    for (const Registration* one : *found) all.push_back(in_words(*one));
    return all;
  };
  EXPECT_EQ(words("test.example/saw", ""), (Codes{"a.so 1.0.0 v5", "builtin 9.0.0 v4"}));
  EXPECT_EQ(words("saw", ""), (Codes{"b.so 2.0.0 v1", "a.so 1.0.0 v5", "builtin 9.0.0 v4"}));
  EXPECT_EQ(words("saw", "other.example"), (Codes{"b.so 2.0.0 v1"}));
  EXPECT_EQ(words("builtin:saw", ""), (Codes{"builtin 9.0.0 v4"}));
  EXPECT_EQ(words("axe", ""), Codes{"not-found"});
  add("c.so", "me.example/tools", "1.3.0", {tool("test.example/saw", 4)});
  EXPECT_EQ(words("test.example/saw@1.0.0", ""), (Codes{"a.so 1.0.0 v5"}));
  EXPECT_EQ(words("test.example/saw@9.0.0", ""), (Codes{"builtin 9.0.0 v4"}));
  EXPECT_EQ(registry_.find_all("test.example/saw@7.0.0", {}).error().found(),
            "test.example/saw 9.0.0 (builtin), 1.3.0 (standalone), 1.0.0 (standalone)");
  EXPECT_EQ(registry_.find_all("test.example/saw@^4", {}).error().found(),
            "test.example/saw 9.0.0 (builtin), 1.3.0 (standalone), 1.0.0 (standalone)");
  EXPECT_EQ(words("a b", ""), Codes{"bad-reference"});
}

/// Returns the expected result of `find`, by a linear search over all registrations.
const Registration* search(const Registry& registry, const Kind& kind, std::int32_t target,
                           const Reference& reference) {
  using Origin = Reference::Origin;
  std::vector<const Registration*> named;
  for (const Registration* one : registry.all()) {
    const bool origin =
        reference.origin == Origin::any || one->builtin == (reference.origin == Origin::builtin);
    if (one->kind() == kind.id && one->name() == reference.name && origin) named.push_back(one);
  }
  const auto match = [&](const Registration* one) {
    return reference.match(one->package_version());
  };
  const bool there = reference.version && std::ranges::any_of(named, [&](auto* one) {
                       return match(one) == Match::exact;
                     });
  const auto rank = [&](const Registration* one) {
    return std::tuple(one->builtin, *match(one), !one->package_version().prerelease.empty());
  };
  const Registration* best = nullptr;
  for (const Registration* one : named) {
    const KindVersion* version = kind.find(one->version);
    if (version == nullptr || version->fingerprint != one->fingerprint) continue;
    if (!version->serves(target) || !match(one) || (there && match(one) != Match::exact)) continue;
    const auto newer = [&] {
      const auto order = total_order(one->package_version(), best->package_version());
      return order != 0 ? order > 0 : one->version > best->version;
    };
    if (best == nullptr || rank(one) < rank(best) || (rank(one) == rank(best) && newer())) {
      best = one;
    }
  }
  return best;
}

TEST_F(RegistryTest, FindsTheSameAsALinearSearch) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto pick = [&random](std::initializer_list<const char*> texts) {
    return std::string(*(texts.begin() + random() % texts.size()));
  };
  const auto version = [&] {
    return pick({"0", "1", "2"}) + "." + pick({"0", "1", "9", "10"}) + "." + pick({"0", "3"}) +
           pick({"", "", "", "-rc.1", "-rc.2", "+b7", "+b8"});
  };
  const auto name = [&] {
    return pick({"me.example/saw", "test.example/saw", "test.example/axe", "me.example/adze"});
  };
  for (int i = 0; i < 150; ++i) {
    std::vector<Provided> provides;
    const std::string one = name();
    const std::int32_t kind_version = 1 + static_cast<std::int32_t>(random() % 5);
    provides.push_back(tool(one, kind_version));
    if (random() % 8 == 0) ++provides[0].fingerprint;
    if (random() % 4 == 0) provides.push_back({"other.example/thing", 1, 1, one});
    if (random() % 3 == 0) {
      add_builtin("test.example/builtins", version(), std::move(provides));
    } else {
      add(std::to_string(i) + ".so", "me.example/tools", version(), std::move(provides));
    }
  }
  for (int i = 0; i < 2000; ++i) {
    const std::string bare = name();
    const std::string text = pick({"", "", "builtin:", "standalone:"}) + bare +
                             pick({"@", "@", "@^", "@~", "@>="}) + version();
    SCOPED_TRACE(text);
    const auto target = 1 + static_cast<std::int32_t>(random() % 4);
    const auto parsed = Reference::parse(text, "test.example");
    if (parsed) {
      const auto found = registry_.find(tool_kind(), target, *parsed);
      ASSERT_EQ(found ? *found : nullptr, search(registry_, tool_kind(), target, *parsed));
    }
    const Reference plain{.name = bare};
    const auto found = registry_.find(tool_kind(), target, plain);
    ASSERT_EQ(found ? *found : nullptr, search(registry_, tool_kind(), target, plain));
    ASSERT_EQ(found ? *found : nullptr, registry_.find_plain(tool_kind(), target, bare));
  }
  for (const Registration* one : registry_.newest(tool_kind(), 4)) {
    EXPECT_EQ(one, *registry_.find(tool_kind(), 4, {.name = one->name()}));
  }
}

TEST_F(RegistryTest, ListsAllByKindThenName) {
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    const std::string number = std::to_string(random() % 10'000);
    add(number + ".so", "me.example/" + number, "1.0.0",
        {{"k.example/" + std::to_string(i % 7), 1, 1, "me.example/" + number}});
  }
  const auto all = registry_.all();
  const auto key = [](const Registration* one) { return std::tie(one->kind(), one->name()); };
  EXPECT_GT(all.size(), 90u);
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, key));
}

tenon_module builtin_with(std::string_view manifest) {
  tenon_module builtin{};
  builtin.manifest = manifest.data();
  builtin.manifest_size = manifest.size();
  return builtin;
}

constexpr std::string_view late_manifest =
    R"({"manifest":1,"name":"late.example/a","provides":[{"kind":"late.example/thing","version":1,)"
    R"("spec":"00000000000000ff","name":"late.example/a"}],"details":[{"summary":"late",)"
    R"("properties":{"late.example/a":{"menu":"Edit"}}}]})";
const KindVersion late_versions[] = {{1, false, 0xff, sizeof(tenon_table), 0, {}, {}, nullptr}};
const Kind late_kind{"late.example/thing", false, late_versions};

TEST(PluginInfos, IncludeKindsOfLibrariesLoadedLater) {
  if (find_kind(late_kind.id) != nullptr) GTEST_SKIP() << "the test ran before in this process";
  const tenon_module builtin = builtin_with(late_manifest);
  const Host host({.app = "", .builtins = {&builtin}});
  const PluginInfo before = host.find(late_kind, "late.example/a").value();
  EXPECT_EQ(before.compatibility().grade, CompatibilityGrade::unknown_kind);
  const KindRegistration late(late_kind);
  EXPECT_EQ(host.find(late_kind, "late.example/a").value().compatibility().grade,
            CompatibilityGrade::latest);
  EXPECT_EQ(host.registered().at(0).compatibility().grade, CompatibilityGrade::latest);
  EXPECT_EQ(before.compatibility().grade, CompatibilityGrade::unknown_kind)
      << "what was handed out never changes";
}

TEST(PluginInfos, OutliveTheHost) {
  const tenon_module builtin = builtin_with(late_manifest);
  PluginInfo info;
  EXPECT_EQ(info.name() + info.package() + info.package_version() + info.file().string(), "");
  EXPECT_TRUE(info.properties().empty());
  EXPECT_FALSE(info.offers("apply"));
  {
    const Host host({.app = "", .builtins = {&builtin}});
    info = host.find(late_kind, "a").value();
  }
  PluginInfo moved = std::move(info);
  EXPECT_EQ(moved.name(), "late.example/a");
  EXPECT_EQ(moved.package_version(), "0.0.0");
  EXPECT_EQ(moved.summary(), "late");
  EXPECT_EQ(moved.property("menu"), "Edit");
  EXPECT_EQ(info.property("menu"), "");  // NOLINT(bugprone-use-after-move): it must be empty
}

}}  // namespace tenon::tests
