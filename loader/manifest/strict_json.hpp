// SPDX-License-Identifier: BSL-1.0
//
// JSON from a file that nobody has looked at: RFC 8259 and nothing more, valid UTF-8, 32 levels
// at most, and no key twice in one object (Boost.JSON alone would silently keep the last one).
#pragma once

#include <tenon/result.hpp>

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <string_view>

namespace tenon {

/// The value lives in `storage`. Error: broken-json; found() says what is wrong, and where.
Result<boost::json::value> parse_strict_json(std::string_view text,
                                             boost::json::storage_ptr storage);

}  // namespace tenon
