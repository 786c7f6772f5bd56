// SPDX-License-Identifier: BSL-1.0
//
// Errors about a short text that a person wrote, eg: a pattern on the command line.
#pragma once

#include <tenon/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace backup {

/// One thing that is wrong with a text.
struct Flaw {
  std::size_t offset = 0;  // in bytes
  std::string found{};
  std::string needed{};
  std::string fix{};
};

/// Returns `text` between quotes, harmless for terminals; of a long text its beginning.
std::string in_quotes(std::string_view text);

/// Returns the error of a flaw: where it is says the text and the column, counted from 1.
tenon::Error error_in(std::string_view text, std::string_view code, Flaw flaw);

/// Returns the same error with `place` before where it is.
tenon::Error error_at(std::string_view place, const tenon::Error& error);

}  // namespace backup
