// SPDX-License-Identifier: BSL-1.0
//
// Generates tests of document types: round trips of random documents, and golden files for
// conversions with a hand-written step.
#pragma once

#include <string>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Returns the source of a test program that uses GoogleTest.
std::string emit_tests(const Model& model);

}  // namespace tenon::gen
