// SPDX-License-Identifier: BSL-1.0
//
// Named points between two steps that belong together. A test compiles the source with
// TENON_TEST_POINTS, and lets a second actor run there: a rescan, a restart, another process. In
// the library a point is nothing. CONTRIBUTING.md lists the points.
#pragma once

#ifdef TENON_TEST_POINTS
#include <string_view>

namespace tenon::tests {
/// Called by the thread that reaches the point. Defined by the test (tests/framework/window.cpp).
void reach(std::string_view point) noexcept;
}  // namespace tenon::tests

#define TENON_TEST_POINT(name) ::tenon::tests::reach(name)
#else
#define TENON_TEST_POINT(name) static_cast<void>(0)
#endif
