// SPDX-License-Identifier: BSL-1.0
//
// The action tenon.dev/remap-labels changes labels so that selectors still match.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "unit/backup_actions.hpp"

namespace tenon::tests { namespace {

std::string remapped(const TextMap& rules, std::string_view item) {
  return restored("tenon.dev/remap-labels", rules, item, RestoreV1());
}

std::string labelled(std::string_view labels) {
  return R"({"kind":"Pod","metadata":{"name":"p","labels":)" + std::string(labels) + "}}";
}

struct Change {
  TextMap rules;
  std::string_view before;
  std::string_view after;  // empty: unchanged
};

TEST(RemapLabels, ChangesTheLabelsOfAResource) {
  const Change changes[] = {
      {{{"a", "set z"}}, R"({"a":"1","b":"2"})", R"({"a":"z","b":"2"})"},
      {{{"a", "set z"}}, R"({"b":"2"})", R"({"b":"2","a":"z"})"},
      {{{"a", "set z"}}, R"({"a":"z"})", ""},
      {{{"a", "replace 1 z"}}, R"({"b":"1","a":"1"})", R"({"b":"1","a":"z"})"},
      {{{"a", "replace 1 z"}}, R"({"a":"2"})", ""},
      {{{"a", "replace 1 z"}}, R"({"b":"1"})", ""},
      {{{"a", "rename c.example/d"}}, R"({"a":"1","b":"2"})", R"({"c.example/d":"1","b":"2"})"},
      {{{"a", "rename c"}}, R"({"b":"2"})", ""},
      {{{"a", "remove"}}, R"({"a":"1","b":"2"})", R"({"b":"2"})"},
      {{{"a", "remove"}}, R"({"a":"1"})", "{}"},
      {{{"a", "  remove\t"}}, R"({"b":"1"})", ""},
      {{{"a", "rename b"}, {"b", "rename a"}}, R"({"a":"1","b":"2"})", R"({"b":"1","a":"2"})"},
      {{{"a", "rename b"}, {"b", "remove"}}, R"({"a":"1","b":"2"})", R"({"b":"1"})"},
      {{{"a", "rename b"}, {"c", "set 3"}}, R"({"a":"1"})", R"({"b":"1","c":"3"})"},
  };
  for (const auto& [rules, before, after] : changes) {
    EXPECT_EQ(remapped(rules, labelled(before)), after.empty() ? "unchanged" : labelled(after))
        << before << " " << rules.begin()->second;
  }
}

TEST(RemapLabels, KeepsTheTextOfNumbers) {
  const std::string numbers = R"("n":[12345678901234567890123,1.0,100.50,1e3,-0.0,1e400])";
  EXPECT_EQ(remapped({{"a", "remove"}},
                     R"({"x":1.50,"metadata":{"labels":{"a":2.0,"b":3.0}},)" + numbers + "}"),
            R"({"x":1.50,"metadata":{"labels":{"b":3.0}},)" + numbers + "}");
}

TEST(RemapLabels, AddsMissingLabels) {
  EXPECT_EQ(remapped({{"a", "set z"}}, R"({"kind":"Pod","metadata":{"name":"p"}})"),
            R"({"kind":"Pod","metadata":{"name":"p","labels":{"a":"z"}}})");
  EXPECT_EQ(remapped({{"a", "remove"}}, R"({"kind":"Pod","metadata":{}})"), "unchanged");
  EXPECT_EQ(remapped({{"a", "set z"}}, "{}"), "unchanged");
}

TEST(RemapLabels, ChangesNothingWithoutRules) {
  EXPECT_EQ(remapped({}, labelled(R"({"a":"1"})")), "unchanged");
}

// The selectors are in a resource without labels, so that nothing else changes.
void expect_change(const TextMap& rules, const std::string& before, const std::string& after) {
  const auto item = [](const std::string& rest) {
    return "{\"kind\":\"Deployment\"," + rest + "}";
  };
  EXPECT_EQ(remapped(rules, item(before)), before == after ? "unchanged" : item(after));
}

TEST(RemapLabels, KeepsDeploymentSelectorsMatching) {
  const auto deployment = [](std::string_view labels) {
    const std::string all(labels);
    return R"({"kind":"Deployment","metadata":{"labels":)" + all +
           R"(},"spec":{"selector":{"matchLabels":)" + all +
           R"(},"template":{"metadata":{"labels":)" + all + R"(},"spec":{"nodeSelector":)" +
           R"({"app":"web"},"topologySpreadConstraints":[{"topologyKey":"app",)" +
           R"("labelSelector":{"matchLabels":)" + all + "}}]}}}}";
  };
  const std::string before = deployment(R"({"app":"web","tier":"x"})");
  EXPECT_EQ(remapped({{"app", "rename app.example/name"}}, before),
            deployment(R"({"app.example/name":"web","tier":"x"})"));
  EXPECT_EQ(remapped({{"app", "replace web shop"}}, before),
            deployment(R"({"app":"shop","tier":"x"})"));
  EXPECT_EQ(remapped({{"app", "set shop"}}, before), deployment(R"({"app":"shop","tier":"x"})"));
  EXPECT_EQ(remapped({{"app", "remove"}}, before), deployment(R"({"tier":"x"})"));
}

TEST(RemapLabels, ChangesTemplates) {
  const std::pair<std::string, std::string> templates[] = {
      {R"("spec":{"template":{"metadata":{"labels":)", "}}}"},
      {R"("spec":{"jobTemplate":{"metadata":{"labels":)", "}}}"},
      {R"("spec":{"jobTemplate":{"spec":{"template":{"metadata":{"labels":)", "}}}}}"},
      {R"("spec":{"volumeClaimTemplates":[{},{"metadata":{"labels":)", "}}]}"},
      {R"("template":{"metadata":{"labels":)", "}}"},
  };
  for (const auto& [begin, end] : templates) {
    expect_change({{"a", "rename b"}}, begin + R"({"a":"1"})" + end, begin + R"({"b":"1"})" + end);
    expect_change({{"a", "set z"}}, begin + R"({"a":"1"})" + end, begin + R"({"a":"z"})" + end);
    expect_change({{"a", "set z"}}, begin + "{}" + end, begin + "{}" + end);
  }
}

TEST(RemapLabels, ChangesSelectorsOfEachKind) {
  const std::pair<std::string, std::string> selectors[] = {
      {R"("spec":{"selector":{"matchLabels":)", "}}"},
      {R"("spec":{"ingress":[{"from":[{"podSelector":{"matchLabels":)", "}}]}]}"},
      {R"("spec":{"egress":[{"to":[{"namespaceSelector":{"matchLabels":)", "}}]}]}"},
      {R"("webhooks":[{"objectSelector":{"matchLabels":)", "}}]"},
      {R"("aggregationRule":{"clusterRoleSelectors":[{"matchLabels":)", "}]}"},
  };
  for (const auto& [begin, end] : selectors) {
    expect_change({{"a", "rename b"}}, begin + R"({"a":"1"})" + end, begin + R"({"b":"1"})" + end);
  }
}

TEST(RemapLabels, DoesNotChangeOtherObjects) {
  const std::string node_affinity =
      R"("spec":{"affinity":{"nodeAffinity":{"required":{"nodeSelectorTerms":[)"
      R"({"matchExpressions":[{"key":"a","operator":"In","values":["1"]}]}]}}}})";
  const std::string others[] = {
      R"("spec":{"nodeSelector":{"a":"1"}})",
      R"("data":{"a":"1"})",
      R"("spec":{"selector":{"a":"1"}})",
      R"("status":{"selector":{"matchLabels":{"a":"1"}}})",
      R"("metadata":{"annotations":{"a":"1"},"selector":{"matchLabels":{"a":"1"}}})",
      node_affinity,
  };
  for (const std::string& other : others) {
    expect_change({{"a", "rename b"}}, other, other);
  }
  EXPECT_EQ(remapped({{"a", "rename b"}},
                     R"({"kind":"CustomResourceDefinition","metadata":{"labels":{"c":"1"}},)"
                     R"("spec":{"selector":{"matchLabels":{"a":"1"}}}})"),
            "unchanged");
}

TEST(RemapLabels, ChangesPlainSelectors) {
  for (const std::string kind : {"Service", "ReplicationController"}) {
    const auto item = [&](const std::string& selector) {
      return "{\"kind\":\"" + kind + "\",\"spec\":{\"selector\":" + selector + "}}";
    };
    EXPECT_EQ(remapped({{"a", "rename b"}}, item(R"({"a":"1","c":"2"})")),
              item(R"({"b":"1","c":"2"})"));
    EXPECT_EQ(remapped({{"a", "set z"}}, item("{}")), "unchanged");
    EXPECT_EQ(remapped({{"a", "set z"}}, item(R"({"c":"2"})")), "unchanged");
    EXPECT_NE(
        remapped({{"a", "remove"}}, item(R"({"a":"1"})")).find("cannot remove the last label"),
        std::string::npos);
  }
}

std::string requirement(const std::string& key, const std::string& operation,
                        const std::string& values) {
  return R"({"key":")" + key + R"(","operator":")" + operation + "\"" +
         (values.empty() ? "" : ",\"values\":" + values) + "}";
}

std::string expressions(const std::string& requirements) {
  return R"("spec":{"selector":{"matchExpressions":[)" + requirements + "]}}";
}

TEST(RemapLabels, ChangesRequirements) {
  const std::string other = "," + requirement("b", "In", R"(["1"])");
  struct Row {
    std::string rule, operation, before, after;
  };
  const Row rows[] = {
      {"set z", "In", R"(["1","2"])", R"(["z"])"},
      {"set z", "In", R"(["z"])", R"(["z"])"},
      {"set z", "Exists", "", ""},
      {"set z", "Exists", "[]", "[]"},
      {"replace 1 z", "In", R"(["0","1"])", R"(["0","z"])"},
      {"replace 1 z", "NotIn", R"(["1"])", R"(["z"])"},
      {"replace 1 z", "NotIn", R"(["1","z"])", R"(["z","z"])"},
      {"replace 1 z", "NotIn", R"(["2"])", R"(["2"])"},
      {"replace 1 z", "DoesNotExist", "", ""},
      {"remove", "Exists", "", "gone"},
      {"remove", "NotIn", R"(["1"])", "gone"},
  };
  for (const auto& [rule, operation, before, after] : rows) {
    SCOPED_TRACE(rule + " " + operation + before);
    const std::string changed =
        after == "gone" ? other.substr(1) : requirement("a", operation, after) + other;
    expect_change({{"a", rule}}, expressions(requirement("a", operation, before) + other),
                  expressions(changed));
  }
  expect_change({{"a", "rename c"}}, expressions(requirement("a", "NotIn", R"(["1"])")),
                expressions(requirement("c", "NotIn", R"(["1"])")));
}

TEST(RemapLabels, RefusesRulesThatSelectorsCannotFollow) {
  struct Row {
    std::string rule, selector, message;
  };
  const std::string item = R"({"kind":"Deployment","metadata":{"namespace":"n","name":"d"},)";
  const std::string last =
      "cannot remove the last label that a selector of Deployment \"n/d\" requires: it would "
      "select "
      "other resources than before; fix: rename the label or give it another value";
  const auto lost = [](const std::string& operation) {
    return "cannot change the label \"a\" to \"z\": a selector of Deployment \"n/d\" requires it " +
           operation + ", and might stop matching; fix: give the label another value";
  };
  const Row rows[] = {
      {"remove", R"("spec":{"selector":{"matchLabels":{"a":"1"}}})", last},
      {"remove", expressions(requirement("a", "Exists", "")), last},
      {"set z", expressions(requirement("a", "NotIn", R"(["1"])")), lost("NotIn")},
      {"set z", expressions(requirement("a", "DoesNotExist", "")), lost("DoesNotExist")},
      {"replace 1 z", expressions(requirement("a", "NotIn", R"(["z"])")), lost("NotIn")},
  };
  for (const auto& [rule, selector, message] : rows) {
    const TextMap rules = {{"a", rule}};
    const std::string said = remapped(rules, item + selector + "}");
    EXPECT_NE(said.find(message), std::string::npos) << said;
  }
  // A selector of everything must stay one.
  const std::string all = R"("spec":{"podSelector":{},"selector":{"matchLabels":{}}})";
  expect_change({{"a", "remove"}}, all, all);
}

TEST(RemapLabels, RefusesToOverwriteALabel) {
  const std::string said = remapped({{"a", "rename b"}}, labelled(R"({"a":"1","b":"2"})"));
  EXPECT_NE(said.find("cannot rename a label to \"b\": Pod \"p\" has that label as well; fix: "
                      "configure \"b\" to be removed or renamed"),
            std::string::npos)
      << said;
}

TEST(RemapLabels, RefusesInvalidRules) {
  const std::string long_name(64, 'n');
  const std::pair<TextMap, std::string> wrong[] = {
      {{{"a", "z"}}, "parameter \"a\" is \"z\", expected \"set VALUE\", \"replace OLD NEW\","},
      {{{"a", ""}}, "parameter \"a\" is \"\", expected "},
      {{{"a", "set"}}, "parameter \"a\" is \"set\", expected "},
      {{{"a", "set x y"}}, "parameter \"a\" is \"set x y\", expected "},
      {{{"a", "replace x"}}, "parameter \"a\" is \"replace x\", expected "},
      {{{"a", "remove x"}}, "parameter \"a\" is \"remove x\", expected "},
      {{{"a", "set -x"}}, "parameter \"a\" has \"-x\", which is not the value of a label"},
      {{{"a", "set x/y"}}, "parameter \"a\" has \"x/y\", which is not the value of a label"},
      {{{"a", "set " + long_name}}, "parameter \"a\" has \"" + long_name + "\", which is not"},
      {{{"a", "replace x. y"}}, "parameter \"a\" has \"x.\", which is not the value of a label"},
      {{{"a", "rename a"}}, "parameter \"a\" renames the label to \"a\"; needed: "},
      {{{"a", "rename x/y/z"}}, "parameter \"a\" renames the label to \"x/y/z\"; needed: "},
      {{{"a", "rename X.io/y"}}, "parameter \"a\" renames the label to \"X.io/y\"; needed: "},
      {{{"a", "rename /y"}}, "parameter \"a\" renames the label to \"/y\"; needed: "},
      {{{"a", "rename x./y"}}, "parameter \"a\" renames the label to \"x./y\"; needed: "},
      {{{"a", "rename x/"}}, "parameter \"a\" renames the label to \"x/\"; needed: "},
      {{{"a b", "remove"}}, "parameter \"a b\" is not the key of a label"},
      {{{"", "remove"}}, "parameter \"\" is not the key of a label"},
      {{{long_name, "remove"}}, "parameter \"" + long_name + "\" is not the key of a label"},
      {{{"a", "rename c"}, {"b", "rename c"}},
       "parameter \"b\" renames the label to \"c\", which another parameter also produces"},
      {{{"a", "rename c"}, {"c", "set x"}},
       "parameter \"a\" renames the label to \"c\", which another parameter also produces"},
  };
  for (const auto& [rules, message] : wrong) {
    Host host = host_of_builtins();
    const auto action = host.create<RestoreItemAction>("tenon.dev/remap-labels", rules);
    ASSERT_FALSE(action) << message;
    EXPECT_EQ(action.error().status(), TENON_INVALID_ARGUMENT);
    EXPECT_NE(action.error().message().find(message), std::string::npos)
        << action.error().message();
  }
}

}}  // namespace tenon::tests
