// SPDX-License-Identifier: BSL-1.0
#include "package/name.hpp"

#include <algorithm>

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

constexpr std::size_t longest_part = 253;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_label(std::string_view label) {
  const auto allowed = [](char c) { return is_letter_or_digit(c) || c == '-'; };
  return !label.empty() && is_letter_or_digit(label.front()) && is_letter_or_digit(label.back()) &&
         std::all_of(label.begin(), label.end(), allowed);
}

bool is_domain(std::string_view domain) {
  for (;;) {
    const auto dot = domain.find('.');
    if (!is_label(domain.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    domain.remove_prefix(dot + 1);
  }
}

}  // namespace

std::string_view name_problem(std::string_view name) {
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return "has no '/' after a domain";
  const auto domain = name.substr(0, slash);
  if (domain.empty()) return "has no domain before the '/'";
  if (domain.size() > longest_part) return "has a domain of more than 253 characters";
  if (!is_domain(domain)) {
    return "has a domain with characters other than lowercase letters, digits, '-' and '.'";
  }
  return short_name_problem(name.substr(slash + 1));
}

std::string_view short_name_problem(std::string_view name) {
  if (name.empty()) return "has nothing after the '/'";
  if (name.size() > longest_part) return "has more than 253 characters after the '/'";
  if (name.find_first_of("@:") != std::string_view::npos) {
    return "has an '@' or ':' after the '/', which references could not tell from their own";
  }
  const auto allowed = [](char c) { return c > ' ' && c <= '~' && c != '/'; };
  if (!std::all_of(name.begin(), name.end(), allowed)) {
    return "has a space, a second '/' or a character that is not printable ASCII";
  }
  return {};
}

}}}  // namespace tenon::v0_1::detail
