// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/conformance_gtest.hpp: runs the cases of the conformance kit as tests of GoogleTest,
// one for each case. For programs that link GoogleTest and tenon-conformance.
//
//   TENON_CONFORMANCE_TESTS(Numbers, numbers_options());
#pragma once

#include <tenon/sdk/conformance.hpp>

#include <gtest/gtest.h>

#include <cctype>
#include <string>

namespace tenon::sdk::conformance {

/// Returns the name of the test for a case, eg:
/// "SourceNumbersResumesAfterAnAcknowledgedPosition".
inline std::string test_name(const ::testing::TestParamInfo<Case>& info) {
  const auto last_part = [](const std::string& name) { return name.substr(name.rfind('/') + 1); };
  std::string name;
  bool starts_word = true;
  for (const char c :
       last_part(info.param.kind) + ' ' + last_part(info.param.plugin) + ' ' + info.param.name) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) {
      name += static_cast<char>(starts_word ? std::toupper(letter) : c);
    }
    starts_word = std::isalnum(letter) == 0;
  }
  return name;
}

/// Runs a case in the current test, which fails if the case fails, and is skipped if the case was
/// not run.
inline void check(const Options& options, const Case& one) {
  const Result result = run(options, one);
  if (result.verdict == Verdict::not_run) GTEST_SKIP() << result.reason;
  if (result.verdict == Verdict::failed) ADD_FAILURE() << result.reason;
}

}  // namespace tenon::sdk::conformance

/// Defines the test suite `suite` with one test for each case. `options` is an expression of type
/// Options; it is evaluated once for the list of tests, and once for each test.
#define TENON_CONFORMANCE_TESTS(suite, options)                                            \
  class suite : public ::testing::TestWithParam<::tenon::sdk::conformance::Case> {};       \
  TEST_P(suite, Conforms) {                                                                \
    ::tenon::sdk::conformance::check(options, GetParam());                                 \
  }                                                                                        \
  INSTANTIATE_TEST_SUITE_P(, suite,                                                        \
                           ::testing::ValuesIn(::tenon::sdk::conformance::cases(options)), \
                           ::tenon::sdk::conformance::test_name)
