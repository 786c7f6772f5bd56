// SPDX-License-Identifier: BSL-1.0
//
// Reads and changes the Kubernetes resources that item actions receive as JSON.
#pragma once

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tenon::builtin {

/// A resource that can be changed. Its numbers keep their text, since most of them have no exact
/// equivalent in C++: each number of the value is the index of its text, so actions must neither
/// read numbers nor add any.
class Resource {
 public:
  /// Parses the text of one resource, which must outlive the object. Throws sdk::Failure with
  /// TENON_INVALID_ARGUMENT if it is not a JSON object.
  explicit Resource(std::string_view text);
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;

  boost::json::value& value() noexcept { return value_; }
  boost::json::object& members() { return value_.get_object(); }
  const boost::json::object& members() const { return value_.get_object(); }

  /// Returns the resource as JSON, with its changes.
  std::string text() const;

 private:
  boost::json::monotonic_resource memory_;  // of the value, which is therefore not destroyed
  std::vector<std::string_view> numbers_;
  boost::json::value value_;
};

/// Returns whether a key or text of a resource may contain one of these texts. It takes a third of
/// the time of parsing the resource. Throws as Resource does.
bool may_contain(std::string_view resource, const std::vector<std::string_view>& texts);

/// Returns the member `name` if it is an object, otherwise nullptr.
const boost::json::object* object_in(const boost::json::object* object, std::string_view name);
boost::json::object* object_in(boost::json::object* object, std::string_view name);

/// Returns the member `name` if it is a string, otherwise an empty text.
std::string_view text_in(const boost::json::object* object, std::string_view name);

/// Returns a name of a resource for messages, for example `Pod "web/front"`.
std::string title_of(const boost::json::object& resource);

}  // namespace tenon::builtin
