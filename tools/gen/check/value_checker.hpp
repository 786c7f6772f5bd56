// SPDX-License-Identifier: BSL-1.0
//
// Checks the values that evolution.json gives for fields.
#pragma once

#include <string>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Returns whether `value` fits a field of type `type`. Reports problems. `otherwise` is the remedy
/// if values of the type have no form in JSON: those of buffers and streams.
///
/// In JSON a duration or timestamp is an integer in nanoseconds, bytes are base64 (RFC 4648,
/// padded), an enum is the name of a value, a map, struct or document is an object, and an absent
/// value is null. A struct or document may omit optional fields.
bool check_value(const JsonValue& value, const Type& type, const std::string& otherwise,
                 Diagnostics& diagnostics);

}  // namespace tenon::gen
