// SPDX-License-Identifier: BSL-1.0
//
// Custom resources, which CustomResourceDefinition documents define.
#pragma once

#include <boost/json/object.hpp>

#include <string>

#include "items.hpp"
#include "resource_names.hpp"

namespace backup {

/// Adds the resource that a definition defines. Does nothing if the definition is incomplete.
void add_definition(const boost::json::object& item, ResourceNames& names);

/// Adds the resources that were known when the backup with these items was created.
void add_definitions(const Items& items, ResourceNames& names);

/// Returns the resources that are not builtin ones of Kubernetes, as the archive of a backup
/// contains them: an array of definitions with their groups and names; empty if there are none.
std::string definitions_text(const ResourceNames& names);

}  // namespace backup
