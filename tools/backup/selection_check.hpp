// SPDX-License-Identifier: BSL-1.0
//
// Finds mistakes in the selection of a user that would select nothing, or not what was meant.
#pragma once

#include <tenon/result.hpp>
#include <tenon/selector.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "items.hpp"
#include "report.hpp"
#include "resource_names.hpp"

namespace backup {

/// Checks the options --include-namespaces, --exclude-namespaces, --include-resources and
/// --exclude-resources. Errors, with the option in `where`: wrong-value, for a pattern that no
/// namespace has, or a name that is both included and excluded; unknown-resource, for a name
/// without wildcards that no resource has.
tenon::Result<void> check_selection(const tenon::SelectorV1& selector, const ResourceNames& names);

/// Warns of names without wildcards that are no namespace of the items: they may be misspelled, and
/// the option does not apply to them.
void report_unknown_namespaces(const tenon::SelectorV1& selector, const Items& items,
                               Report& report);
void report_unknown_namespaces(std::string_view option, const std::vector<std::string>& names,
                               const Items& items, Report& report);

/// Returns whether a text can be the name of a namespace: a DNS-1123 label.
bool is_namespace(std::string_view name);

}  // namespace backup
