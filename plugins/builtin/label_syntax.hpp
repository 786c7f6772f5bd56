// SPDX-License-Identifier: BSL-1.0
//
// How Kubernetes writes the keys and values of labels.
#pragma once

#include <string_view>

namespace tenon::builtin {

/// eg: "app.kubernetes.io/name", "tier"
bool is_label_key(std::string_view text);

/// At most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends; or nothing.
bool is_label_value(std::string_view text);

}  // namespace tenon::builtin
