// SPDX-License-Identifier: BSL-1.0
//
// Generates statements that convert values between versions.
#pragma once

#include <string>
#include <vector>

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

namespace tenon::gen {

/// Generates statements that set `to`, an lvalue of the C type of `target`, from `from`, an lvalue
/// of the C type of `source`. They use the variable `call`. Strings, lists and similar values are
/// shared if they need no conversion. Fields that the target version does not have are stored in
/// the bag only if the document comes back. If the conversion fails, the statements in `otherwise`
/// run, which may use its status, `converted`, and have to return.
void emit_assignment(Writer& out, const std::string& to, const Type& target,
                     const std::string& from, const Type& source, TypeMatch match, bool comes_back,
                     const std::vector<std::string>& otherwise);

/// Generates a statement that sets `to` to a value of a spec, allocated in the arena of the call.
void emit_constant(Writer& out, const std::string& to, const Type& target, const JsonValue& value);

}  // namespace tenon::gen
