// SPDX-License-Identifier: BSL-1.0
//
// The syntax of label keys and label values in Kubernetes.
#pragma once

#include <string_view>

namespace tenon::builtin {

/// Returns whether a text is a label key, such as "app.kubernetes.io/name" or "tier".
bool is_label_key(std::string_view text);

/// Returns whether a text is a label value: empty, or at most 63 letters, digits, `-`, `_` and `.`
/// with a letter or digit at both ends.
bool is_label_value(std::string_view text);

}  // namespace tenon::builtin
