// SPDX-License-Identifier: BSL-1.0
//
// waiting-host DIRECTORY PLUGIN: creates a host and an instance, writes "ready" to standard error,
// and waits to be killed.
#include <tenon/host.hpp>

#include <test/echo.hpp>

#include <chrono>
#include <iostream>
#include <thread>

int main(int, char** arguments) {
  tenon::Host host({.app = "", .plugin_path = {arguments[1]}});
  auto plugin = host.create<test::Echo>(arguments[2]);
  if (!plugin) {
    std::cerr << plugin.error().to_string() << std::endl;
    return 1;
  }
  std::cerr << "ready" << std::endl;
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}
