// SPDX-License-Identifier: BSL-1.0
#include "definitions.hpp"

#include "item.hpp"

#include <boost/json.hpp>

#include <utility>

namespace backup {
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
    const auto item = text ? parse_item(*text) : text.error();
    if (item) add_definition(*item, names);
  }
}

}  // namespace backup
