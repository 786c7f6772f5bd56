// SPDX-License-Identifier: BSL-1.0
//
// Paths of the modules that break one rule each, and the names of their tests.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>

#include "verdicts.hpp"

namespace tenon::tests {

/// Returns the path of the module of `kinds` with this fault.
inline std::string module_with(const std::string& kinds, std::string fault) {
  std::ranges::replace(fault, ' ', '-');
  return WRONG "/" + kinds + "-" + fault + ".so";
}

/// Returns the name in camel case, eg: "RepeatsAPosition".
inline std::string name_of_test(const std::string& words) {
  std::string name;
  bool starts_word = true;
  for (const char c : words) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) {
      name += static_cast<char>(starts_word ? std::toupper(letter) : letter);
    }
    starts_word = std::isalnum(letter) == 0;
  }
  return name;
}

}  // namespace tenon::tests
