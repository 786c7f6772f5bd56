// SPDX-License-Identifier: BSL-1.0
#include "label_syntax.hpp"

#include <algorithm>

namespace tenon::builtin {
namespace {

constexpr std::string_view digits_and_lower = "0123456789abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view alphanumeric =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// Returns whether a text consists of characters of `edge` and `inner`, with one of `edge` at both
/// ends.
bool consists_of(std::string_view text, std::string_view edge, std::string_view inner) {
  const auto is_of = [](std::string_view set) {
    return [set](char c) { return set.find(c) != std::string_view::npos; };
  };
  return !text.empty() && is_of(edge)(text.front()) && is_of(edge)(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_of(edge)(c) || is_of(inner)(c); });
}

bool is_name(std::string_view text) {
  return text.size() <= 63 && consists_of(text, alphanumeric, "-_.");
}

bool is_domain(std::string_view text) {
  if (text.size() > 253) return false;
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!consists_of(text.substr(0, dot), digits_and_lower, "-")) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

bool is_label_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return is_name(text);
  return is_domain(text.substr(0, slash)) && is_name(text.substr(slash + 1));
}

bool is_label_value(std::string_view text) {
  return text.empty() || is_name(text);
}

}  // namespace tenon::builtin
