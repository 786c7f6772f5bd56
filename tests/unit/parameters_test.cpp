// SPDX-License-Identifier: BSL-1.0
//
// Checks of configs in a pipeline against the parameters that a plugin specifies.
#include "pipeline/parameters.hpp"

#include <tenon/parameter_json.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "framework/world.hpp"

namespace pipeline { namespace {

using tenon::Parameter;
using Rule = Parameter::Rule;
using Type = Parameter::Type;
using Texts = std::vector<std::string>;

Parameter parameter(Type type, const std::vector<std::pair<Rule, std::string>>& validations = {},
                    std::string otherwise = {}) {
  Parameter all;
  all.type = type;
  all.description = "of the test";
  all.default_value = std::move(otherwise);
  for (const auto& [rule, value] : validations) all.validations.push_back({rule, value});
  return all;
}

struct Checked {
  tenon::TextMap config;
  std::vector<tenon::tools::Diagnostic> findings;
};

Checked checked(const Parameters& parameters, const tenon::TextMap& config) {
  PluginUse use;
  use.reference = "p";
  use.config = config;
  use.config_location = {.file = "config"};
  for (const auto& [key, value] : config) {
    use.key_locations[key] = {.file = "key " + key};
    use.value_locations[key] = {.file = "value " + key};
  }
  Diagnostics all;
  tenon::TextMap complete = check_config(parameters, use, all).config;
  return {std::move(complete), all.all()};
}

/// Returns each problem of a config as "place: code: needed".
Texts findings(const Parameters& parameters, const tenon::TextMap& config) {
  Texts texts;
  for (const auto& finding : checked(parameters, config).findings) {
    texts.push_back(finding.location.file + ": " + finding.code + ": " + finding.needed);
  }
  return texts;
}

/// Returns what a parameter needs instead of the value, or "" if it accepts the value.
std::string needed(const Parameter& parameter, const std::string& value) {
  const Texts all = findings({{"x", parameter}}, {{"x", value}});
  const std::string prefix = "value x: wrong-parameter: ";
  if (all.empty()) return {};
  EXPECT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].starts_with(prefix)) << all[0];
  return all[0].substr(prefix.size());
}

TEST(PipelineParameters, AreValidatedByType) {
  const tenon::tests::World world;
  const std::string file = world.write("here", "");
  EXPECT_EQ(needed(parameter(Type::String), "any"), "");
  EXPECT_EQ(needed(parameter(Type::Int), "-3"), "");
  EXPECT_NE(needed(parameter(Type::Int), "3.5"), "");
  EXPECT_EQ(needed(parameter(Type::Float), "3.5"), "");
  EXPECT_EQ(needed(parameter(Type::Float), "three"), "a number");
  EXPECT_EQ(needed(parameter(Type::Bool), "off"), "");
  EXPECT_EQ(needed(parameter(Type::Bool), "3"), "true or false");
  EXPECT_EQ(needed(parameter(Type::Duration), "3ms"), "");
  EXPECT_NE(needed(parameter(Type::Duration), "3"), "");
  EXPECT_EQ(needed(parameter(Type::File), file), "");
  EXPECT_EQ(needed(parameter(Type::File), file + "?"), "the path of a file that exists");
}

TEST(PipelineParameters, HaveExclusiveBounds) {
  const Parameter number =
      parameter(Type::Float, {{Rule::GreaterThan, "1"}, {Rule::LessThan, "2"}});
  EXPECT_EQ(needed(number, "1.5"), "");
  EXPECT_EQ(needed(number, "1"), "more than 1");
  EXPECT_EQ(needed(number, "2"), "less than 2");
  const Parameter time = parameter(Type::Duration, {{Rule::GreaterThan, "1s"}});
  EXPECT_EQ(needed(time, "1001ms"), "");
  EXPECT_EQ(needed(time, "999ms"), "more than 1s");
}

TEST(PipelineParameters, AreIncludedInOrExcludedFromAList) {
  const std::string list = R"(["a", "b"])";
  const Parameter in = parameter(Type::String, {{Rule::Inclusion, list}});
  EXPECT_EQ(needed(in, "b"), "");
  EXPECT_EQ(needed(in, "c"), "one of " + list);
  EXPECT_EQ(needed(in, "3"), "one of " + list);
  const Parameter out = parameter(Type::String, {{Rule::Exclusion, list}});
  EXPECT_EQ(needed(out, "b"), "none of " + list);
  EXPECT_EQ(needed(out, "c"), "");
}

// Otherwise an exclusion that is no array would accept every value.
TEST(PipelineParameters, AreReportedIfTheyCannotBeChecked) {
  const auto fault = [](Type type, Rule rule, const std::string& operand) {
    const Parameters all = {{"set", parameter(Type::Int)},
                            {"x", parameter(type, {{Rule::Required, ""}, {rule, operand}})}};
    // A config is not checked further, whether it sets the parameter or not.
    for (const tenon::TextMap& config : {tenon::TextMap(), {{"x", "a"}}, {{"set", "no number"}}}) {
      const auto found = checked(all, config).findings;
      EXPECT_EQ(found.size(), 1u);
      EXPECT_EQ(found.at(0).code, "wrong-specification");
      EXPECT_NE(found.at(0).message.find("'x'"), std::string::npos) << found.at(0).message;
    }
    const auto found = checked(all, {}).findings.at(0);
    return found.found + " | " + found.needed;
  };
  const std::string array = R"(a JSON array of texts, such as ["a", "b"])";
  for (const char* list : {"a", "[\"a\"", "\"a\"", "{}", "[1]", "[\"a\", null]", "", "['a']"}) {
    const std::string found = " \"" + std::string(list) + "\" | " + array;
    EXPECT_EQ(fault(Type::String, Rule::Exclusion, list), "exclusion" + found);
    EXPECT_EQ(fault(Type::String, Rule::Inclusion, list), "inclusion" + found);
  }
  EXPECT_EQ(fault(Type::Float, Rule::GreaterThan, "one"),
            "greater_than \"one\" | a value of the type float");
  EXPECT_EQ(fault(Type::Duration, Rule::LessThan, "never"),
            "less_than \"never\" | a value of the type duration");
  EXPECT_EQ(fault(Type::String, Rule::GreaterThan, "1"),
            "greater_than \"1\" | the type int, float or duration");
  EXPECT_EQ(fault(Type::String, Rule::Regex, "("),
            "regex \"(\": the ( at byte 1 begins a group without ) | a valid pattern");
  EXPECT_EQ(fault(Type::String, Rule::Regex, std::string(100000, '(')),
            "regex \"" + std::string(40, '(') +
                "...\": it has 100000 bytes, at most 1024 are possible | a valid pattern");
  EXPECT_EQ(fault(Type::String, Rule{99}, ""),
            "an unknown validation | a validation that this host knows");
  EXPECT_EQ(fault(Type{99}, Rule::Regex, "a"), "an unknown type | a type that this host knows");
}

TEST(PipelineParameters, MatchPatterns) {
  const Parameter pattern = parameter(Type::String, {{Rule::Regex, "^a+$"}});
  EXPECT_EQ(needed(pattern, "aaa"), "");
  EXPECT_EQ(needed(pattern, "aab"), "something that matches ^a+$");
  EXPECT_EQ(needed(pattern, std::string(4096, 'a')), "");
  EXPECT_EQ(needed(pattern, std::string(4097, 'a')), "at most 4096 bytes that match ^a+$");
}

// Backtracking would take a stack for each byte of the first value, and years for the second.
TEST(PipelineParameters, MatchPatternsInLinearTime) {
  const auto needed_by = [](const std::string& pattern, const std::string& value) {
    return needed(parameter(Type::String, {{Rule::Regex, pattern}}), value);
  };
  const std::string nested = "^(((((((a|b)|c)|d)|e)|f)|g)|h)*$";
  std::string value(4096, 'h');
  EXPECT_EQ(needed_by(nested, value), "");
  value.back() = 'i';
  EXPECT_EQ(needed_by(nested, value), "something that matches " + nested);
  EXPECT_EQ(needed_by("^(a+)+$", std::string(48, 'a') + "!"), "something that matches ^(a+)+$");
}

TEST(PipelineParameters, AreValidatedOnlyIfTheTypeMatches) {
  const Parameter one =
      parameter(Type::Int, {{Rule::GreaterThan, "5"}, {Rule::Inclusion, R"(["7"])"}});
  EXPECT_EQ(
      findings({{"x", one}}, {{"x", "4"}}),
      (Texts{"value x: wrong-parameter: more than 5", "value x: wrong-parameter: one of [\"7\"]"}));
  EXPECT_EQ(findings({{"x", one}}, {{"x", "four"}}).size(), 1u);
}

TEST(PipelineParameters, AreRequiredUnlessTheyHaveADefault) {
  const Texts missing = {"config: missing-parameter: 'x': of the test"};
  const Parameter required = parameter(Type::Int, {{Rule::Required, ""}});
  EXPECT_EQ(findings({{"x", required}}, {}), missing);
  EXPECT_EQ(findings({{"x", required}}, {{"x", ""}}),
            Texts{"value x: missing-parameter: 'x': of the test"});
  EXPECT_EQ(findings({{"x", required}}, {{"x", "1"}}), Texts{});
  EXPECT_EQ(findings({{"x", parameter(Type::Int)}}, {}), Texts{});
  EXPECT_EQ(findings({{"x", parameter(Type::Int)}}, {{"x", ""}}), Texts{});
  const auto with_default = [](const char* value) {
    return parameter(Type::Int, {{Rule::Required, ""}, {Rule::GreaterThan, "5"}}, value);
  };
  EXPECT_EQ(findings({{"x", with_default(" 6 ")}}, {{"x", ""}}), Texts{});
  EXPECT_EQ(findings({{"x", with_default(" ")}}, {}), missing);
  EXPECT_EQ(findings({{"x", with_default("4")}}, {}),
            Texts{"config: wrong-parameter: more than 5"});
}

TEST(PipelineParameters, AreMatchedByName) {
  EXPECT_EQ(findings({{"ab", parameter(Type::Int)}, {"c", parameter(Type::Int)}}, {{"ac", "1"}}),
            Texts{"key ac: unknown-parameter: 'ab' and 'c'"});
  // A star matches one part.
  const Parameters stars = {{"a.*", parameter(Type::Int)},
                            {"a.b", parameter(Type::Bool)},
                            {"c.*.d", parameter(Type::Int, {{Rule::Required, ""}})}};
  for (const char* key : {"a.x", "c.x.d"}) {
    EXPECT_EQ(findings(stars, {{key, "1"}}), Texts{}) << key;
    EXPECT_EQ(findings(stars, {{key, "x"}}).size(), 1u) << key;
  }
  EXPECT_EQ(findings(stars, {{"a.b", "yes"}}), Texts{});
  for (const char* key : {"a", "a.", "a.x.y", "b.x", "c.x", "c.x.e", "c..d", "c.x.d.e", ""}) {
    const Texts all = findings(stars, {{key, "1"}});
    ASSERT_EQ(all.size(), 1u) << key;
    EXPECT_NE(all[0].find("unknown-parameter"), std::string::npos) << key;
  }
}

TEST(PipelineParameters, AddTheirDefaultsToTheConfig) {
  const Parameters all = {{"blank", parameter(Type::Int, {}, "1")},
                          {"absent", parameter(Type::Int, {}, " 2 ")},
                          {"given", parameter(Type::Int, {}, "3")},
                          {"none", parameter(Type::Int, {}, " ")},
                          {"a.*", parameter(Type::Int, {}, "4")}};
  const auto complete = [&](const tenon::TextMap& config) { return checked(all, config).config; };
  EXPECT_EQ(complete({{"blank", ""}, {"given", "7"}, {"a.b", ""}}),
            (tenon::TextMap{{"blank", "1"}, {"absent", "2"}, {"given", "7"}, {"a.b", "4"}}));
  EXPECT_EQ(complete({{"none", ""}, {"a.b", "5"}}),
            (tenon::TextMap{
                {"blank", "1"}, {"absent", "2"}, {"given", "3"}, {"none", ""}, {"a.b", "5"}}));
}

TEST(PipelineParameters, AreHiddenIfSensitive) {
  Parameter secret = parameter(Type::Int, {{Rule::GreaterThan, "5"}}, "2");
  const auto found = [&](const tenon::TextMap& config) {
    return checked({{"x", secret}}, config).findings.at(0).found;
  };
  EXPECT_EQ(found({{"x", "1"}}), "1");
  secret.sensitive = true;
  EXPECT_EQ(found({{"x", "1"}}), "(hidden)");
  EXPECT_EQ(found({{"x", "word"}}), "(hidden)");
  EXPECT_EQ(found({}), "(hidden)");
}

TEST(PipelineParameters, PreferTheMostSpecificPattern) {
  const auto only = [](const char* value) {
    return parameter(Type::String, {{Rule::Inclusion, "[\"" + std::string(value) + "\"]"}});
  };
  const Parameters stars = {{"*.b.c", only("1")},
                            {"a.*.c", only("2")},
                            {"a.b.*", only("3")},
                            {"a.b.d", only("4")},
                            {"*.*", only("5")}};
  EXPECT_EQ(findings(stars, {{"x.b.c", "1"}, {"a.x.c", "2"}, {"a.b.c", "3"}, {"a.b.d", "4"}}),
            Texts{});
  EXPECT_EQ(findings(stars, {{"a.b", "5"}}), Texts{});
}

// Quadratic time would be minutes.
TEST(PipelineParameters, TakeLinearTime) {
  constexpr int count = 20000;
  Parameters all;
  tenon::TextMap config;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    all["exact" + number] = all["star" + number + ".*.x"] = parameter(Type::Int);
    config["exact" + number] = config["star" + number + ".y.x"] = "1";
  }
  EXPECT_EQ(findings(all, config), Texts{});
  Parameters others;
  for (int i = 0; i < 1000; ++i) others["exakt" + std::to_string(i)] = parameter(Type::Int);
  const auto unknown = checked(others, config).findings;
  ASSERT_EQ(unknown.size(), std::size_t{2} * count);
  EXPECT_EQ(unknown[0].fix, "did you mean 'exakt0'?");
}

TEST(PipelineParameters, ThatAreSensitiveAreNamed) {
  Parameter secret = parameter(Type::String);
  secret.sensitive = true;
  PluginUse use;
  use.config = {{"a.key", "x"}, {"plain", "y"}};
  Diagnostics all;
  const auto checked =
      check_config({{"*.key", secret}, {"plain", parameter(Type::String)}}, use, all);
  EXPECT_TRUE(all.empty());
  EXPECT_EQ(checked.secrets, tenon::tools::Keys{"a.key"});
}

TEST(PipelineParameters, OfVersion1AreCheckedLikeVersion2) {
  const auto old = tenon::read_parameter(R"({"type": "tenon.dev/parameter", "version": 1, "value":
      {"type": "int", "required": true, "description": "of the test", "default_value": " "}})");
  ASSERT_TRUE(old) << old.error().to_string();
  const Parameter now = parameter(Type::Int, {{Rule::Required, ""}}, " ");
  EXPECT_EQ(*old, now);
  for (const tenon::TextMap& config : {tenon::TextMap(), {{"x", ""}}, {{"x", "a"}}, {{"x", "1"}}}) {
    EXPECT_EQ(findings({{"x", *old}}, config), findings({{"x", now}}, config));
  }
}

}}  // namespace pipeline
