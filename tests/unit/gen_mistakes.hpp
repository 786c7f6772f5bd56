// SPDX-License-Identifier: BSL-1.0
//
// Wrong specs: each mistake is one finding, at the place of the mistake, with a remedy. In the
// texts a '^' stands before the character that the finding points at.
#pragma once

#include "framework/world.hpp"
#include "gen/common.hpp"

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>

namespace tenon::tests {

/// Files by their paths.
using Files = std::map<std::string, std::string>;

/// One mistake.
struct Mistake {
  std::string name;  // of the test
  Files files;
  std::string code;
  std::string fix;  // a part of it
};

void PrintTo(const Mistake& mistake, std::ostream* out);
std::string name_of(const testing::TestParamInfo<Mistake>& info);

/// That the specs are read with one finding, which is that of the mistake.
void expect_finding(const Mistake& mistake);

gen::Diagnostics findings_in(const World& world);

/// A document type a.example/t; `more` are keys before the fields.
std::string document(const std::string& fields, const std::string& more = "",
                     const std::string& version = "1");

/// An evolution.json of `key`.
std::string evolution(const std::string& steps,
                      const std::string& key = "\"kind\": \"a.example/k\"");

/// The life of what was released.
inline const std::string released =
    "\"life\": {\"released\": {\"version\": \"0.1.0\", \"date\": \"2026-11-21\"}},";

}  // namespace tenon::tests
