// SPDX-License-Identifier: BSL-1.0
//
// Patterns of names: their matches, and the errors of invalid patterns.
#include "selection/glob.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tenon::selection { namespace {

TEST(Glob, MatchesWholeNames) {
  struct {
    std::string pattern, text;
    bool matches;
  } const rows[] = {
      {"web", "web", true},
      {"web", "web2", false},
      {"web", "aweb", false},
      {"web", "Web", false},
      {"web", "", false},
      {"*", "", true},
      {"*", "anything.at/all", true},
      {"**", "a", true},
      {"web-*", "web-", true},
      {"web-*", "web-1.b", true},
      {"web-*", "web", false},
      {"*.apps", "deployments.apps", true},
      {"*.apps", "deployments.apps.example", false},
      {"*.example.io", "a.b.example.io", true},
      {"deploy*", "deployments.apps", true},
      {"deployment?", "deployments.apps", false},
      {"*a*b*c*", "xxaxxbxxcxx", true},
      {"*a*b*c*", "xxaxxcxxbxx", false},
      {"a*ab", "aab", true},
      {"a*ab", "aaab", true},
      {"a*ab", "ab", false},
      {"?", "a", true},
      {"?", ".", true},
      {"?", "", false},
      {"?", "ab", false},
      {"*?", "", false},
      {"a?c", "abc", true},
      {"[a-c]", "a", true},
      {"[a-c]", "c", true},
      {"[a-c]", "d", false},
      {"[a-cx0-9]", "x", true},
      {"[a-cx0-9]", "7", true},
      {"[a-cx0-9]", "-", false},
      {"[!a-c]", "d", true},
      {"[!a-c]", "b", false},
      {"[!a-c]", "", false},
      {"[a!]", "!", true},
      {"[-a]", "-", true},
      {"[a-]", "-", true},
      {"[a-]", "b", false},
      {"[[]", "[", true},
      {"[*?]", "*", true},
      {"[*?]", "a", false},
      {"[\\]]", "]", true},
      {"[\\!a]", "!", true},
      {"[\\^]", "^", true},
      {"[[]", "[", true},
      {"[\\[:a]", ":", true},
      {"[a\\-c]", "-", true},
      {"[a\\-c]", "b", false},
      {"[a^]", "^", true},
      {"web-[0-9]*", "web-7-x", true},
      {"]", "]", true},
      {"a-b", "a-b", true},
      {"^", "^", true},
      {"\\*", "*", true},
      {"\\*", "a", false},
      {"\\\\", "\\", true},
      {"\\{a\\}", "{a}", true},
      {"\\a", "a", true},
      {"[\x80-\xff]", "\xc3", true},
  };
  for (const auto& [pattern, text, matches] : rows) {
    const auto glob = Glob::compile(pattern);
    ASSERT_TRUE(glob) << glob.error().to_string();
    EXPECT_EQ(glob->matches(text), matches) << pattern << " and " << text;
  }
}

TEST(Glob, InvalidPatternsAreErrors) {
  struct {
    std::string pattern;
    int column;
    std::string found;
  } const rows[] = {
      {"", 1, "an empty pattern"},
      {"[", 1, "a [ without a ]"},
      {"x[[:alpha:]]", 3, "\"[:\" in a class"},
      {"web-[a", 5, "a [ without a ]"},
      {"[a-", 1, "a [ without a ]"},
      {"[!", 1, "a [ without a ]"},
      {"[a\\]", 1, "a [ without a ]"},
      {"x[]", 3, "a class without characters"},
      {"[]a]", 2, "a class without characters"},
      {"[!]", 3, "a class without characters"},
      {"[^a]", 2, "\"^\" at the beginning of a class"},
      {"[z-a]", 2, "the range \"z-a\""},
      {"[a-c9-0]", 5, "the range \"9-0\""},
      {"[b-\\a]", 2, "the range \"b-\\a\""},
      {"web\\", 4, "a \\ at the end"},
      {"[a\\", 3, "a \\ at the end"},
      {"[a-\\", 4, "a \\ at the end"},
      {"{a,b}", 1, "\"{\""},
      {"a}", 2, "\"}\""},
      {std::string(1025, 'a'), 1025, "1025 characters"},
  };
  for (const auto& [pattern, column, found] : rows) {
    SCOPED_TRACE(pattern);
    const auto glob = Glob::compile(pattern);
    ASSERT_FALSE(glob);
    EXPECT_EQ(glob.error().code(), "bad-pattern");
    EXPECT_TRUE(glob.error().where().ends_with(", column " + std::to_string(column)))
        << glob.error().where();
    EXPECT_EQ(glob.error().found(), found);
    EXPECT_FALSE(glob.error().needed().empty());
    EXPECT_FALSE(glob.error().fix().empty());
  }
}

TEST(Glob, MatchesLiterallyWithoutWildcards) {
  EXPECT_EQ(Glob::compile("deployments.apps")->literal(), "deployments.apps");
  EXPECT_EQ(Glob::compile("\\*\\a")->literal(), "*a");
  for (const char* pattern : {"*", "a?", "[a]", "a*b"}) {
    EXPECT_EQ(Glob::compile(pattern)->literal(), std::nullopt) << pattern;
  }
}

TEST(Glob, TakesLinearTimeForHostilePatterns) {
  std::string stars;
  for (int i = 0; i < 500; ++i) stars += "*a";
  const std::string text(1'000'000, 'a');
  EXPECT_TRUE(Glob::compile(stars)->matches(text));
  EXPECT_FALSE(Glob::compile(stars + "b")->matches(text));
}

TEST(Glob, AcceptsPatternsUpToTheLimit) {
  const std::string longest(Glob::longest_pattern, 'a');
  EXPECT_TRUE(Glob::compile(longest)->matches(longest));
}

}}  // namespace tenon::selection
