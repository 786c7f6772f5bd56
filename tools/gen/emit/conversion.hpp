// SPDX-License-Identifier: BSL-1.0
//
// Generated statements that bring a value of one version to the form of another.
#pragma once

#include "gen/emit/writer.hpp"
#include "gen/model/model.hpp"

#include <string>

namespace tenon::gen {

/// Statements that set `to`, an lvalue of the C type of `target`, from `from`, one of the C type of
/// `source`; they may return a status. They know the call as `call`. Texts, lists and the like are
/// shared where they need no conversion. What a document cannot name goes to its bag only where the
/// document comes back.
void emit_assignment(Writer& out, const std::string& to, const Type& target,
                     const std::string& from, const Type& source, Passing passing, bool comes_back);

/// A statement that sets `to` to a value of a spec, with its own memory in the arena of the call.
void emit_constant(Writer& out, const std::string& to, const Type& target, const JsonValue& value);

}  // namespace tenon::gen
