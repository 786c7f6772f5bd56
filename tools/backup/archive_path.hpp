// SPDX-License-Identifier: BSL-1.0
//
// The paths of items in an archive:
//
//   resources/nodes/cluster/n1.json                       no namespace
//   resources/deployments.apps/namespaces/web/front.json  namespace "web"
#pragma once

#include <tenon/resource_id.hpp>
#include <tenon/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace backup {

/// The path in an archive of the definitions of resources, see definitions_text.
inline constexpr std::string_view definitions_path = "metadata/definitions.json";

/// The longest resource, namespace or name in bytes, as in Kubernetes.
constexpr std::size_t longest_name = 253;

/// Returns an id for people, eg: "deployments.apps web/front", "nodes n1".
std::string id_text(const tenon::ResourceIdV1& id);

/// Checks that each part of an id can be one part of a path: not empty (except for the namespace),
/// neither `.` nor `..`, at most `longest_name` bytes of UTF-8 without `/` and control characters.
/// Error: bad-id, whose `where` is the id.
tenon::Result<void> check_id(const tenon::ResourceIdV1& id);

/// Returns the path of an item. REQUIRED: check_id(id).
std::string archive_path(const tenon::ResourceIdV1& id);

/// Returns the id of the item with this path. Error: bad-path, whose `where` is the path.
tenon::Result<tenon::ResourceIdV1> parse_archive_path(std::string_view path);

/// Returns why a text cannot be one part of a path, eg: "it contains '/'", or an empty text if it
/// can.
std::string_view path_part_problem(std::string_view part);

}  // namespace backup
