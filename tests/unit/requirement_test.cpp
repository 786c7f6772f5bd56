// SPDX-License-Identifier: BSL-1.0
#include "package/requirement.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tenon::detail { namespace {

Version version(const std::string& text) {
  return Version::parse(text).value();
}

Requirement requirement(const std::string& text) {
  return Requirement::parse(text).value();
}

struct Example {
  std::string text;
  std::vector<std::string> takes;
  std::vector<std::string> refuses;
};

TEST(Requirement, ContainsMatchingVersions) {
  const Example examples[] = {
      {"1", {"1.0.0", "1.9.9", "1.0.0+b"}, {"0.9.9", "2.0.0", "1.0.0-rc.1", "2.0.0-rc.1"}},
      {"1.2", {"1.2.0", "1.2.9"}, {"1.1.9", "1.3.0"}},
      {"1.2.3", {"1.2.3", "1.2.3+b7"}, {"1.2.4", "1.2.3-rc.1", "1.2.4-0"}},
      {"", {"0.0.0", "0.9.9"}, {"1.0.0", "0.0.0-0", "1.0.0-0"}},
      {" \t", {"0.0.0"}, {"1.0.0"}},
      {"*", {"0.0.0", "9.0.0"}, {"1.0.0-rc.1"}},
      {">1", {"2.0.0"}, {"1.9.9", "1.0.1", "2.0.0-rc.1"}},
      {">1.2", {"1.3.0"}, {"1.2.9", "1.2.0"}},
      {">1.2.3", {"1.2.4"}, {"1.2.3", "1.2.3+b"}},
      {"<=1", {"1.9.9", "0.0.0"}, {"2.0.0", "2.0.0-0"}},
      {"<=1.2.3", {"1.2.3", "1.2.3+b"}, {"1.2.4", "1.2.4-0"}},
      {"<1.2", {"1.1.9"}, {"1.2.0", "1.2.0-0"}},
      {"!=1.5", {"1.4.9", "1.6.0"}, {"1.5.0", "1.5.9"}},
      {">=1.2,<2.0,!=1.5", {"1.2.0", "1.4.9", "1.6.0"}, {"1.1.0", "1.5.0", "1.5.7", "2.0.0"}},
      {" >= 1.2 , < 2.0 ", {"1.2.0"}, {"2.0.0"}},
      {"==1.*", {"1.0.0", "1.9.0"}, {"2.0.0"}},
      {"1.2.*", {"1.2.9"}, {"1.3.0"}},
      {"!=1.*.*", {"2.0.0"}, {"1.5.0"}},
      {">=1.*", {"1.0.0", "2.0.0"}, {"0.9.9"}},
      {">1.*,<3.*", {"2.0.0"}, {"1.9.9", "3.0.0"}},
      {"<=1.2.*", {"1.2.9"}, {"1.3.0"}},
      {"^1.*", {"1.9.0"}, {"2.0.0"}},
      {"~=1.4.*", {"1.9.0"}, {"2.0.0", "1.3.9"}},
      {"==*", {"0.0.0", "9.0.0"}, {"1.0.0-rc.1"}},
      {"= *", {"0.0.0", "9.0.0"}, {"1.0.0-rc.1"}},
      {">=*", {"0.0.0", "9.0.0"}, {"1.0.0-rc.1"}},
      {">=*.*.*,<2", {"0.0.0", "1.0.0"}, {"2.0.0"}},
      {"*.*", {"0.0.0"}, {"1.0.0-rc.1"}},
      {"< = 2 .1", {"0.0.0", "2.1.9"}, {"2.2.0"}},
      {" = = 1 . 2\t. 3 ", {"1.2.3"}, {"1.2.4"}},
      {"! = 1 .5 , > = 1 . 2 || ~ = 3", {"1.2.0", "3.1.0"}, {"1.5.1", "1.1.0"}},
      {"> = 1.2.0-rc .1", {"1.2.0-rc.1", "1.2.0"}, {"1.2.0-beta"}},
      {"~1.2.3", {"1.2.3", "1.2.9"}, {"1.3.0", "1.2.2"}},
      {"~1.2", {"1.2.0"}, {"1.3.0"}},
      {"~1", {"1.9.0"}, {"2.0.0"}},
      {"~=1.4", {"1.4.0", "1.9.0"}, {"2.0.0", "1.3.9"}},
      {"~=1.4.5", {"1.4.5", "1.4.9"}, {"1.5.0", "1.4.4"}},
      {"~=1", {"1.9.0"}, {"2.0.0"}},
      {"^1.2.3", {"1.2.3", "1.9.0"}, {"2.0.0", "1.2.2", "2.0.0-rc.1"}},
      {"^0.2.3", {"0.2.3", "0.2.9"}, {"0.3.0"}},
      {"^0.0.3", {"0.0.3"}, {"0.0.4", "0.0.2"}},
      {"^0.0", {"0.0.0", "0.0.9"}, {"0.1.0"}},
      {"^0", {"0.0.0", "0.9.0"}, {"1.0.0"}},
      {"^1.4 || ^3", {"1.4.0", "3.1.0"}, {"2.0.0", "1.3.0"}},
      {">2,<1", {}, {"1.0.0", "2.0.0"}},
  };
  for (const auto& [text, takes, refuses] : examples) {
    const auto read = requirement(text);
    for (const auto& v : takes) EXPECT_TRUE(read.contains(version(v))) << text << " takes " << v;
    for (const auto& v : refuses) {
      EXPECT_FALSE(read.contains(version(v))) << text << " refuses " << v;
    }
    EXPECT_EQ(read.empty(), takes.empty()) << text;
  }
}

TEST(Requirement, ContainsPrereleasesOnlyIfNamed) {
  const Example examples[] = {
      {">=1.2.0-rc.1", {"1.2.0-rc.1", "1.2.0-rc.2", "1.2.0"}, {"1.2.0-beta", "1.3.0-rc.1"}},
      {"1.2.0-rc.1", {"1.2.0-rc.1", "1.2.0-rc.1+b"}, {"1.2.0", "1.2.0-rc.1.0"}},
      {"^1.2.0-rc.1", {"1.2.0-rc.1", "1.2.0-x", "1.9.0"}, {"1.3.0-rc.1", "2.0.0-rc.1"}},
      {"~1.2.0-rc.1", {"1.2.0-rc.1", "1.2.9"}, {"1.2.1-rc.1", "1.3.0-rc.1"}},
      {"~=1.2.0-rc.1", {"1.2.0-rc.1", "1.2.9"}, {"1.3.0"}},
      {"^0.0.3-a", {"0.0.3-a", "0.0.3"}, {"0.0.4-a", "0.0.4"}},
      {"<1.2.0-rc.2", {"1.2.0-rc.1", "1.2.0-0", "1.1.0"}, {"1.2.0-rc.2", "1.2.0", "1.1.0-a"}},
      {">=1.0,<1.2.0,!=1.2.0-rc.1", {"1.0.0"}, {"1.2.0-rc.2", "1.2.0-0"}},
      {">=1.0,!=1.2.0-rc.1", {"1.2.0-rc.2", "1.3.0"}, {"1.2.0-rc.1", "1.3.0-rc.1"}},
      {"<=1.2.0,>=1.2.0-rc.1", {"1.2.0-rc.1", "1.2.0"}, {"1.2.1"}},
      {">1,>=2.0.0-rc.1", {"2.0.0"}, {"2.0.0-rc.1"}},
      {">1.2.3,>=1.2.4-rc.1", {"1.2.4-rc.1", "1.2.4"}, {"1.2.4-beta"}},
      // Prereleases are named separately in each alternative.
      {">=1 || 2.0.0-rc.1", {"1.0.0", "2.0.0-rc.1"}, {"2.0.0-rc.2"}},
  };
  for (const auto& [text, takes, refuses] : examples) {
    const auto read = requirement(text);
    for (const auto& v : takes) EXPECT_TRUE(read.contains(version(v))) << text << " takes " << v;
    for (const auto& v : refuses) {
      EXPECT_FALSE(read.contains(version(v))) << text << " refuses " << v;
    }
  }
}

// Simple clauses have a fast path. An additional alternative that no version matches forces the
// general path, and must not change the result.
TEST(Requirement, IsTheSameOnTheFastPath) {
  const char* const operators[] = {"", "=", "==", "<", "<=", ">", ">=", "~", "~=", "^"};
  const char* const numbers[] = {"0",     "1",     "2",     "0.0",   "0.1",   "1.0",   "1.2",
                                 "0.0.0", "0.0.3", "0.2.0", "0.2.3", "1.0.0", "1.2.3", "10.20.30"};
  std::vector<std::string> clauses;
  for (const char* op : operators) {
    for (const char* number : numbers) clauses.push_back(std::string(op) + number);
  }
  for (const std::string& one : clauses) {
    EXPECT_EQ(requirement(one), requirement(one + " || <0.0.0")) << one;
    for (const std::string& other : clauses) {
      const std::string both = one + " , " + other;
      ASSERT_EQ(requirement(both), requirement(both + " || <0.0.0")) << both;
    }
  }
}

TEST(Requirement, ComparesBuildMetadataOnlyIfNamed) {
  EXPECT_TRUE(requirement("1.2.3+b7").contains(version("1.2.3+b7")));
  EXPECT_FALSE(requirement("1.2.3+b7").contains(version("1.2.3")));
  EXPECT_FALSE(requirement("==1.2.3+b7").contains(version("1.2.3+b8")));
  EXPECT_FALSE(requirement("!=1.2.3+b7").contains(version("1.2.3+b7")));
  EXPECT_TRUE(requirement("!=1.2.3+b7").contains(version("1.2.3")));
  EXPECT_FALSE(requirement("!=1.2.3").contains(version("1.2.3+b7")));
}

TEST(Requirement, SupportsTheFullRangeOf64Bits) {
  const std::string most = "18446744073709551615";
  for (const std::string& text :
       {most, "1." + most, "1.2." + most, "^" + most, "~=" + most + ".1", "^0." + most + ".1",
        "^0.0." + most, "~1." + most, "<=" + most, most + "." + most + "." + most}) {
    const auto read = requirement(text);
    EXPECT_FALSE(read.empty()) << text;
    EXPECT_EQ(requirement((read | read).to_string()), read) << text;
  }
  EXPECT_TRUE(requirement(">" + most).empty());
  EXPECT_TRUE(requirement("^0." + most + ".1").contains(version("0." + most + ".2")));
  EXPECT_FALSE(requirement("^0." + most + ".1").contains(version("1.0.0")));
}

TEST(Requirement, ReportsErrorsWithPositions) {
  const std::array<std::string, 3> examples[] = {
      {">=1.2,<x", "\"x\" at character 8: major, minor and patch", ""},
      {">=1.2,", "at character 7: a clause is empty", "write a clause"},
      {"1 || ", "at character 5: a clause is empty", "write a clause"},
      {">=", "\">=\" at character 1: there is no version after the operator", ""},
      {"v1.2.3", "\"v1.2.3\" at character 1", "leave out the \"v\""},
      {">=1.2 <2.0", "at character 3: there is a space", "a comma between"},
      {"1.2 2.0", "\"1.2 2.0\" at character 1: there is a space", "a comma between"},
      {"1.2.3 - 2.3.4", "\"1.2.3 - 2.3.4\" at character 1: there is a space", "a comma between"},
      {"1.2.3 -rc.1", "there is a space", "a comma between"},
      {"1 . 2 . 3 , < = x", "\"x\" at character 17: major, minor and patch", ""},
      {"> = 1 .2 ,", "at character 11: a clause is empty", "write a clause"},
      {"~ = 1 . * . *, >=1 2", "\"1 2\" at character 18: there is a space", "a comma between"},
      {"1.2.3.*", "can only replace minor or patch", ""},
      {"1.2.*.*", "can only replace minor or patch", ""},
      {">=1.2.3+b", "build metadata has no order", "use == or !="},
      {"1.02", "a number has a leading zero", ""},
      {"99999999999999999999", "a number does not fit in 64 bits", ""},
      {"1.2-rc", "there are fewer than three numbers", ""},
      {">*", "\"*\" at character 2: no version is", "write * alone"},
      {"!= *.*", "\"*.*\" at character 4: no version is", "write * alone"},
      {"*.1", "\"*.1\" at character 1", ""},
      {"1\n", "\"1\\x0a\" at character 1", ""},
      {"1.2.", "at character 1", ""},
      {std::string(1001, ' '), "", ""},
      {"1" + std::string(1000, ' ') + ",2", "more than 1000 characters", ""},
  };
  for (const auto& [text, found, fix] : examples) {
    const auto read = Requirement::parse(text);
    if (found.empty()) continue;
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code(), "bad-requirement");
    EXPECT_NE(read.error().found().find(found), std::string::npos) << read.error().to_string();
    EXPECT_NE(read.error().fix().find(fix), std::string::npos) << read.error().to_string();
    EXPECT_FALSE(read.error().needed().empty());
    EXPECT_FALSE(read.error().where().empty());
  }
}

TEST(Requirement, PrintsItsTextOrTheShortestForm) {
  EXPECT_EQ(requirement(" >=1.2, <2 ").to_string(), ">=1.2, <2");
  EXPECT_EQ(requirement("").to_string(), "0");
  const std::pair<std::string, std::string> examples[] = {
      {"*", "*"},
      {"1.*", "1"},
      {"==1.2", "1.2"},
      {"=1.2.3", "1.2.3"},
      {">=1.2.3,<2", "^1.2.3"},
      {">=1.2.3,<1.3", "~1.2.3"},
      {"^0.2.3", "~0.2.3"},
      {"<1", "0"},
      {">=1,<3", ">=1.0.0,<3.0.0"},
      {">=1.2,<2.0,!=1.5", ">=1.2.0,<1.5.0 || ^1.6.0"},
      {"^1.2.0-rc.1", "^1.2.0-rc.1"},
      {"1.2.0-rc.1", "1.2.0-rc.1"},
      {"!=1.2.3+b7", "*,!=1.2.3+b7"},
      {"1.2.3+b7", "1.2.3+b7"},
      {">2,<1", "<0.0.0"},
  };
  for (const auto& [text, words] : examples) {
    const auto read = requirement(text);
    EXPECT_EQ((read & read).to_string(), words) << text;
  }
}

/// Random requirements on few versions, so that they often overlap.
class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}

  std::uint64_t pick(std::uint64_t below) {
    return std::uniform_int_distribution<std::uint64_t>(0, below - 1)(random_);
  }

  struct Clause {
    std::string op;
    std::array<std::uint64_t, 3> numbers;
    int count;
    std::string prerelease;
    std::string build;

    Version low() const { return {numbers[0], numbers[1], numbers[2], prerelease, build}; }

    std::string text() const {
      std::string words = op;
      for (int i = 0; i < count; ++i) words += (i ? "." : "") + std::to_string(numbers[i]);
      if (!prerelease.empty()) words += "-" + prerelease;
      if (!build.empty()) words += "+" + build;
      return words;
    }
  };

  Clause clause() {
    static const char* const ops[] = {"", "==", "=", "!=", "<", "<=", ">", ">=", "~=", "~", "^"};
    Clause made = {.op = ops[pick(11)],
                   .numbers = {pick(3), pick(3), pick(3)},
                   .count = static_cast<int>(pick(3)) + 1,
                   .prerelease = {},
                   .build = {}};
    if (made.count < 3) made.numbers[2] = 0;
    if (made.count < 2) made.numbers[1] = 0;
    if (made.count == 3 && pick(3) == 0) made.prerelease = prereleases[1 + pick(4)];
    const bool exact = made.op.find_first_of("<>~^") == std::string::npos;
    if (made.count == 3 && exact && pick(4) == 0) made.build = builds[1 + pick(2)];
    return made;
  }

  std::vector<Clause> clauses() {
    std::vector<Clause> made(1 + pick(3));
    for (auto& c : made) c = clause();
    return made;
  }

  static constexpr const char* prereleases[] = {"", "0", "a", "a.0", "b"};
  static constexpr const char* builds[] = {"", "x", "y"};

 private:
  std::mt19937 random_;
};

std::string text_of(const std::vector<Random::Clause>& clauses) {
  std::string text;
  for (const auto& clause : clauses) text += (text.empty() ? "" : ", ") + clause.text();
  return text;
}

std::vector<Version> few_versions() {
  std::vector<Version> versions;
  for (std::uint64_t number = 0; number < 64; ++number) {
    // Versions between any two named versions, and after the last.
    for (const auto* prerelease : {"", "0", "0.0", "a", "a.0", "a.0.0", "b", "b.0"}) {
      for (const auto* build : Random::builds) {
        versions.push_back({number / 16, number / 4 % 4, number % 4, prerelease, build});
      }
    }
  }
  return versions;
}

using Numbers = std::array<std::uint64_t, 3>;

Numbers numbers_of(const Version& v) {
  return {v.major, v.minor, v.patch};
}

// Implements the rules again by comparing numbers, without intervals.
bool holds(const Random::Clause& clause, const Version& v) {
  const auto at = numbers_of(v);
  const auto low = clause.low();
  const auto [major, minor, patch] = clause.numbers;
  const Numbers same = clause.count == 1   ? Numbers{major + 1, 0, 0}
                       : clause.count == 2 ? Numbers{major, minor + 1, 0}
                                           : Numbers{major, minor, patch + 1};
  const auto equal = [&] {
    if (clause.count == 3) return v == low && (low.build.empty() || v.build == low.build);
    return v >= low && at < same;
  };
  if (clause.op.empty() || clause.op == "=" || clause.op == "==") return equal();
  if (clause.op == "!=") return !equal();
  if (clause.op == "<") return low.prerelease.empty() ? at < clause.numbers : v < low;
  if (clause.op == "<=") return clause.count == 3 ? v <= low : at < same;
  if (clause.op == ">") return clause.count == 3 ? v > low : v >= Version{same[0], same[1]};
  if (clause.op == ">=") return v >= low;
  Numbers end = {major + 1, 0, 0};
  if (clause.op == "~" && clause.count > 1) end = {major, minor + 1, 0};
  if (clause.op == "~=" && clause.count == 3) end = {major, minor + 1, 0};
  if (clause.op == "^" && major == 0 && clause.count > 1) {
    end = minor != 0 || clause.count == 2 ? Numbers{0, minor + 1, 0} : Numbers{0, 0, patch + 1};
  }
  return v >= low && at < end;
}

bool holds(const std::vector<Random::Clause>& clauses, const Version& v) {
  bool named = v.prerelease.empty();
  for (const auto& clause : clauses) {
    if (!holds(clause, v)) return false;
    named |= !clause.prerelease.empty() && clause.numbers == numbers_of(v);
  }
  return named;
}

TEST(Requirement, FollowsSetAlgebra) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const auto versions = few_versions();
  for (int i = 0; i < 400; ++i) {
    const auto clauses = random.clauses();
    const auto others = random.clauses();
    const auto a = requirement(text_of(clauses));
    const auto b = requirement(text_of(others));
    const auto both = a & b;
    const auto either = a | b;
    SCOPED_TRACE(a.to_string() + " and " + b.to_string());
    bool found = false;
    for (const Version& v : versions) {
      const bool in_a = holds(clauses, v);
      const bool in_b = holds(others, v);
      ASSERT_EQ(a.contains(v), in_a) << v.to_string();
      ASSERT_EQ(both.contains(v), in_a && in_b) << v.to_string();
      ASSERT_EQ(either.contains(v), in_a || in_b) << v.to_string();
      found = found || (in_a && in_b);
    }
    // If any version matches, one of `versions` does.
    ASSERT_EQ(both.empty(), !found);
    ASSERT_EQ(requirement(both.to_string()), both) << both.to_string();
    ASSERT_EQ(requirement(either.to_string()), either) << either.to_string();
    ASSERT_EQ(requirement(text_of(clauses) + " || " + text_of(others)), either);
    ASSERT_EQ(a & b, b & a);
    ASSERT_EQ(a | b, b | a);
    ASSERT_EQ((a & b) | a, a);
    ASSERT_EQ((a | b) & a, a);
    const auto c = requirement(random.clause().text());
    ASSERT_EQ((a | b) | c, a | (b | c));
    ASSERT_EQ((a & b) & c, a & (b & c));
    ASSERT_EQ((a | b) & c, (a & c) | (b & c));
    ASSERT_EQ(requirement(((a | c) & (b | c)).to_string()), (a | c) & (b | c));
  }
}

TEST(Requirement, WithCaretOrTildeContainsItsLowerBound) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int i = 0; i < 5000; ++i) {
    auto clause = random.clause();
    if (clause.op.find_first_of("~^") == std::string::npos) continue;
    ASSERT_TRUE(requirement(clause.text()).contains(clause.low())) << clause.text();
  }
}

TEST(Requirement, DefaultsToTheSameMajorVersion) {
  EXPECT_EQ(Requirement::same_major(version("2.3.4")), requirement("2"));
  EXPECT_EQ(Requirement::same_major(version("0.3.4-rc.1")), requirement("0"));
}

}}  // namespace tenon::detail
