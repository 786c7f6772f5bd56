// SPDX-License-Identifier: BSL-1.0
//
// waiting-host DIRECTORY PLUGIN: creates a host and an instance, writes "ready" to standard error,
// and waits for a signal.
#include <tenon/host.hpp>

#include <test/echo.hpp>
#include <unistd.h>

#include <iostream>

int main(int, char** arguments) {
  tenon::Host host({.app = "", .plugin_path = {arguments[1]}});
  auto plugin = host.create<test::Echo>(arguments[2]);
  if (!plugin) {
    std::cerr << plugin.error().to_string() << std::endl;
    return 1;
  }
  std::cerr << "ready" << std::endl;
  while (true) pause();
}
