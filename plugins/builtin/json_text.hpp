// SPDX-License-Identifier: BSL-1.0
//
// Checks JSON texts without building their values.
#pragma once

#include <boost/json/error.hpp>

#include <string_view>

namespace tenon::builtin {

struct JsonText {
  boost::json::error_code error;  // none: the text is JSON
  bool is_object = false;
};

JsonText check_json(std::string_view text);

}  // namespace tenon::builtin
