// SPDX-License-Identifier: BSL-1.0
//
// Hosts that contain crashes, and crashes of the module `unruly`.
#pragma once

#include <gtest/gtest.h>
#include <test/echo.hpp>

#include <algorithm>
#include <ostream>
#include <string>

#include "integration/hosting.hpp"

namespace tenon::tests {

inline constexpr const char* unruly_package = "test.example/unruly";

class Containment : public Hosting {
 protected:
  Containment() { place_fault("unruly"); }

  HostOptions containing() {
    HostOptions all = options();
    all.contain_crashes = true;
    return all;
  }
  /// Waits until a module that crashed serves calls again.
  static bool serves_again(Handle<test::Echo>& unruly) {
    return eventually([&] { return unruly->say("well?").has_value(); });
  }
};

/// A crash, and the beginning of its error message.
struct Crashing {
  const char* text;
  const char* message;
};

inline void PrintTo(const Crashing& crashing, std::ostream* out) {
  *out << crashing.text;
}

inline std::string name_of(const testing::TestParamInfo<Crashing>& info) {
  std::string name = info.param.text;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

/// Each system has its own crashes, and runs them in the same tests.
class ContainedCrash : public Containment, public testing::WithParamInterface<Crashing> {};

}  // namespace tenon::tests
