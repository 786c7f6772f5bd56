// SPDX-License-Identifier: BSL-1.0
#include "utf8.hpp"

#include <algorithm>
#include <cstddef>

namespace tenon::builtin {
namespace {

/// Returns the size of a character from its first byte, or 0 if no character begins with this byte.
std::size_t size_of_character(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  if (first >= 0xf0 && first < 0xf5) return 4;
  return 0;
}

/// Returns whether `second` may follow `first`. Excludes overlong forms, surrogates and characters
/// above U+10FFFF.
bool may_follow(unsigned char first, unsigned char second) {
  const unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  return second >= least && second <= most;
}

bool is_character(std::string_view bytes) {
  if (bytes.size() > 1 &&
      !may_follow(static_cast<unsigned char>(bytes[0]), static_cast<unsigned char>(bytes[1]))) {
    return false;
  }
  return std::all_of(bytes.begin() + 1, bytes.end(),
                     [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; });
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = size_of_character(static_cast<unsigned char>(text[0]));
    if (size == 0 || size > text.size() || !is_character(text.substr(0, size))) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace tenon::builtin
