// SPDX-License-Identifier: BSL-1.0
//
// Converts values of specs to C++ expressions.
#pragma once

#include <string>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Returns an expression of the type owned_type(type). Precondition: the value fits the type.
std::string cpp_literal(const JsonValue& value, const Type& type);

}  // namespace tenon::gen
