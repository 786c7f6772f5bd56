// SPDX-License-Identifier: BSL-1.0
//
// The syntax of label keys, label values and names in Kubernetes.
#pragma once

#include <optional>
#include <string_view>

#include "selection/written_text.hpp"

namespace tenon::selection {

/// Returns the flaw of a key, or nothing if it is valid. A key is a name of at most 63 characters
/// (letters, digits, `-`, `_` and `.`, a letter or digit at both ends), eg: "app", or a DNS-1123
/// subdomain of at most 253 characters, `/` and a name, eg: "example.io/app".
std::optional<Flaw> flaw_of_label_key(std::string_view key);

/// Returns the flaw of a value, or nothing if it is valid. A value is a name as above, or empty.
std::optional<Flaw> flaw_of_label_value(std::string_view value);

/// Returns whether a name is a DNS-1123 subdomain of at most 253 characters: lower-case letters and
/// digits, with `-` and `.` between them.
bool is_domain_name(std::string_view name);

}  // namespace tenon::selection
