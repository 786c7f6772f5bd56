// SPDX-License-Identifier: BSL-1.0
//
// A hand-written description of a kind, for tests that need no generated code: test.example/tool
// with versions 1 to 4. Version 1 is adapted to 2 and version 3 to 4, but versions 1 and 2 cannot
// be adapted to 3 or 4.
#pragma once

#include <tenon/detail/kind.hpp>

#include <cstdint>

namespace tenon::tests {

/// Returns the kind, which is registered when the program starts.
const Kind& tool_kind();

/// Returns the fingerprint of a version of tool_kind().
constexpr std::uint64_t tool_fingerprint(std::int32_t version) {
  return 0xf00d0000u + static_cast<std::uint64_t>(version);
}

inline constexpr const char* tool_refusal = "a hammer is no saw";

}  // namespace tenon::tests
