// SPDX-License-Identifier: BSL-1.0
//
// Custom resources, which CustomResourceDefinition documents define.
#pragma once

#include <boost/json/object.hpp>

#include "items.hpp"
#include "resource_names.hpp"

namespace backup {

/// Adds the resource that a definition defines. Does nothing if the definition is incomplete.
void add_definition(const boost::json::object& item, ResourceNames& names);

/// Adds the resources of all definitions among the items.
void add_definitions(const Items& items, ResourceNames& names);

}  // namespace backup
