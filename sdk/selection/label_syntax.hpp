// SPDX-License-Identifier: BSL-1.0
//
// The syntax of label keys, label values and names in Kubernetes. C++17 without dependencies, since
// builtin plugins use it too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tenon::selection {

/// The first character of a text that violates a rule, or the first one too many.
struct LabelFlaw {
  std::size_t offset;     // in bytes
  std::string_view part;  // the part of the text to which the rule applies
  std::string needed;
  bool is_too_long = false;
};

namespace detail {

inline constexpr std::size_t longest_name = 63;
inline constexpr std::size_t longest_prefix = 253;

inline bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

inline bool is_alphanumeric(char c) {
  return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

inline bool is_of_name(char c) {
  return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
}

inline LabelFlaw too_long(std::string_view text, std::string_view what, std::size_t longest) {
  return {longest, text,
          std::string(what) + " of at most " + std::to_string(longest) + " characters", true};
}

/// Returns the flaw of a name. REQUIRES: the name is not empty.
inline std::optional<LabelFlaw> flaw_of_name(std::string_view name, std::string_view what) {
  const auto wrong = std::find_if_not(name.begin(), name.end(), is_of_name);
  if (wrong != name.end()) {
    return LabelFlaw{static_cast<std::size_t>(wrong - name.begin()), name,
                     std::string(what) + " of letters, digits, '-', '_' and '.'"};
  }
  std::string ends = std::string(what) + " with a letter or digit at both ends";
  if (!is_alphanumeric(name.front())) return LabelFlaw{0, name, std::move(ends)};
  if (!is_alphanumeric(name.back())) return LabelFlaw{name.size() - 1, name, std::move(ends)};
  if (name.size() > longest_name) return too_long(name, what, longest_name);
  return std::nullopt;
}

/// Returns whether `c` is valid in a DNS name between these neighbours; 0 is an end of the text.
inline bool is_of_domain(char before, char c, char after) {
  if (is_lower_or_digit(c)) return true;
  if (c == '-') return before != 0 && before != '.' && after != 0 && after != '.';
  return c == '.' && before != 0 && before != '.' && after != 0;
}

inline std::optional<LabelFlaw> flaw_of_prefix(std::string_view prefix) {
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    const char before = i == 0 ? char{0} : prefix[i - 1];
    const char after = i + 1 == prefix.size() ? char{0} : prefix[i + 1];
    if (is_of_domain(before, prefix[i], after)) continue;
    return LabelFlaw{i, prefix,
                     "a DNS name of lower-case letters, digits, '-' and '.' before the '/'"};
  }
  if (prefix.empty()) return LabelFlaw{0, prefix, "a DNS name before the '/'"};
  if (prefix.size() > longest_prefix) return too_long(prefix, "a DNS name", longest_prefix);
  return std::nullopt;
}

}  // namespace detail

/// Returns the flaw of a key, or nothing if it is valid. A key is a name of at most 63 characters
/// (letters, digits, `-`, `_` and `.`, a letter or digit at both ends), eg: "app", or a DNS-1123
/// subdomain of at most 253 characters, `/` and a name, eg: "example.io/app".
inline std::optional<LabelFlaw> flaw_of_label_key(std::string_view key) {
  const auto slash = key.find('/');
  if (slash == std::string_view::npos) {
    if (key.empty()) return LabelFlaw{0, key, "a label key"};
    return detail::flaw_of_name(key, "a label key");
  }
  if (auto flaw = detail::flaw_of_prefix(key.substr(0, slash))) return flaw;
  const std::string_view name = key.substr(slash + 1);
  if (name.empty()) return LabelFlaw{key.size(), key, "a name after the '/'"};
  if (name.find('/') != std::string_view::npos) {
    return LabelFlaw{slash + 1 + name.find('/'), key, "a label key with at most one '/'"};
  }
  auto flaw = detail::flaw_of_name(name, "a name after the '/'");
  if (flaw) flaw->offset += slash + 1;
  return flaw;
}

/// Returns the flaw of a value, or nothing if it is valid. A value is a name as above, or empty.
inline std::optional<LabelFlaw> flaw_of_label_value(std::string_view value) {
  if (value.empty()) return std::nullopt;
  return detail::flaw_of_name(value, "a label value");
}

/// Returns whether a name is a DNS-1123 subdomain of at most 253 characters: lower-case letters and
/// digits, with `-` and `.` between them.
inline bool is_domain_name(std::string_view name) {
  return !detail::flaw_of_prefix(name);
}

}  // namespace tenon::selection
