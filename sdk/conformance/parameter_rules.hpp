// SPDX-License-Identifier: BSL-1.0
//
// What a specification may say of parameters.
#pragma once

#include <tenon/parameter.hpp>

#include <string>
#include <string_view>

namespace tenon::sdk::conformance {

/// Returns what is wrong with the validations of a parameter themselves; empty: nothing.
std::string fault_of_validations(const tenon::Parameter& parameter);

/// Returns what is wrong with a value of a parameter; empty: nothing. REQUIRED: the validations
/// have no fault.
std::string fault_of_value(const tenon::Parameter& parameter, const std::string& value);

/// Returns whether a value must be given because there is no default.
bool must_be_given(const tenon::Parameter& parameter);

/// Returns whether the name stands for several parameters.
bool has_star(std::string_view name);

/// Returns a text without the blanks at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace tenon::sdk::conformance
