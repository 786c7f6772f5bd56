// SPDX-License-Identifier: BSL-1.0
//
// The source follows the rules of its kind. PLUGIN is the path of its module.
#include <tenon/sdk/conformance_gtest.hpp>

static tenon::sdk::conformance::Options shots() {
  tenon::sdk::conformance::Options options;
  options.module = PLUGIN;
  options.setups = {{"tenon.dev/source", "me.example/shots", {{"count", "36"}}}};
  return options;
}

TENON_CONFORMANCE_TESTS(Shots, shots());
