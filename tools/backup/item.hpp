// SPDX-License-Identifier: BSL-1.0
//
// Reads the parts of the JSON text of an item that a run needs.
#pragma once

#include <tenon/resource_id.hpp>
#include <tenon/result.hpp>

#include <string>
#include <string_view>

#include "item_outline.hpp"
#include "resource_names.hpp"

namespace backup {

/// Reads an item. Error: not-json, also if it is not an object.
tenon::Result<ItemOutline> read_item(std::string_view text);

/// Returns the zone of a volume: its label topology.kubernetes.io/zone; empty if it has none.
std::string zone_of(const Labels& labels);

/// Returns the id that an item has after an action: its resource, with the namespace and name in
/// its metadata. Errors: those of read_item; bad-id, if it has no name or one that cannot be a
/// path.
tenon::Result<tenon::ResourceIdV1> id_of(std::string_view item, const std::string& resource);

/// Returns the id of an item, with the resource of its kind and API group.
tenon::ResourceIdV1 id_of(const ItemOutline& item, const ResourceNames& names);

}  // namespace backup
