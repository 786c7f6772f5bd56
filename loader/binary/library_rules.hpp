// SPDX-License-Identifier: BSL-1.0
//
// Finds the library rules that apply to a module; see tenon/library_rules.hpp.
#pragma once

#include <tenon/library_rules.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the rules that apply to a file with these imports, each with the first function that the
/// file imports.
std::vector<LibraryRule> rules_for(std::span<const std::string_view> imports);

/// Returns whether a rule names a function, which a library then defines for a module.
bool has_rule(std::string_view function);

}}}  // namespace tenon::v0_1::detail
