// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/text.hpp: concatenates the parts of a message: text("cannot read line ", 7, " of ",
// path).
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>

namespace tenon::sdk {
namespace detail {

template <class Part>
void append(std::string& out, const Part& part) {
  if constexpr (std::is_convertible_v<const Part&, std::string_view>) {
    out.append(std::string_view(part));
  } else if constexpr (std::is_same_v<Part, char>) {
    out.push_back(part);
  } else if constexpr (std::is_same_v<Part, bool>) {
    out.append(part ? "true" : "false");
  } else {
    static_assert(std::is_arithmetic_v<Part>, "a part is a string, a character or a number");
    char digits[64];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, part).ptr);
  }
}

}  // namespace detail

/// Returns the concatenation of the parts: strings, characters, numbers and booleans.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::string joined;
  (detail::append(joined, parts), ...);
  return joined;
}

}  // namespace tenon::sdk
