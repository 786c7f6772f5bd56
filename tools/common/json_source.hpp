// SPDX-License-Identifier: BSL-1.0
//
// Reads JSON strictly (RFC 8259: no comments, no trailing commas, each key once) and keeps the
// place of every value and key.
#pragma once

#include "common/json_value.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tenon::reading {

/// The value that `text`, the content of `file`, is. Nothing when it is no JSON; a key that stands
/// twice is a finding, but its first value is read on with.
std::optional<JsonValue> read_json(std::string_view text, const std::string& file,
                                   Findings& findings);

}  // namespace tenon::reading
