// SPDX-License-Identifier: BSL-1.0
//
// Helpers for the tests of the conformance kit.
#pragma once

#include <tenon/sdk/conformance.hpp>

#include <string>
#include <vector>

namespace tenon::tests {

namespace conformance = sdk::conformance;
using conformance::Options;
using conformance::Result;
using conformance::run;
using conformance::Verdict;
using Texts = std::vector<std::string>;

/// Returns the failed cases, each after its kind without the domain.
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

}  // namespace tenon::tests
