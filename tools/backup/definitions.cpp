// SPDX-License-Identifier: BSL-1.0
#include "definitions.hpp"

#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <utility>

#include "document_header.hpp"

namespace backup {
namespace {

/// Returns a member if it is an object, otherwise nullptr. `object` may be nullptr.
const boost::json::object* object_member(const boost::json::object* object, std::string_view key) {
  const boost::json::value* value =
      object != nullptr ? object->if_contains({key.data(), key.size()}) : nullptr;
  return value != nullptr ? value->if_object() : nullptr;
}

/// Returns a member if it is a text, otherwise an empty text. `object` may be nullptr.
std::string text_member(const boost::json::object* object, std::string_view key) {
  const boost::json::value* value =
      object != nullptr ? object->if_contains({key.data(), key.size()}) : nullptr;
  const boost::json::string* found = value != nullptr ? value->if_string() : nullptr;
  return found != nullptr ? std::string(found->data(), found->size()) : std::string();
}

}  // namespace

void add_definition(const boost::json::object& item, ResourceNames& names) {
  const boost::json::object* spec = object_member(&item, "spec");
  const boost::json::object* named = object_member(spec, "names");
  ResourceType type{.group = text_member(spec, "group"),
                    .kind = text_member(named, "kind"),
                    .plural = text_member(named, "plural"),
                    .singular = text_member(named, "singular")};
  if (type.kind.empty() || type.plural.empty()) return;
  const boost::json::value* short_names = named->if_contains("shortNames");
  if (short_names != nullptr && short_names->is_array()) {
    for (const boost::json::value& name : short_names->get_array()) {
      if (name.is_string()) type.short_names.emplace_back(name.get_string());
    }
  }
  names.add(std::move(type));
}

void add_definitions(const Items& items, ResourceNames& names) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items.id(i).resource != "customresourcedefinitions.apiextensions.k8s.io") continue;
    const auto text = items.read(i);
    const auto item = text ? parse_document(*text) : text.error();
    if (item && item->is_object()) add_definition(item->get_object(), names);
  }
}

}  // namespace backup
