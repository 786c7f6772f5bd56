// SPDX-License-Identifier: BSL-1.0
#include "selection/label_syntax.hpp"

#include <algorithm>
#include <string>

namespace tenon::selection {
namespace {

constexpr std::size_t longest_name = 63;
constexpr std::size_t longest_prefix = 253;

bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_alphanumeric(char c) {
  return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

bool is_of_name(char c) {
  return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
}

Flaw flaw_at(std::size_t offset, std::string_view found, std::string needed) {
  return {.offset = offset, .found = in_quotes(found), .needed = std::move(needed)};
}

Flaw too_long(std::string_view text, std::string_view what, std::size_t longest) {
  return {.offset = longest,
          .found = in_quotes(text) + " of " + std::to_string(text.size()) + " characters",
          .needed = std::string(what) + " of at most " + std::to_string(longest) + " characters"};
}

/// Returns the flaw of a name. REQUIRES: the name is not empty.
std::optional<Flaw> flaw_of_name(std::string_view name, std::string_view what) {
  const auto wrong = std::find_if_not(name.begin(), name.end(), is_of_name);
  if (wrong != name.end()) {
    return flaw_at(static_cast<std::size_t>(wrong - name.begin()), name,
                   std::string(what) + " of letters, digits, '-', '_' and '.'");
  }
  const std::string ends = std::string(what) + " with a letter or digit at both ends";
  if (!is_alphanumeric(name.front())) return flaw_at(0, name, ends);
  if (!is_alphanumeric(name.back())) return flaw_at(name.size() - 1, name, ends);
  if (name.size() > longest_name) return too_long(name, what, longest_name);
  return std::nullopt;
}

/// Returns whether `c` is valid in a DNS name between these neighbours; 0 is an end of the text.
bool is_of_domain(char before, char c, char after) {
  if (is_lower_or_digit(c)) return true;
  if (c == '-') return before != 0 && before != '.' && after != 0 && after != '.';
  return c == '.' && before != 0 && before != '.' && after != 0;
}

std::optional<Flaw> flaw_of_prefix(std::string_view prefix) {
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    const char before = i == 0 ? char{0} : prefix[i - 1];
    const char after = i + 1 == prefix.size() ? char{0} : prefix[i + 1];
    if (is_of_domain(before, prefix[i], after)) continue;
    return flaw_at(i, prefix,
                   "a DNS name of lower-case letters, digits, '-' and '.' before the '/'");
  }
  if (prefix.empty()) return flaw_at(0, prefix, "a DNS name before the '/'");
  if (prefix.size() > longest_prefix) return too_long(prefix, "a DNS name", longest_prefix);
  return std::nullopt;
}

}  // namespace

std::optional<Flaw> flaw_of_label_key(std::string_view key) {
  const auto slash = key.find('/');
  if (slash == std::string_view::npos) {
    if (key.empty()) return flaw_at(0, key, "a label key");
    return flaw_of_name(key, "a label key");
  }
  if (auto flaw = flaw_of_prefix(key.substr(0, slash))) return flaw;
  const std::string_view name = key.substr(slash + 1);
  if (name.empty()) return flaw_at(key.size(), key, "a name after the '/'");
  if (name.find('/') != std::string_view::npos) {
    return flaw_at(slash + 1 + name.find('/'), key, "a label key with at most one '/'");
  }
  auto flaw = flaw_of_name(name, "a name after the '/'");
  if (flaw) flaw->offset += slash + 1;
  return flaw;
}

bool is_domain_name(std::string_view name) {
  return !flaw_of_prefix(name);
}

std::optional<Flaw> flaw_of_label_value(std::string_view value) {
  if (value.empty()) return std::nullopt;
  return flaw_of_name(value, "a label value");
}

}  // namespace tenon::selection
