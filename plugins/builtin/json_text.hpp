// SPDX-License-Identifier: BSL-1.0
//
// JSON texts, checked without building their values, or parsed.
#pragma once

#include <boost/json/error.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace tenon::builtin {

struct JsonText {
  boost::json::error_code error;  // none: the text is JSON
  bool is_object = false;
};

/// Reads a text of at most 256 levels.
JsonText check_json(std::string_view text);

/// Returns the value of a text of at most 256 levels, or null with an error.
boost::json::value parse_json(std::string_view text, boost::json::error_code& error);

/// Returns a text in quotes, as JSON writes it.
std::string quoted(std::string_view text);

}  // namespace tenon::builtin
