// SPDX-License-Identifier: BSL-1.0
#include "package/semver.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace tenon::detail { namespace {

Version version(const std::string& text) {
  return Version::parse(text).value();
}

TEST(Version, ParsesItsParts) {
  const auto read = version("1.20.300-rc.1.x-y+build.007");
  EXPECT_EQ(read.major, 1U);
  EXPECT_EQ(read.minor, 20U);
  EXPECT_EQ(read.patch, 300U);
  EXPECT_EQ(read.prerelease, "rc.1.x-y");
  EXPECT_EQ(read.build, "build.007");
}

// The lists that semver.org points to.
TEST(Version, AcceptsTheExamplesOfTheStandard) {
  for (const std::string text : {"0.0.4",
                                 "1.2.3",
                                 "10.20.30",
                                 "1.1.2-prerelease+meta",
                                 "1.1.2+meta",
                                 "1.1.2+meta-valid",
                                 "1.0.0-alpha",
                                 "1.0.0-beta",
                                 "1.0.0-alpha.beta",
                                 "1.0.0-alpha.beta.1",
                                 "1.0.0-alpha.1",
                                 "1.0.0-alpha0.valid",
                                 "1.0.0-alpha.0valid",
                                 "1.0.0-alpha-a.b-c-somethinglong+build.1-aef.1-its-okay",
                                 "1.0.0-rc.1+build.1",
                                 "2.0.0-rc.1+build.123",
                                 "1.2.3-beta",
                                 "10.2.3-DEV-SNAPSHOT",
                                 "1.2.3-SNAPSHOT-123",
                                 "1.0.0",
                                 "2.0.0",
                                 "1.1.7",
                                 "2.0.0+build.1848",
                                 "2.0.1-alpha.1227",
                                 "1.0.0-alpha+beta",
                                 "1.2.3----RC-SNAPSHOT.12.9.1--.12+788",
                                 "1.2.3----R-S.12.9.1--.12+meta",
                                 "1.2.3----RC-SNAPSHOT.12.9.1--.12",
                                 "1.0.0+0.build.1-rc.10000aaa-kk-0.1",
                                 "1.0.0-0A.is.legal",
                                 "18446744073709551615.0.0",
                                 "1.0.0-99999999999999999999999"}) {
    const auto read = Version::parse(text);
    ASSERT_TRUE(read) << text << ": " << read.error().to_string();
    EXPECT_EQ(read->to_string(), text);
  }
}

TEST(Version, RefusesTheCounterexamplesOfTheStandard) {
  for (const std::string text : {"",
                                 "1",
                                 "1.2",
                                 "1.2.3-0123",
                                 "1.2.3-0123.0123",
                                 "1.1.2+.123",
                                 "+invalid",
                                 "-invalid",
                                 "-invalid+invalid",
                                 "-invalid.01",
                                 "alpha",
                                 "alpha.beta",
                                 "alpha.beta.1",
                                 "alpha.1",
                                 "alpha+beta",
                                 "alpha_beta",
                                 "alpha.",
                                 "alpha..",
                                 "beta",
                                 "1.0.0-alpha_beta",
                                 "-alpha.",
                                 "1.0.0-alpha..",
                                 "1.0.0-alpha..1",
                                 "1.0.0-alpha...1",
                                 "01.1.1",
                                 "1.01.1",
                                 "1.1.01",
                                 "1.2.3.DEV",
                                 "1.2-SNAPSHOT",
                                 "1.2.31.2.3----RC-SNAPSHOT.12.09.1--..12+788",
                                 "1.2-RC-SNAPSHOT",
                                 "-1.0.3-gamma+b7718",
                                 "+justmeta",
                                 "9.8.7+meta+meta",
                                 "9.8.7-whatever+meta+meta",
                                 "v1.2.3",
                                 " 1.2.3",
                                 "1.2.3 ",
                                 "1.2.3\n",
                                 "1.2.3-",
                                 "1.2.3+",
                                 "1..3",
                                 "1.2.",
                                 ".1.2",
                                 "1.2.3.4",
                                 "1.2.\u0663",
                                 "+1.2.3",
                                 "1.0x.0",
                                 "18446744073709551616.0.0"}) {
    const auto read = Version::parse(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code(), "bad-version");
    EXPECT_FALSE(read.error().found().empty());
    EXPECT_FALSE(read.error().fix().empty());
  }
}

TEST(Version, ReportsNumbersThatAreTooLarge) {
  EXPECT_EQ(Version::parse("1.99999999999999999999.0").error().found(),
            "a number does not fit in 64 bits");
}

TEST(Version, FollowsTheOrderOfTheStandard) {
  const std::vector<std::string> ordered = {"1.0.0-0",
                                            "1.0.0-1",
                                            "1.0.0-9999999999999999999999",
                                            "1.0.0-10000000000000000000000",
                                            "1.0.0-alpha",
                                            "1.0.0-alpha.1",
                                            "1.0.0-alpha.beta",
                                            "1.0.0-beta",
                                            "1.0.0-beta.2",
                                            "1.0.0-beta.11",
                                            "1.0.0-rc.1",
                                            "1.0.0",
                                            "2.0.0",
                                            "2.1.0",
                                            "2.1.1",
                                            "2.10.0",
                                            "10.0.0"};
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (std::size_t j = 0; j < ordered.size(); ++j) {
      EXPECT_EQ(version(ordered[i]) <=> version(ordered[j]), i <=> j)
          << ordered[i] << " and " << ordered[j];
    }
  }
}

TEST(Version, IgnoresBuildMetadataInComparisons) {
  EXPECT_EQ(version("1.0.0+a"), version("1.0.0+b"));
  EXPECT_EQ(version("1.0.0-rc.1+a"), version("1.0.0-rc.1"));
}

// Versions with few different parts, so that equal and nearly equal ones are frequent.
class RandomVersions {
 public:
  explicit RandomVersions(unsigned seed) : random_(seed) {}

  Version next() {
    static const char* const identifiers[] = {"0", "1", "2", "10", "a", "B", "a-1", "-"};
    Version made{.major = pick(3), .minor = pick(3), .patch = pick(3)};
    for (auto count = pick(4); count > 0; --count) {
      if (!made.prerelease.empty()) made.prerelease += '.';
      made.prerelease += identifiers[pick(8)];
    }
    if (pick(2) == 1) made.build = "001";
    return made;
  }

 private:
  std::uint64_t pick(std::uint64_t below) {
    return std::uniform_int_distribution<std::uint64_t>(0, below - 1)(random_);
  }

  std::mt19937 random_;
};

TEST(Version, IsTotallyOrderedAndRoundTrips) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomVersions versions(seed);
  for (int i = 0; i < 20000; ++i) {
    const auto a = versions.next();
    const auto b = versions.next();
    const auto c = versions.next();
    ASSERT_EQ(a <=> b, 0 <=> (b <=> a)) << a.to_string() << " " << b.to_string();
    if (a <= b && b <= c) {
      ASSERT_LE(a, c) << a.to_string() << " " << b.to_string() << " " << c.to_string();
    }
    ASSERT_EQ(version(a.to_string()).to_string(), a.to_string());
    ASSERT_EQ(version(a.to_string()), a);
  }
}

}}  // namespace tenon::detail
