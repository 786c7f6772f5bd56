// SPDX-License-Identifier: BSL-1.0
//
// Reads the Kubernetes resources that item actions receive as JSON.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace tenon::builtin {

/// Parses the text of one resource. Throws sdk::Failure with TENON_INVALID_ARGUMENT if it is not a
/// JSON object.
boost::json::object parse_resource(std::string_view text);

/// Returns the member `name` if it is an object, otherwise nullptr.
const boost::json::object* object_in(const boost::json::object* object, std::string_view name);
boost::json::object* object_in(boost::json::object* object, std::string_view name);

/// Returns the member `name` if it is a string, otherwise an empty text.
std::string_view text_in(const boost::json::object* object, std::string_view name);

/// Returns a name of a resource for messages, for example `Pod "web/front"`.
std::string title_of(const boost::json::object& resource);

}  // namespace tenon::builtin
