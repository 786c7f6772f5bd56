// SPDX-License-Identifier: BSL-1.0
//
// Errors about a short text that a person wrote, eg: a pattern on the command line.
#pragma once

#include <tenon/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace tenon::selection {

/// One error in a text.
struct Flaw {
  std::size_t offset = 0;  // in bytes
  std::string found{};
  std::string needed{};
  std::string fix{};
};

/// Returns `text` in quotes, safe for terminals. Long texts are shortened.
std::string in_quotes(std::string_view text);

/// Returns the error of a flaw. Its `where` is the text and the column, counted from 1.
Error error_in(std::string_view text, std::string_view code, Flaw flaw);

/// Returns the same error with `place` before its `where`.
Error error_at(std::string_view place, const Error& error);

}  // namespace tenon::selection
