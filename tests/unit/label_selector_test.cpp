// SPDX-License-Identifier: BSL-1.0
//
// Label selectors in the syntax of Kubernetes: their matches, and the errors of invalid selectors.
#include "selection/label_selector.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tenon::selection { namespace {

bool matches(const std::string& selector, const Labels& labels) {
  const auto compiled = LabelSelector::parse(selector);
  EXPECT_TRUE(compiled) << compiled.error().to_string();
  return compiled && compiled->matches(labels);
}

TEST(LabelSelector, MatchesLabels) {
  const std::string name(63, 'a');
  const std::string prefix(253, 'p');
  struct {
    std::string selector;
    Labels labels;
    bool matches;
  } const rows[] = {
      {"", {}, true},
      {"", {{"a", "b"}}, true},
      {" \t\r\n", {{"a", "b"}}, true},
      {"a=b", {{"a", "b"}}, true},
      {"a=b", {{"a", "c"}}, false},
      {"a=b", {}, false},
      {"a=b", {{"A", "b"}}, false},
      {"a=b", {{"a", "B"}}, false},
      {"a==b", {{"a", "b"}}, true},
      {"a==b", {{"a", "c"}}, false},
      {"a!=b", {{"a", "c"}}, true},
      {"a!=b", {{"a", "b"}}, false},
      {"a!=b", {}, true},
      {" a =\tb ", {{"a", "b"}}, true},
      {"a\n!=\nb", {{"a", "b"}}, false},
      {"a=", {{"a", ""}}, true},
      {"a=", {{"a", "b"}}, false},
      {"a=", {}, false},
      {"a=,b=c", {{"a", ""}, {"b", "c"}}, true},
      {"a==,b=c", {{"a", "x"}, {"b", "c"}}, false},
      {"a!=", {{"a", ""}}, false},
      {"a!=", {{"a", "b"}}, true},
      {"a!=", {}, true},
      {"a in (b,c)", {{"a", "c"}}, true},
      {"a in (b,c)", {{"a", "d"}}, false},
      {"a in (b,c)", {}, false},
      {"a in(b)", {{"a", "b"}}, true},
      {"a in ( c , b , c )", {{"a", "b"}}, true},
      {"a in (,b)", {{"a", ""}}, true},
      {"a in (b,)", {{"a", ""}}, true},
      {"a in (b,,c)", {{"a", ""}}, true},
      {"a in (b,,c)", {{"a", "c"}}, true},
      {"a in (,)", {{"a", ""}}, true},
      {"a in (,)", {{"a", "b"}}, false},
      {"a in (in,notin)", {{"a", "notin"}}, true},
      {"a notin (b,c)", {{"a", "b"}}, false},
      {"a notin (b,c)", {{"a", "d"}}, true},
      {"a notin (b,c)", {}, true},
      {"a notin (,)", {{"a", ""}}, false},
      {"a notin (,)", {}, true},
      {"a", {{"a", "b"}}, true},
      {"a", {{"a", ""}}, true},
      {"a", {{"b", "a"}}, false},
      {"!a", {}, true},
      {"!a", {{"a", ""}}, false},
      {"! a", {{"b", "a"}}, true},
      {"a>1", {{"a", "2"}}, true},
      {"a>1", {{"a", "1"}}, false},
      {"a>9", {{"a", "10"}}, true},
      {"a>1", {{"a", "x"}}, false},
      {"a>1", {{"a", "2x"}}, false},
      {"a>1", {{"a", ""}}, false},
      {"a>1", {}, false},
      {"a > 007", {{"a", "8"}}, true},
      {"a>1", {{"a", "9223372036854775808"}}, false},
      {"a<9223372036854775807", {{"a", "9223372036854775806"}}, true},
      {"a<1", {{"a", "0"}}, true},
      {"a<1", {{"a", "1"}}, false},
      {"a<1", {{"a", "-1"}}, true},
      {"a<1", {}, false},
      {"a<1,a>1", {{"a", "1"}}, false},
      {"a=b,c!=d,e in (x,y),!f", {{"a", "b"}, {"e", "y"}}, true},
      {"a=b,c!=d,e in (x,y),!f", {{"a", "b"}, {"e", "y"}, {"c", "d"}}, false},
      {"a=b,c!=d,e in (x,y),!f", {{"a", "b"}, {"e", "z"}}, false},
      {"a=b,c!=d,e in (x,y),!f", {{"a", "b"}, {"e", "y"}, {"f", ""}}, false},
      {"a=b,a=c", {{"a", "b"}}, false},
      {"a,b", {{"a", ""}}, false},
      {"a=b or c=d", {{"a", "b"}}, true},
      {"a=b or c=d", {{"c", "d"}}, true},
      {"a=b or c=d", {{"a", "d"}, {"c", "b"}}, false},
      {"a,b or c,d", {{"a", ""}, {"d", ""}}, false},
      {"a,b or c,d", {{"c", ""}, {"d", ""}}, true},
      {"a in (x) or b or !c", {{"b", ""}, {"c", ""}}, true},
      {"a in (x) or b or !c", {{"c", ""}}, false},
      {"or or or=or", {{"or", ""}}, true},
      {"a , ! b", {{"a", ""}}, true},
      {"in", {{"in", ""}}, true},
      {"!notin", {{"in", ""}}, true},
      {"in in (in)", {{"in", "in"}}, true},
      {"notin=in", {{"notin", "in"}}, true},
      {"in,notin", {{"in", ""}, {"notin", ""}}, true},
      {"example.io/app=web", {{"example.io/app", "web"}}, true},
      {"example.io/app=web", {{"app", "web"}}, false},
      {"a-b.c-d/E_f.g-1=H_i.j-2", {{"a-b.c-d/E_f.g-1", "H_i.j-2"}}, true},
      {"1.2/3=4", {{"1.2/3", "4"}}, true},
      {name + "=" + name, {{name, name}}, true},
      {prefix + "/" + name, {{prefix + "/" + name, ""}}, true},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(matches(row.selector, row.labels), row.matches)
        << row.selector << " and " << testing::PrintToString(row.labels);
  }
}

TEST(LabelSelector, InvalidSelectorsAreErrors) {
  const std::string key = "a label key";
  const std::string value = "a label value";
  const std::string operators = "=, ==, !=, in, notin, >, <, ',', 'or' or the end";
  const std::string separator = "',', 'or' or the end";
  const std::string number = "an integer from 0 to 9223372036854775807";
  const std::string key_form = "a label key of letters, digits, '-', '_' and '.'";
  const std::string key_ends = "a label key with a letter or digit at both ends";
  const std::string value_form = "a label value of letters, digits, '-', '_' and '.'";
  const std::string value_ends = "a label value with a letter or digit at both ends";
  const std::string prefix_form =
      "a DNS name of lower-case letters, digits, '-' and '.' before the '/'";
  const std::string a64(64, 'a');
  const std::string a254(254, 'a');
  struct {
    std::string selector;
    std::size_t column;
    std::string found, needed;
  } const rows[] = {
      {",", 1, "\",\"", key},
      {",a", 1, "\",\"", key},
      {"a,", 3, "the end", key},
      {"a, ", 4, "the end", key},
      {"a,,b", 3, "\",\"", key},
      {"a or", 5, "the end", key},
      {"a or ,b", 6, "\",\"", key},
      {"=a", 1, "\"=\"", key},
      {"!", 2, "the end", key},
      {"!!a", 2, "\"!\"", key},
      {"!,a", 2, "\",\"", key},
      {"(a)", 1, "\"(\"", key},
      {"!a=b", 3, "\"=\"", separator},
      {"!a in (b)", 4, "\"in\"", separator},
      {"a b", 3, "\"b\"", operators},
      {"a In (b)", 3, "\"In\"", operators},
      {"a!b", 2, "\"!\"", operators},
      {"a(b)", 2, "\"(\"", operators},
      {"a)", 2, "\")\"", operators},
      {"a===b", 4, "\"=\"", value},
      {"a=!b", 3, "\"!\"", value},
      {"a!==b", 4, "\"=\"", value},
      {"a=(b)", 3, "\"(\"", value},
      {"a=b c", 5, "\"c\"", separator},
      {"a=b=c", 4, "\"=\"", separator},
      {"a=)", 3, "\")\"", separator},
      {"a in", 5, "the end", "'('"},
      {"a in b", 6, "\"b\"", "'('"},
      {"a notin =b", 9, "\"=\"", "'('"},
      {"a in ()", 7, "\")\"", "a value"},
      {"a in (", 7, "the end", "',' or ')'"},
      {"a in (b", 8, "the end", "',' or ')'"},
      {"a in (b,", 9, "the end", "',' or ')'"},
      {"a in (b c)", 9, "\"c\"", "',' or ')'"},
      {"a in ((b))", 7, "\"(\"", value},
      {"a in (b))", 9, "\")\"", separator},
      {"a in (b),", 10, "the end", key},
      {"a in (b) c", 10, "\"c\"", separator},
      {"a in (b,!c)", 9, "\"!\"", value},
      {"a>", 3, "the end", number},
      {"a>b", 3, "\"b\"", number},
      {"a>1.5", 3, "\"1.5\"", number},
      {"a>-1", 3, "\"-1\"", number},
      {"a<+1", 3, "\"+1\"", number},
      {"a>=1", 3, "\"=\"", number},
      {"a><1", 3, "\"<\"", number},
      {"a>1,b<", 7, "the end", number},
      {"a<9223372036854775808", 3, "\"9223372036854775808\"", number},
      {"a>" + std::string(63, '0') + "1", 3, '"' + std::string(63, '0') + "1\"", number},
      {"a>1 2", 5, "\"2\"", separator},
      {"a$=b", 2, "\"a$\"", key_form},
      {"x,a b,c$", 5, "\"b\"", operators},
      {"-a", 1, "\"-a\"", key_ends},
      {"a_=b", 2, "\"a_\"", key_ends},
      {".", 1, "\".\"", key_ends},
      {"\xc3\xa4=b", 1, "\"\xc3\xa4\"", key_form},
      {std::string("a\0b", 3), 2, "\"a\\x00b\"", key_form},
      {a64 + "=b", 64, '"' + a64 + "\" of 64 characters", key + " of at most 63 characters"},
      {"/a", 1, "\"\"", "a DNS name before the '/'"},
      {"x,p/", 5, "\"p/\"", "a name after the '/'"},
      {"p/q/a", 4, "\"p/q/a\"", "a label key with at most one '/'"},
      {"P/a", 1, "\"P\"", prefix_form},
      {"p_q/a", 2, "\"p_q\"", prefix_form},
      {"-p/a", 1, "\"-p\"", prefix_form},
      {"p-/a", 2, "\"p-\"", prefix_form},
      {"p-.q/a", 2, "\"p-.q\"", prefix_form},
      {"p.-q/a", 3, "\"p.-q\"", prefix_form},
      {"p..q/a", 3, "\"p..q\"", prefix_form},
      {".p/a", 1, "\".p\"", prefix_form},
      {"p./a", 2, "\"p.\"", prefix_form},
      {"p/a$", 4, "\"a$\"", "a name after the '/' of letters, digits, '-', '_' and '.'"},
      {a254 + "/a", 254, '"' + std::string(80, 'a') + "\"... of 254 characters",
       "a DNS name of at most 253 characters"},
      {"p/" + a64, 66, '"' + a64 + "\" of 64 characters",
       "a name after the '/' of at most 63 characters"},
      {"a=b$c", 4, "\"b$c\"", value_form},
      {"a=b/c", 4, "\"b/c\"", value_form},
      {"a=-b", 3, "\"-b\"", value_ends},
      {"a in (b,c.)", 10, "\"c.\"", value_ends},
      {"a=" + a64, 66, '"' + a64 + "\" of 64 characters", value + " of at most 63 characters"},
      {"a=\x1b[2J", 3, "\"\\x1b[2J\"", value_form},
  };
  for (const auto& [selector, column, found, needed] : rows) {
    SCOPED_TRACE(selector);
    const auto compiled = LabelSelector::parse(selector);
    ASSERT_FALSE(compiled);
    const tenon::Error& error = compiled.error();
    EXPECT_EQ(error.code(), "bad-label-selector");
    EXPECT_TRUE(error.where().ends_with(", column " + std::to_string(column))) << error.where();
    EXPECT_EQ(error.found(), found);
    EXPECT_EQ(error.needed(), needed);
    EXPECT_FALSE(error.fix().empty());
  }
}

TEST(LabelSelector, QuotesTheBeginningOfLongSelectors) {
  const auto compiled = LabelSelector::parse(std::string(1000, 'a') + "$");
  ASSERT_FALSE(compiled);
  EXPECT_LT(compiled.error().to_string().size(), 500u);
}

TEST(LabelSelector, TakesLinearTimeForLongSelectors) {
  constexpr int many = 200'000;
  std::string requirements;
  std::string values;
  for (int i = 0; i < many; ++i) {
    requirements += "k" + std::to_string(i) + "!=v,";
    values += std::to_string(i) + ",";
  }
  EXPECT_TRUE(matches(requirements + "a", {{"a", ""}}));
  const auto in = LabelSelector::parse("a in (" + values + ")");
  ASSERT_TRUE(in);
  for (int i = 0; i < many; ++i) ASSERT_TRUE(in->matches({{"a", std::to_string(i)}}));
  EXPECT_FALSE(LabelSelector::parse(std::string(many, '!')));
  EXPECT_FALSE(LabelSelector::parse(std::string(many, ',')));
  EXPECT_FALSE(LabelSelector::parse("a in " + std::string(many, '(')));
  EXPECT_TRUE(matches(std::string(many, ' ') + "a" + std::string(many, '\n'), {{"a", ""}}));
}

}}  // namespace tenon::selection
