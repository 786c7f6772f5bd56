// SPDX-License-Identifier: BSL-1.0
#include "common/sha256.hpp"

namespace tenon::tools {

std::string Sha256::digits() {
  constexpr char hexadecimal[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : state_.finish()) {
    text += {hexadecimal[byte >> 4], hexadecimal[byte & 15]};
  }
  return text;
}

}  // namespace tenon::tools
