// SPDX-License-Identifier: BSL-1.0
//
// A kind written by hand, as the generator would describe it, for tests that need no code of it:
// test.example/tool with the versions 1 to 4. Versions 1 and 2 cannot be used as a newer one than
// 2; 3 is adapted to 4.
#pragma once

#include <tenon/gen/kind.hpp>

#include <cstdint>

namespace tenon::tests {

/// Registered when the program starts.
const Kind& tool_kind();

/// Of a version of tool_kind().
constexpr std::uint64_t tool_fingerprint(std::int32_t version) {
  return 0xf00d0000u + static_cast<std::uint64_t>(version);
}

inline constexpr const char* tool_refusal = "a hammer is no saw";

}  // namespace tenon::tests
