// SPDX-License-Identifier: BSL-1.0
//
// A host that its plugin may crash: creates an instance, sends it a text, and prints the result.
// Exits with 7 after a crash that was not contained.
//
//   unruly-host DIRECTORY TEXT
#include <tenon/host.hpp>

#include <test/echo.hpp>
#include <windows.h>

#include <iostream>

namespace {

LONG WINAPI end_after_crash(EXCEPTION_POINTERS*) {
  ExitProcess(7);
}

}  // namespace

int main(int, char** arguments) {
  SetUnhandledExceptionFilter(end_after_crash);
  tenon::Host host({.app = "", .plugin_path = {arguments[1]}, .contain_crashes = true});
  auto plugin = host.create<test::Echo>("unruly");
  if (!plugin) {
    std::cout << plugin.error().to_string() << std::endl;
    return 1;
  }
  const auto result = (*plugin)->say(arguments[2]);
  std::cout << (result ? *result : result.error().to_string()) << std::endl;
  return 0;
}
