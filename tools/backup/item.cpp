// SPDX-License-Identifier: BSL-1.0
#include "item.hpp"

#include "archive_path.hpp"
#include "documents.hpp"

#include <boost/json.hpp>

namespace backup {
const boost::json::object* object_member(const boost::json::object* object, std::string_view key) {
  const boost::json::value* value =
      object != nullptr ? object->if_contains({key.data(), key.size()}) : nullptr;
  return value != nullptr ? value->if_object() : nullptr;
}

std::string text_member(const boost::json::object* object, std::string_view key) {
  const boost::json::value* value =
      object != nullptr ? object->if_contains({key.data(), key.size()}) : nullptr;
  const boost::json::string* found = value != nullptr ? value->if_string() : nullptr;
  return found != nullptr ? std::string(found->data(), found->size()) : std::string();
}

tenon::Result<boost::json::object> parse_item(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = deepest_document;
  boost::json::error_code error;
  boost::json::value value = boost::json::parse(
      {text.data(), text.size()}, error,
      boost::json::make_shared_resource<boost::json::monotonic_resource>(), options);
  if (!error && value.is_object()) return std::move(value.get_object());
  return tenon::Error({.code = "not-json",
                       .message = "the item cannot be read",
                       .found = error ? error.message() : "no object",
                       .needed = "one JSON object"});
}

Labels labels_of(const boost::json::object& item) {
  Labels labels;
  const boost::json::object* found = object_member(object_member(&item, "metadata"), "labels");
  if (found == nullptr) return labels;
  for (const auto& [key, value] : *found) {
    const boost::json::string* label = value.if_string();
    if (label == nullptr) continue;
    labels.emplace(std::string(key.data(), key.size()), std::string(label->data(), label->size()));
  }
  return labels;
}

std::string zone_of(const Labels& labels) {
  const auto zone = labels.find("topology.kubernetes.io/zone");
  return zone != labels.end() ? zone->second : std::string();
}

tenon::Result<tenon::ResourceIdV1> id_of(const boost::json::object& item,
                                         const std::string& resource) {
  const boost::json::object* metadata = object_member(&item, "metadata");
  tenon::ResourceIdV1 id;
  id.resource = resource;
  id.in_namespace = text_member(metadata, "namespace");
  id.name = text_member(metadata, "name");
  if (auto good = check_id(id); !good) return std::move(good).error();
  return id;
}

}  // namespace backup
