// SPDX-License-Identifier: BSL-1.0
//
// Docs of specs as comments of generated sources.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::gen {

/// How wide generated sources are.
inline constexpr std::size_t source_width = 100;

/// The words of a text in lines of at most `width` characters. Line ends in the text stay.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// "/* text\n * more */\n", each line behind `indent` spaces; nothing for an empty text. What would
/// begin or end a comment is pulled apart.
std::string c_comment(std::string_view text, std::size_t indent);

}  // namespace tenon::gen
