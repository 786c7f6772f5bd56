// SPDX-License-Identifier: BSL-1.0
//
// The outline of a document, compared with the tree of all its values.
#include "backup/item_outline.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "backup/documents.hpp"

namespace backup { namespace {

namespace json = boost::json;

ItemOutline::Text text_in(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || value->is_null()) return {};
  if (!value->is_string()) return {.value = {}, .is_other = true};
  return {.value = std::string(value->get_string()), .is_other = false};
}

ItemOutline outline_of(const json::value& document) {
  ItemOutline outline;
  const json::object* object = document.if_object();
  if (object == nullptr) return outline;
  outline.is_object = true;
  outline.api_version = text_in(*object, "apiVersion");
  outline.kind = text_in(*object, "kind");
  const json::value* metadata = object->if_contains("metadata");
  if (metadata == nullptr || !metadata->is_object()) return outline;
  outline.has_metadata = true;
  outline.in_namespace = text_in(metadata->get_object(), "namespace");
  outline.name = text_in(metadata->get_object(), "name");
  if (const json::value* annotations = metadata->get_object().if_contains("annotations")) {
    if (annotations->is_object()) {
      for (const auto& [key, value] : annotations->get_object()) {
        outline.annotations.append(key).push_back('\0');
      }
    }
  }
  const json::value* labels = metadata->get_object().if_contains("labels");
  if (labels == nullptr || !labels->is_object()) return outline;
  for (const auto& [key, value] : labels->get_object()) {
    if (value.is_string()) outline.labels.emplace(key, value.get_string());
  }
  return outline;
}

std::string shown(const ItemOutline& outline) {
  std::string all = std::string("object: ") + (outline.is_object ? "yes" : "no") +
                    ", metadata: " + (outline.has_metadata ? "yes" : "no");
  for (const auto* text :
       {&outline.api_version, &outline.kind, &outline.in_namespace, &outline.name}) {
    all += ", " + (text->is_other ? "other" : '"' + text->value + '"');
  }
  for (const auto& [key, value] : outline.labels) all += ", " + key + '=' + value;
  all += ", annotations: " + outline.annotations;
  return all;
}

TEST(ItemOutline, MatchesATreeOfTheDocument) {
  for (
      const std::string_view document : {
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"n","namespace":"s"}})",
          R"({"metadata":{"labels":{"a":"1","b":2,"c":null,"d":"","e":{"a":"2"},"f":["g"]}}})",
          R"({"\u006bind":"\u0050od","metadata":{"n\u0061me":"\"\\","labels":{"\u0061":"\n"}}})",
          R"({"kind":null,"apiVersion":7,"metadata":{"name":["x"],"namespace":{"name":"y"}}})",
          R"({"kind":true,"apiVersion":1.5,"metadata":{"name":{},"namespace":[]}})",
          R"({"metadata":[{"name":"x"}],"spec":{"metadata":{"name":"y"},"name":"z"}})",
          R"({"metadata":null,"kind":"K"})",
          R"({"metadata":{"labels":[{"a":"1"}],"name":"n"},"name":"z","labels":{"a":"1"}})",
          R"({"metadata":{"labels":"a","x":{"labels":{"a":"1"}},"y":[[{"name":"z"}]]}})",
          R"({"spec":{"labels":{"a":"1"}},"metadata":{},"status":{"kind":"K"}})",
          R"({"kind":"one","kind":2,"apiVersion":2,"apiVersion":"two"})",
          R"({"metadata":{"name":"n","labels":{"a":"1"}},"metadata":{"namespace":"s"}})",
          R"({"metadata":{"name":"n"},"metadata":1})",
          R"({"metadata":{"labels":{"a":"1","b":"2","a":3},"name":"n","name":"m"}})",
          R"({"metadata":{"labels":{"a":"1"},"labels":{"b":"2"}}})",
          R"({"metadata":{"annotations":{"a":"1","b":{"c":{"d":1}},"e":["f"],"\u0067":null}}})",
          R"({"metadata":{"annotations":{"a":"1"},"annotations":{"b":"2"}},"annotations":{"c":1}})",
          R"({"metadata":{"annotations":[{"a":"1"}],"labels":{"b":"2"},"name":"n"}})",
          R"({"metadata":{"annotations":{"a":"1"}},"metadata":{"labels":{"annotations":"b"}}})",
          R"([{"kind":"Pod","metadata":{"name":"n"}}])",
          R"("text")",
          " {} \n",
      }) {
    boost::system::error_code error;
    EXPECT_EQ(shown(read_outline(document, error)), shown(outline_of(json::parse(document))))
        << document;
    EXPECT_FALSE(error) << document;
  }
}

TEST(ItemOutline, RefusesInvalidJson) {
  const auto levels = [](std::size_t count) {
    return std::string(count, '[') + std::string(count, ']');
  };
  boost::system::error_code error;
  read_outline(levels(deepest_document), error);
  EXPECT_FALSE(error);
  read_outline(levels(deepest_document + 1), error);
  EXPECT_EQ(error, json::error::too_deep);
  read_outline("{} {}", error);
  EXPECT_EQ(error, json::error::extra_data);
  read_outline("{\"a\":", error);
  EXPECT_EQ(error, json::error::incomplete);
  read_outline("{\"a\":\"\xff\"}", error);
  EXPECT_EQ(error, json::error::syntax);
}

}}  // namespace backup
