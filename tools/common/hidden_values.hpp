// SPDX-License-Identifier: BSL-1.0
//
// Values that a program must not print, such as passwords from the environment.
#pragma once

#include <string>
#include <string_view>

namespace tenon::tools {

/// Hides a value from all messages of this process: they contain `shown` in its place. A value of
/// fewer than 8 bytes is only replaced where no letter or digit is next to it, and one of fewer
/// than 3 bytes is not hidden. Thread-safe.
void hide_value(std::string_view value, std::string_view shown);

/// Returns a text without the hidden values. Thread-safe.
std::string without_hidden_values(std::string_view text);

}  // namespace tenon::tools
