// SPDX-License-Identifier: BSL-1.0
//
// Text from a file that nobody has looked at, or of any length, made fit to stand in a message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// `text` in double quotes. What could move a terminal's cursor or hide in a log (control
/// characters, everything that is not ASCII) becomes \xNN, and a long text is cut.
std::string in_quotes(std::string_view text);
/// The same for half a sentence that has such text in it: neither in quotes nor cut.
std::string harmless(std::string_view text);

/// "1.0.0, 1.1.0 and 3 more": the first `most` of the texts.
std::string some_of(const std::vector<std::string>& texts, std::size_t most);

}  // namespace tenon
