// SPDX-License-Identifier: BSL-1.0
#include "config/pattern.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tenon::config { namespace {

TEST(Pattern, MatchesAPartOfTheValue) {
  struct Row {
    std::string_view pattern, value;
    bool matches;
  };
  const Row rows[] = {
      {"", "", true},
      {"", "x", true},
      {"b", "abc", true},
      {"b", "aBc", false},
      {"^b", "abc", false},
      {"^b|c$", "abc", true},
      {"c$", "cab", false},
      {"^$", "", true},
      {"^$", "x", false},
      {"a.c", "a-c", true},
      {"a.c", "a\nc", false},
      {"a\\.c", "a-c", false},
      {"^[a-c-]+$", "a-c", true},
      {"^[^a-c]+$", "xyz", true},
      {"^[^a-c]+$", "xbz", false},
      {"[\\]^]", "^", true},
      {"^[\\d\\s_]+$", "1 _", true},
      {"^\\w+$", "aZ_9", true},
      {"\\w", " -.", false},
      {"^\\W\\D\\S$", "-a.", true},
      {"\\W|\\D", "1", false},
      {"^\\n\\t\\r\\f\\v$", "\n\t\r\f\v", true},
      {"^[\\x41-\\x43]\\x7a$", "Bz", true},
      {"^(ab|c)*$", "abcab", true},
      {"^(ab|c)*$", "aba", false},
      {"^(?:a|b|)c$", "c", true},
      {"^(?:a|b|)c$", "abc", false},
      {"^a+b?$", "aab", true},
      {"^a+b?$", "b", false},
      {"^a{2}$", "aa", true},
      {"^a{2}$", "aaa", false},
      {"^a{2,}$", "a", false},
      {"^a{2,}$", "aaaa", true},
      {"^(ab){1,2}$", "abab", true},
      {"^(ab){1,2}$", "ababab", false},
      {"^(a{0}b){0,1}$", "", true},
      {"^a*?b+?c??d{2}?$", "abdd", true},
      {"^(a*)*(|b)+$", "aab", true},
      {"^(){2,}$", "", true},
      {"\\bcat\\b", "a cat.", true},
      {"\\bcat\\b", "concat", false},
      {"\\Bcat", "concat", true},
      {"\\Bcat", "cat", false},
      {"^]}$", "]}", true},
      {"^\xc3\xa4.$", "\xc3\xa4\xff", true},
      {"^[^\\x80-\\xff]+$", "\xc3\xa4", false},
  };
  for (const auto& [text, value, matches] : rows) {
    std::string flaw;
    const auto pattern = Pattern::compile(text, flaw);
    ASSERT_TRUE(pattern) << text << ": " << flaw;
    EXPECT_EQ(pattern->matches_part_of(value), matches) << text << " and " << value;
  }
}

TEST(Pattern, ReportsTheFirstFlaw) {
  struct Row {
    std::string pattern, flaw;
  };
  const Row rows[] = {
      {"a(b", "the ( at byte 2 begins a group without )"},
      {"ab)", "the ) at byte 3 ends no group"},
      {"a|*", "the * at byte 3 has nothing to repeat; write \\ before it to match the character"},
      {"^+", "the + at byte 2 has nothing to repeat; write \\ before it to match the character"},
      {"a{2",
       "the { at byte 2 is neither {2} nor {2,} nor {2,5}; write \\{ to match the character"},
      {"a{3,2}",
       "the { at byte 2 is neither {2} nor {2,} nor {2,5}; write \\{ to match the character"},
      {"a{,2}",
       "the { at byte 2 is neither {2} nor {2,} nor {2,5}; write \\{ to match the character"},
      {"[a", "the [ at byte 1 begins a class without ]"},
      {"[]a]", "the [ at byte 1 begins a class without characters; write \\] for a ]"},
      {"[z-a]", "the z at byte 2 begins a range that is not from a lower to a higher character"},
      {"[\\w-z]", "the \\ at byte 2 begins a range that is not from a lower to a higher character"},
      {"[[:alpha:]]",
       "the [ at byte 2 begins a named class, which is not supported; write \\[ for a ["},
      {"(?=a)", "the ( at byte 1 begins a group that is not supported; only (...) and (?:...) are"},
      {"(a)\\1", "the \\ at byte 4 begins an unknown escape"},
      {"\\pL", "the \\ at byte 1 begins an unknown escape"},
      {"\\x4", "the \\ at byte 1 is not followed by two hexadecimal digits"},
      {"a\\", "the \\ at byte 2 has no character after it; write \\\\ to match the character"},
  };
  for (const auto& [text, expected] : rows) {
    std::string flaw;
    EXPECT_FALSE(Pattern::compile(text, flaw)) << text;
    EXPECT_EQ(flaw, expected) << text;
  }
}

TEST(Pattern, HasLimits) {
  std::string flaw;
  const auto nested = [](std::size_t groups) {
    return std::string(groups, '(') + "a" + std::string(groups, ')');
  };
  EXPECT_TRUE(Pattern::compile(std::string(1024, 'a'), flaw));
  EXPECT_FALSE(Pattern::compile(std::string(1025, 'a'), flaw));
  EXPECT_EQ(flaw, "it has 1025 bytes, at most 1024 are possible");
  EXPECT_TRUE(Pattern::compile(nested(64), flaw));
  EXPECT_FALSE(Pattern::compile(nested(65), flaw));
  EXPECT_EQ(flaw, "the ( at byte 65 is in more than 64 groups");
  EXPECT_TRUE(Pattern::compile("a{2048}", flaw));
  for (const char* text : {"a{2049}", "(a{60}){60}", "((((a*){99}){99}){99}){99}", "(a|b{2047})",
                           "a{18446744073709551614}"}) {
    EXPECT_FALSE(Pattern::compile(text, flaw)) << text;
    EXPECT_EQ(flaw, "its repetitions have together more than 2048 steps; write smaller numbers")
        << text;
  }
}

}}  // namespace tenon::config
