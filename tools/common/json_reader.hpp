// SPDX-License-Identifier: BSL-1.0
//
// Reads JSON strictly (RFC 8259: no comments, no trailing commas, no duplicate keys) and keeps the
// source location of every value and key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/json_value.hpp"

namespace tenon::tools {

/// Parses `text`, the content of `file`. Returns nothing, and adds a diagnostic, if it is not JSON.
/// A duplicate key is reported, and its first value is kept.
std::optional<JsonValue> read_json(std::string_view text, const std::string& file,
                                   Diagnostics& diagnostics);

}  // namespace tenon::tools
