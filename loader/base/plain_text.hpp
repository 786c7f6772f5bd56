// SPDX-License-Identifier: BSL-1.0
//
// Text from outside (file names, manifests, records, messages of plugins) on its way to a terminal,
// a log or a JSON document. There is no other function that does this.
#pragma once

#include <string>
#include <string_view>

namespace tenon {

/// Returns `text` in one line of valid UTF-8 that only shows characters. Line ends and other
/// control characters, characters that change the direction of text, and bytes that are no UTF-8
/// become \xNN, one for each byte.
std::string harmless(std::string_view text);

/// Returns `text` with \xNN for each byte that is no UTF-8: for formats that escape the rest.
std::string valid_utf8(std::string_view text);

/// Returns `text` without the spaces and tabs around it.
std::string_view trimmed(std::string_view text);

}  // namespace tenon
