// SPDX-License-Identifier: BSL-1.0
//
// Items that match a selector.
#include "backup/selector.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace backup { namespace {

using Texts = std::vector<std::string>;
using tenon::ResourceIdV1;
using tenon::SelectorV1;

const ResourceNames& names() {
  static const ResourceNames all;
  return all;
}

ResourceIdV1 id_of(const std::string& resource, const std::string& in_namespace) {
  return {.resource = resource, .in_namespace = in_namespace, .name = "web"};
}

Selector compiled(const SelectorV1& selector) {
  return Selector::compile(selector, names()).value();
}

SelectorV1 namespaces(const Texts& included, const Texts& excluded = {}) {
  return {.included_namespaces = included, .excluded_namespaces = excluded};
}

SelectorV1 resources(const Texts& included, const Texts& excluded = {}) {
  return {.included_resources = included, .excluded_resources = excluded};
}

TEST(Selector, SelectsItems) {
  struct {
    SelectorV1 selector;
    std::string resource, in_namespace;
    bool admits;
  } const rows[] = {
      // The zero value matches all.
      {{}, "pods", "web", true},
      {{}, "nodes", "", true},
      // Included namespaces.
      {namespaces({"*"}), "pods", "web", true},
      {namespaces({"web"}), "pods", "web", true},
      {namespaces({"web"}), "pods", "web2", false},
      {namespaces({"a", "web"}), "pods", "web", true},
      {namespaces({"web-*"}), "pods", "web-1", true},
      {namespaces({"web-*"}), "pods", "web", false},
      {namespaces({"web-[0-9]"}), "pods", "web-1", true},
      {namespaces({"web-[0-9]"}), "pods", "web-x", false},
      {namespaces({"we?"}), "pods", "web", true},
      {namespaces({"a", "*"}), "pods", "web", true},
      // Excluded namespaces, which take precedence over included ones.
      {namespaces({}, {"web"}), "pods", "web", false},
      {namespaces({}, {"web"}), "pods", "db", true},
      {namespaces({"web"}, {"web"}), "pods", "web", false},
      {namespaces({"*"}, {"web"}), "pods", "web", false},
      {namespaces({"web-1"}, {"web-*"}), "pods", "web-1", false},
      {namespaces({"web-*"}, {"web-1"}), "pods", "web-2", true},
      {namespaces({}, {"*"}), "pods", "web", false},
      // Items without a namespace.
      {namespaces({}), "nodes", "", true},
      {namespaces({"*"}), "nodes", "", true},
      {namespaces({"*", "*"}), "nodes", "", true},
      {namespaces({"web"}), "nodes", "", false},
      {namespaces({"*", "web"}), "nodes", "", true},
      {namespaces({"**"}), "nodes", "", false},
      {namespaces({}, {"web"}), "nodes", "", true},
      {namespaces({}, {"*"}), "nodes", "", true},
      {namespaces({"*"}, {"web"}), "nodes", "", true},
      {namespaces({"web"}), "namespaces", "", false},
      {namespaces({}, {"web"}), "namespaces", "", true},
      // Included resources, however they are written.
      {resources({"*"}), "deployments.apps", "web", true},
      {resources({"pods"}), "pods", "web", true},
      {resources({"pods"}), "secrets", "web", false},
      {resources({"deployments"}), "deployments.apps", "web", true},
      {resources({"deployment"}), "deployments.apps", "web", true},
      {resources({"deploy"}), "deployments.apps", "web", true},
      {resources({"Deployment"}), "deployments.apps", "web", true},
      {resources({"deployments.apps"}), "deployments.apps", "web", true},
      {resources({"deployments.v1.apps"}), "deployments.apps", "web", true},
      {resources({"deployments"}), "deployments.example.io", "web", false},
      {resources({"nodes"}), "nodes", "", true},
      {resources({"pods"}), "nodes", "", false},
      {resources({"*.apps"}), "deployments.apps", "web", true},
      {resources({"*.apps"}), "pods", "web", false},
      {resources({"deploy*"}), "deployments.apps", "web", true},
      {resources({"*.k8s.io"}), "events.events.k8s.io", "web", true},
      {resources({"deployment?"}), "deployments.apps", "web", false},
      {resources({"[a-e]*"}), "deployments.apps", "web", true},
      {resources({"[a-c]*"}), "deployments.apps", "web", false},
      {resources({"events"}), "events", "web", true},
      {resources({"events"}), "events.events.k8s.io", "web", false},
      // Names that cannot be resolved are used literally.
      {resources({"widgets.example.io"}), "widgets.example.io", "web", true},
      {resources({"widgets"}), "widgets.example.io", "web", false},
      {resources({"widgets"}), "widgets", "web", true},
      // Excluded resources, which take precedence over included ones.
      {resources({}, {"secrets"}), "secrets", "web", false},
      {resources({}, {"secrets"}), "pods", "web", true},
      {resources({}, {"secret"}), "secrets", "web", false},
      {resources({"secrets"}, {"secrets"}), "secrets", "web", false},
      {resources({"*"}, {"deploy"}), "deployments.apps", "web", false},
      {resources({"deploy"}, {"*.apps"}), "deployments.apps", "web", false},
      {resources({}, {"no"}), "nodes", "", false},
      // Both.
      {{.included_namespaces = {"web"}, .included_resources = {"po"}}, "pods", "web", true},
      {{.included_namespaces = {"web"}, .included_resources = {"po"}}, "pods", "db", false},
      {{.included_namespaces = {"web"}, .included_resources = {"po"}}, "secrets", "web", false},
      {{.included_namespaces = {"web"}, .included_resources = {"no"}}, "nodes", "", false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(compiled(row.selector).admits(id_of(row.resource, row.in_namespace)), row.admits)
        << "row " << &row - rows << ": " << row.resource << " in '" << row.in_namespace << "'";
  }
}

TEST(Selector, MatchesLabels) {
  const Selector selector =
      compiled({.included_namespaces = {"web"}, .label_selector = "a=b,c!=d,e in (x,y),!f"});
  const Labels labels{{"a", "b"}, {"e", "x"}};
  EXPECT_TRUE(selector.matches(id_of("pods", "web"), labels));
  EXPECT_FALSE(selector.matches(id_of("pods", "db"), labels));
  EXPECT_FALSE(selector.matches(id_of("pods", "web"), {}));
  EXPECT_TRUE(selector.admits(id_of("pods", "web")));
  EXPECT_TRUE(compiled({}).matches(id_of("pods", "web"), {}));
}

TEST(Selector, DefaultsToTheNamespacesOfABackup) {
  struct {
    SelectorV1 selector;
    bool admits;
  } const rows[] = {
      {{}, true},
      {namespaces({"web"}), true},
      {namespaces({"w*"}), true},
      {namespaces({"*"}, {"db"}), true},
      {namespaces({"db"}), false},
      {namespaces({}, {"web"}), false},
      {namespaces({"web"}, {"web"}), false},
      {{.included_namespaces = {"web"}, .included_resources = {"ns", "po"}}, true},
      {{.included_namespaces = {"web"}, .included_resources = {"po"}}, false},
      {{.included_namespaces = {"web"}, .excluded_resources = {"ns"}}, false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(compiled(row.selector).admits_namespace("web"), row.admits) << "row " << &row - rows;
  }
}

TEST(Selector, RefusesInvalidPatterns) {
  struct {
    SelectorV1 selector;
    std::string code, where;
  } const rows[] = {
      {namespaces({"a", "[b"}), "bad-pattern", "included_namespaces[1]: \"[b\", column 1"},
      {namespaces({}, {"[b"}), "bad-pattern", "excluded_namespaces[0]: \"[b\", column 1"},
      {resources({"pods", "x", "a\\"}), "bad-pattern", "included_resources[2]: \"a\\\", column 2"},
      {resources({}, {"pods", "[z-a]"}), "bad-pattern",
       "excluded_resources[1]: \"[z-a]\", column 2"},
      {resources({""}), "bad-pattern", "included_resources[0]: \"\", column 1"},
      {namespaces({}, {""}), "bad-pattern", "excluded_namespaces[0]: \"\", column 1"},
      {{.label_selector = "a,"}, "bad-label-selector", "label_selector: \"a,\", column 3"},
  };
  for (const auto& row : rows) {
    const auto selector = Selector::compile(row.selector, names());
    ASSERT_FALSE(selector) << row.where;
    EXPECT_EQ(selector.error().code(), row.code);
    EXPECT_EQ(selector.error().where(), row.where);
    EXPECT_FALSE(selector.error().found().empty());
    EXPECT_FALSE(selector.error().needed().empty());
    EXPECT_FALSE(selector.error().fix().empty());
  }
}

TEST(Selector, TakesLinearTimeForLongLists) {
  SelectorV1 selector;
  for (int i = 0; i < 200'000; ++i) {
    selector.included_namespaces.push_back("n" + std::to_string(i));
    selector.excluded_resources.push_back("r" + std::to_string(i));
  }
  const Selector many = compiled(selector);
  for (int i = 0; i < 200'000; ++i) {
    ASSERT_TRUE(many.admits(id_of("pods", "n" + std::to_string(i))));
  }
}

}}  // namespace backup
