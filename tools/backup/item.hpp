// SPDX-License-Identifier: BSL-1.0
//
// Reads those parts of the JSON text of an item that a run needs.
#pragma once

#include "label_selector.hpp"

#include <tenon/resource_id.hpp>
#include <tenon/result.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace backup {

/// Reads an item. Error: not-json, also if it is not an object.
tenon::Result<boost::json::object> parse_item(std::string_view text);

/// Returns a member if it is an object, otherwise nullptr. `object` may be nullptr.
const boost::json::object* object_member(const boost::json::object* object, std::string_view key);
/// Returns a member if it is a text, otherwise an empty text. `object` may be nullptr.
std::string text_member(const boost::json::object* object, std::string_view key);

/// Returns the labels of an item: those in metadata.labels that are texts.
Labels labels_of(const boost::json::object& item);

/// Returns the zone of a volume: its label topology.kubernetes.io/zone; empty if it has none.
std::string zone_of(const Labels& labels);

/// Returns the id that an item has after an action: its resource, with the namespace and name in
/// its metadata. Error: bad-id, if it has no name or one that cannot be a path.
tenon::Result<tenon::ResourceIdV1> id_of(const boost::json::object& item,
                                         const std::string& resource);

}  // namespace backup
