// SPDX-License-Identifier: BSL-1.0
#include "resource.hpp"

#include <tenon/sdk/failure.hpp>
#include <tenon/sdk/text.hpp>

#include <boost/json.hpp>

#include <utility>

namespace tenon::builtin {
namespace {

// Schemas in custom resource definitions are deeper than the default limit of Boost.JSON.
constexpr std::size_t max_depth = 256;

}  // namespace

boost::json::object parse_resource(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = max_depth;
  boost::system::error_code error;
  // Parsing a typical resource would spend most of its time in allocations.
  boost::json::value value = boost::json::parse(
      {text.data(), text.size()}, error,
      boost::json::make_shared_resource<boost::json::monotonic_resource>(), options);
  if (error) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "the item is not JSON: ", error.message(),
                       "; needed: a JSON object");
  }
  if (!value.is_object()) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "the item is JSON but not a JSON object");
  }
  return std::move(value.get_object());
}

const boost::json::object* object_in(const boost::json::object* object, std::string_view name) {
  const boost::json::value* member = object != nullptr ? object->if_contains(name) : nullptr;
  return member != nullptr ? member->if_object() : nullptr;
}

boost::json::object* object_in(boost::json::object* object, std::string_view name) {
  boost::json::value* member = object != nullptr ? object->if_contains(name) : nullptr;
  return member != nullptr ? member->if_object() : nullptr;
}

std::string_view text_in(const boost::json::object* object, std::string_view name) {
  const boost::json::value* member = object != nullptr ? object->if_contains(name) : nullptr;
  const boost::json::string* text = member != nullptr ? member->if_string() : nullptr;
  return text != nullptr ? std::string_view(*text) : std::string_view();
}

std::string title_of(const boost::json::object& resource) {
  const boost::json::object* metadata = object_in(&resource, "metadata");
  const std::string_view space = text_in(metadata, "namespace");
  return sdk::text(text_in(&resource, "kind"), " \"", space, space.empty() ? "" : "/",
                   text_in(metadata, "name"), "\"");
}

}  // namespace tenon::builtin
