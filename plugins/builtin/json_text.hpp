// SPDX-License-Identifier: BSL-1.0
//
// Checks JSON texts without creating values, and converts strings.
#pragma once

#include <boost/json/error.hpp>
#include <boost/json/parse_options.hpp>

#include <string>
#include <string_view>

namespace tenon::builtin {

struct JsonText {
  boost::system::error_code error;  // no error if the text is JSON
  bool is_object = false;
};

/// Returns the options for texts of at most 256 levels. Schemas in custom resource definitions are
/// deeper than the default limit of Boost.JSON.
boost::json::parse_options json_options();

/// Checks a text of at most 256 levels.
JsonText check_json(std::string_view text);

/// Returns a text as a JSON string, in quotes.
std::string json_string(std::string_view text);
void append_json_string(std::string& to, std::string_view text);

/// Returns the text of a valid JSON string, which is in quotes.
std::string text_of_json(std::string_view string);

}  // namespace tenon::builtin
