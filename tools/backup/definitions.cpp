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

std::string definitions_text(const ResourceNames& names) {
  boost::json::array definitions;
  for (const ResourceType& type : names.added()) {
    const boost::json::array short_names(type.short_names.begin(), type.short_names.end());
    boost::json::object spec;
    spec["group"] = type.group;
    spec["names"] = {{"kind", type.kind},
                     {"plural", type.plural},
                     {"singular", type.singular},
                     {"shortNames", short_names}};
    boost::json::object definition;
    definition["spec"] = std::move(spec);
    definitions.push_back(std::move(definition));
  }
  return definitions.empty() ? std::string() : boost::json::serialize(definitions) + "\n";
}

void add_definitions(const Items& items, ResourceNames& names) {
  const auto known = parse_document(items.definitions());
  if (!known || !known->is_array()) return;
  for (const boost::json::value& one : known->get_array()) {
    if (one.is_object()) add_definition(one.get_object(), names);
  }
}

}  // namespace backup
