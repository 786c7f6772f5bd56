// SPDX-License-Identifier: BSL-1.0
//
// Values of specs as expressions of C++.
#pragma once

#include "gen/model/model.hpp"

#include <string>

namespace tenon::gen {

/// An expression of the type owned_type(type). The value fits the type.
std::string cpp_literal(const JsonValue& value, const Type& type);

}  // namespace tenon::gen
