// SPDX-License-Identifier: BSL-1.0
//
// Resources that a cluster defines itself, by documents of the kind CustomResourceDefinition.
#pragma once

#include "items.hpp"
#include "resource_names.hpp"

#include <boost/json/object.hpp>

namespace backup {

/// Adds the resource that a definition defines. Does nothing if it is no complete definition.
void add_definition(const boost::json::object& item, ResourceNames& names);

/// Adds those that are among the items.
void add_definitions(const Items& items, ResourceNames& names);

}  // namespace backup
