// SPDX-License-Identifier: BSL-1.0
//
// Helpers for tests of invalid specs. Each mistake must be reported as one problem, at its
// location, with a fix. A '^' in a text marks the character that the problem points to.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>

#include "framework/world.hpp"
#include "gen/common.hpp"

namespace tenon::tests {

/// Contents of files by path.
using Files = std::map<std::string, std::string>;

/// Specs with one mistake, and the expected problem.
struct Mistake {
  std::string name;  // name of the test
  Files files;
  std::string code;
  std::string fix;  // a part of the expected text
};

void PrintTo(const Mistake& mistake, std::ostream* out);
std::string name_of(const testing::TestParamInfo<Mistake>& info);

/// Expects that reading the specs reports exactly the problem of the mistake.
void expect_finding(const Mistake& mistake);

gen::Diagnostics findings_in(const World& world);

/// Returns a spec of the document type a.example/t. `more` are keys before the fields.
std::string document(const std::string& fields, const std::string& more = "",
                     const std::string& version = "1");

/// Returns an evolution.json. `key` names the kind or type.
std::string evolution(const std::string& steps,
                      const std::string& key = "\"kind\": \"a.example/k\"");

/// The key "life" of a released version.
inline const std::string released =
    "\"life\": {\"released\": {\"version\": \"0.1.0\", \"date\": \"2026-11-21\"}},";

}  // namespace tenon::tests
