// SPDX-License-Identifier: BSL-1.0
#include "item.hpp"

#include <utility>

#include "archive_path.hpp"

namespace backup {

tenon::Result<ItemOutline> read_item(std::string_view text) {
  boost::system::error_code error;
  ItemOutline item = read_outline(text, error);
  if (!error && item.is_object) return item;
  return tenon::Error({.code = "not-json",
                       .message = "the item cannot be read",
                       .found = error ? error.message() : "no object",
                       .needed = "one JSON object"});
}

std::string zone_of(const Labels& labels) {
  const auto zone = labels.find("topology.kubernetes.io/zone");
  return zone != labels.end() ? zone->second : std::string();
}

tenon::Result<tenon::ResourceIdV1> id_of(std::string_view item, const std::string& resource) {
  auto outline = read_item(item);
  if (!outline) return std::move(outline).error();
  tenon::ResourceIdV1 id;
  id.resource = resource;
  id.in_namespace = std::move(outline->in_namespace.value);
  id.name = std::move(outline->name.value);
  if (auto good = check_id(id); !good) return std::move(good).error();
  return id;
}

tenon::ResourceIdV1 id_of(const ItemOutline& item, const ResourceNames& names) {
  tenon::ResourceIdV1 id;
  id.resource = names.find_resource(item.api_version.value, item.kind.value);
  id.in_namespace = item.in_namespace.value;
  id.name = item.name.value;
  return id;
}

}  // namespace backup
