// SPDX-License-Identifier: BSL-1.0
#include "base/plain_text.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/utf8.hpp"

namespace tenon { inline namespace v0_1 {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};
constexpr Range controls[] = {{0x00, 0x1f}, {0x7f, 0x9f}};
/// Characters that move or reverse their neighbours, and those that Unicode displays as nothing
/// (Default_Ignorable_Code_Point) except for the selectors of variants of symbols.
constexpr Range hidden[] = {
    {0xad, 0xad},     {0x34f, 0x34f},     {0x61c, 0x61c},     {0x115f, 0x1160},
    {0x17b4, 0x17b5}, {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
    {0x2060, 0x206f}, {0x3164, 0x3164},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
    {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

/// One character, or one byte that is not valid UTF-8.
struct Character {
  std::uint32_t number = 0;
  std::size_t size = 1;
  bool valid = false;
};

Character first_of(std::string_view text) {
  const std::size_t size = json::detail::utf8_length(text);
  if (size == 0) return {};
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::uint32_t number = size == 1 ? byte(0) : byte(0) & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) number = number << 6 | (byte(i) & 0x3fU);
  return {.number = number, .size = size, .valid = true};
}

bool is_in(std::span<const Range> ranges, std::uint32_t number) {
  return std::ranges::any_of(ranges, [number](const Range& range) {
    return number >= range.first && number <= range.last;
  });
}

/// REQUIRED: printable ASCII is kept.
template <class Keep>
std::string cleaned(std::string_view text, Keep keep) {
  constexpr char digits[] = "0123456789abcdef";
  std::string result;
  for (;;) {
    const auto plain = std::ranges::find_if_not(text, [](char c) { return c >= ' ' && c <= '~'; });
    const auto size = static_cast<std::size_t>(plain - text.begin());
    result += text.substr(0, size);
    text.remove_prefix(size);
    if (text.empty()) return result;
    const Character character = first_of(text);
    const std::string_view bytes = text.substr(0, character.size);
    if (character.valid && keep(character.number)) {
      result += bytes;
    } else {
      for (const unsigned char byte : bytes) {
        result += {'\\', 'x', digits[byte >> 4], digits[byte & 0xf]};
      }
    }
    text.remove_prefix(character.size);
  }
}

/// Returns `text` without leading and trailing characters of `blanks`.
std::string_view without(std::string_view text, std::string_view blanks) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return text.substr(text.size());
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

std::string escaped_for_display(std::string_view text) {
  return cleaned(text, [](std::uint32_t number) {
    return !is_in(controls, number) && !is_in(hidden, number);
  });
}

bool has_hidden(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_of(text);
    if (character.valid && is_in(hidden, character.number)) return true;
    text.remove_prefix(character.size);
  }
  return false;
}

std::string valid_utf8(std::string_view text) {
  return cleaned(text, [](std::uint32_t) { return true; });
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@,:";
  if (!text.empty() && text.find_first_not_of(plain) == text.npos) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::string_view trimmed(std::string_view text) {
  return without(text, " \t");
}

std::string_view trimmed_lines(std::string_view text) {
  return without(text, " \t\r\n");
}

}}  // namespace tenon::v0_1
