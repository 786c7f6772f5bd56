// SPDX-License-Identifier: BSL-1.0
//
// Reads the resources of a cluster that the item actions are given: JSON documents as Kubernetes
// writes them.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace tenon::builtin {

/// Parses the text of one resource. Throws sdk::Failure with TENON_INVALID_ARGUMENT when it is not
/// a JSON object.
boost::json::object parse_resource(std::string_view text);

/// The object that is the member `name`; nullptr where there is none.
const boost::json::object* object_in(const boost::json::object* object, std::string_view name);
boost::json::object* object_in(boost::json::object* object, std::string_view name);

/// The text that is the member `name`; empty where there is none.
std::string_view text_in(const boost::json::object* object, std::string_view name);

/// Names a resource for messages, eg: `Pod "web/front"`.
std::string title_of(const boost::json::object& resource);

}  // namespace tenon::builtin
