// SPDX-License-Identifier: BSL-1.0
//
// Formats docs of specs as comments.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::gen {

/// The maximum line width of generated sources.
inline constexpr std::size_t source_width = 100;

/// Wraps words to lines of at most `width` characters. Keeps line breaks in them.
std::vector<std::string> wrap(std::string_view words, std::size_t width);

/// Returns "/* text\n * more */\n", indented by `indent` spaces; "" for an empty text. A space is
/// inserted into comment delimiters in the text.
std::string c_comment(std::string_view text, std::size_t indent);

}  // namespace tenon::gen
