// SPDX-License-Identifier: BSL-1.0
//
// The fixture of tests with a second actor between two steps that belong together.
#pragma once

#include <tenon/host.hpp>

#include <test/echo.hpp>
#include <test/probe.hpp>

#include <string>

#include "framework/window.hpp"
#include "integration/hosting.hpp"

namespace tenon::tests {

class Interleaved : public Hosting {
 protected:
  static constexpr const char* counters = "test.example/counters";
  static constexpr tenon_status broken = TENON_INTERNAL | TENON_FATAL;

  Interleaved() { place("probe-1.so", "probe.so"); }

  static std::string version_of_probe(const Host& host) {
    const auto probe = host.find<test::Probe>("probe");
    return probe ? probe->package_version() : std::string(probe.error().code());
  }
  static bool finds_echo(const Host& host) {
    return host.find<test::Echo>("standalone:test.example/echo").has_value();
  }
};

}  // namespace tenon::tests
