// SPDX-License-Identifier: BSL-1.0
//
// Checks the values that evolution.json gives for fields.
#pragma once

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Whether `value` can stand for a field of type `type`; what is wrong with it is a finding.
///
/// As JSON a duration or timestamp is a whole number of nanoseconds, bytes are base64 (RFC 4648,
/// padded), an enum is the name of a value, a map, struct or document is an object, what is absent
/// is null. Fields that are optional may be left out of a struct or document.
bool check_value(const JsonValue& value, const Type& type, Findings& findings);

}  // namespace tenon::gen
