// SPDX-License-Identifier: BSL-1.0
//
// A plugin in C++. The runtime that is linked into it can start threads, but it starts none.
#include <test/sdk/echo.hpp>

#include <string>
#include <string_view>

struct Echo : test::sdk::EchoV1 {
  std::string say(std::string_view text) override { return "DLL: " + std::string(text); }
};
TENON_PLUGIN(Echo, "test.example/dll", "1.0.0",
             {"summary": "Says what it is told", "threads": "joined"});
