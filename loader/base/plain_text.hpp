// SPDX-License-Identifier: BSL-1.0
//
// Escapes untrusted text (file names, manifests, records, messages of plugins) for terminals, logs
// and JSON documents. All such output goes through these functions.
#pragma once

#include <string>
#include <string_view>

namespace tenon { inline namespace v0_1 {

/// Returns `text` as one line of valid UTF-8 that is safe to print. Each byte of line ends, other
/// control characters, hidden characters, and invalid UTF-8 becomes \xNN.
std::string escaped_for_display(std::string_view text);

/// Returns whether a text contains hidden characters: those that change the direction of text, and
/// those that are displayed as nothing, such as tags, fillers and joiners.
bool has_hidden(std::string_view text);

/// Returns `text` with \xNN for each byte that is not valid UTF-8, for formats that escape other
/// characters.
std::string valid_utf8(std::string_view text);

/// Returns `text` as one word of a shell's command line, in quotes if it needs them.
std::string shell_word(std::string_view text);

/// Returns `text` without leading and trailing spaces and tabs.
std::string_view trimmed(std::string_view text);
/// Returns `text` without leading and trailing spaces, tabs and line ends.
std::string_view trimmed_lines(std::string_view text);

}}  // namespace tenon::v0_1
