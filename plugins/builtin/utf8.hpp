// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

namespace tenon::builtin {

/// Returns whether a text is UTF-8. Texts of the ABI always are; file names, and texts in files and
/// databases, need not be.
bool is_utf8(std::string_view text);

}  // namespace tenon::builtin
