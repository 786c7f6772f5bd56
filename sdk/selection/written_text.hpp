// SPDX-License-Identifier: BSL-1.0
//
// Errors in a short text that a user wrote, eg: a pattern on the command line.
#pragma once

#include <tenon/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace tenon::selection {

/// An error in a text.
struct Flaw {
  std::size_t offset = 0;  // in bytes
  std::string found{};
  std::string needed{};
  std::string fix{};
};

/// Returns `text` in quotes and safe for terminals. Long texts are truncated.
std::string in_quotes(std::string_view text);

/// Returns an Error for a flaw. Its `where` contains the text and the column, counted from 1.
Error error_in(std::string_view text, std::string_view code, Flaw flaw);

/// Returns a copy of the error with `place` prepended to its `where`.
Error error_at(std::string_view place, const Error& error);

}  // namespace tenon::selection
