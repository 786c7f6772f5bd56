// SPDX-License-Identifier: BSL-1.0
#include "gen/model/naming.hpp"

#include <algorithm>
#include <iterator>

namespace tenon::gen {
namespace {

bool is_lower(char c) noexcept {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
char to_upper(char c) noexcept {
  return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

// Sorted. Includes macros of the standard headers and of compilers.
constexpr std::string_view keywords[] = {"alignas",
                                         "alignof",
                                         "and",
                                         "and_eq",
                                         "asm",
                                         "assert",
                                         "auto",
                                         "bitand",
                                         "bitor",
                                         "bool",
                                         "break",
                                         "case",
                                         "catch",
                                         "char",
                                         "char16_t",
                                         "char32_t",
                                         "char8_t",
                                         "class",
                                         "co_await",
                                         "co_return",
                                         "co_yield",
                                         "compl",
                                         "concept",
                                         "const",
                                         "const_cast",
                                         "consteval",
                                         "constexpr",
                                         "constinit",
                                         "continue",
                                         "decltype",
                                         "default",
                                         "delete",
                                         "do",
                                         "double",
                                         "dynamic_cast",
                                         "else",
                                         "enum",
                                         "errno",
                                         "explicit",
                                         "export",
                                         "extern",
                                         "false",
                                         "float",
                                         "for",
                                         "friend",
                                         "goto",
                                         "if",
                                         "inline",
                                         "int",
                                         "linux",
                                         "long",
                                         "mutable",
                                         "namespace",
                                         "new",
                                         "noexcept",
                                         "not",
                                         "not_eq",
                                         "nullptr",
                                         "offsetof",
                                         "operator",
                                         "or",
                                         "or_eq",
                                         "private",
                                         "protected",
                                         "public",
                                         "register",
                                         "reinterpret_cast",
                                         "requires",
                                         "restrict",
                                         "return",
                                         "short",
                                         "signed",
                                         "sizeof",
                                         "static",
                                         "static_assert",
                                         "static_cast",
                                         "stderr",
                                         "stdin",
                                         "stdout",
                                         "struct",
                                         "switch",
                                         "template",
                                         "this",
                                         "thread_local",
                                         "throw",
                                         "true",
                                         "try",
                                         "typedef",
                                         "typeid",
                                         "typename",
                                         "union",
                                         "unix",
                                         "unsigned",
                                         "using",
                                         "virtual",
                                         "void",
                                         "volatile",
                                         "wchar_t",
                                         "while",
                                         "xor",
                                         "xor_eq"};
static_assert(std::is_sorted(std::begin(keywords), std::end(keywords)));

}  // namespace

std::string camel_case(std::string_view name) {
  std::string camel;
  bool begins_word = true;
  for (char c : name) {
    if (c != '_') camel += begins_word ? to_upper(c) : c;
    begins_word = c == '_';
  }
  return camel;
}

std::string upper_case(std::string_view name) {
  std::string upper;
  std::transform(name.begin(), name.end(), std::back_inserter(upper), to_upper);
  return upper;
}

bool is_snake_case(std::string_view name) noexcept {
  if (name.empty() || !is_lower(name.front()) || name.back() == '_') return false;
  for (std::size_t i = 0; i < name.size(); i++) {
    const bool follows_bar = i != 0 && name[i - 1] == '_';
    if (!is_lower(name[i]) && !is_digit(name[i]) && (name[i] != '_' || follows_bar)) return false;
  }
  return true;
}

bool is_keyword(std::string_view word) noexcept {
  return std::binary_search(std::begin(keywords), std::end(keywords), word);
}

std::string inner_name(const Version& version, std::string_view name) {
  const std::string space = version.header.substr(0, version.header.find('/'));
  return space + "::" + camel_case(version.c_name.substr(space.size() + 1)) + camel_case(name);
}

std::string request_name(const KindVersion& version, const Method& method) {
  return version.c_name + "_" + method.name + "_request";
}

std::string response_name(const KindVersion& version, const Method& method) {
  return version.c_name + "_" + method.name + "_response";
}

std::string constant_name(const Enum& enumeration, std::string_view value) {
  return upper_case(enumeration.c_name) + "_" + upper_case(value);
}

std::string hex(std::uint64_t fingerprint) {
  std::string digits(16, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, fingerprint >>= 4) {
    *digit = "0123456789abcdef"[fingerprint & 0xf];
  }
  return digits;
}

}  // namespace tenon::gen
