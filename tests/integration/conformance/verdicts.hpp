// SPDX-License-Identifier: BSL-1.0
//
// What the tests of the conformance kit have in common.
#pragma once

#include <tenon/sdk/conformance.hpp>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace tenon::tests {

namespace conformance = sdk::conformance;
using conformance::Options;
using conformance::Result;
using conformance::run;
using conformance::Verdict;
using Texts = std::vector<std::string>;

/// The module of `kinds` with this fault.
inline std::string module_with(const std::string& kinds, std::string fault) {
  std::ranges::replace(fault, ' ', '-');
  return WRONG "/" + kinds + "-" + fault + ".so";
}

/// The cases that failed, each after its kind without the domain.
inline Texts failed_cases(const std::vector<Result>& results) {
  Texts failed;
  for (const Result& result : results) {
    const std::string& kind = result.of.kind;
    if (result.verdict != Verdict::failed) continue;
    failed.push_back((kind.empty() ? "module" : kind.substr(kind.find('/') + 1)) + ": " +
                     result.of.name);
  }
  return failed;
}

/// eg: "RepeatsAPosition"
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
