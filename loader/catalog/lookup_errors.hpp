// SPDX-License-Identifier: BSL-1.0
//
// The texts of errors about plugins that cannot be registered or found.
#pragma once

#include <tenon/detail/kind.hpp>
#include <tenon/result.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/reference.hpp"
#include "catalog/registration.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the error for a plugin that is already registered. `where`: the late file. `differs`
/// means that the files of both have the same version but not the same content.
Error duplicate_error(const Registration& late, const Registration& existing,
                      const std::string& where, bool differs);

/// Return the error for a reference if no plugin has that kind; if none of the kind has that name;
/// and if none of that name can be used as version `target`, or has the version that is named.
Error no_kind(const Reference& reference, const Kind& kind);
Error no_name(const Reference& reference, const Kind& kind, const std::string& known);
Error no_compatible(const Reference& reference, const Kind& kind, std::int32_t target,
                    std::span<const Registration> candidates);
/// Returns the error for a reference that names no plugin of any kind. `others` have its name;
/// `known` lists some existing names; empty if there are none.
Error no_plugin(std::string_view reference, std::vector<const Registration*> others,
                const std::string& known);

/// Returns the first names, and how many there are.
std::string first_names(const std::vector<std::string_view>& names);

}}}  // namespace tenon::v0_1::detail
