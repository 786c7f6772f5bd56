// SPDX-License-Identifier: BSL-1.0
#include "selection/written_text.hpp"

#include <utility>

#include "base/plain_text.hpp"

namespace tenon::selection {
namespace {

constexpr std::size_t longest_quote = 80;

}  // namespace

std::string in_quotes(std::string_view text) {
  const bool whole = text.size() <= longest_quote;
  return '"' + escaped_for_display(text.substr(0, longest_quote)) + (whole ? "\"" : "\"...");
}

Error error_in(std::string_view text, std::string_view code, Flaw flaw) {
  return Error({.code = std::string(code),
                .where = in_quotes(text) + ", column " + std::to_string(flaw.offset + 1),
                .found = std::move(flaw.found),
                .needed = std::move(flaw.needed),
                .fix = std::move(flaw.fix)});
}

Error error_at(std::string_view place, const Error& error) {
  return Error({.code = std::string(error.code()),
                .where = std::string(place) + ": " + std::string(error.where()),
                .found = std::string(error.found()),
                .needed = std::string(error.needed()),
                .fix = std::string(error.fix())});
}

}  // namespace tenon::selection
