// SPDX-License-Identifier: BSL-1.0
//
// A host whose process is confined after it has loaded a module: the system refuses membarrier to
// all of its threads. It restarts the module RESTARTS times, calls it after each restart, and
// prints one line each: the result of the restart, the result of the call, and the mapped images.
// It also prints each event that prevents unloading.
//
//   confined-host DIRECTORY PACKAGE PLUGIN RESTARTS
#include <tenon/host.hpp>

#include <sys/syscall.h>
#include <test/counter.hpp>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iostream>
#include <set>
#include <string>

#include "integration/confine.hpp"

namespace {

/// Returns whether membarrier is refused on all threads now.
bool refuse_membarrier() {
  return tenon::tests::refuse({SYS_membarrier}, EPERM) && syscall(SYS_membarrier, 0, 0, 0) == -1 &&
         errno == EPERM;
}

/// Returns the generations whose private copies are mapped, eg: " g1 g3".
std::string mapped_generations() {
  std::set<std::string> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto dot = line.rfind(".g");
    if (dot == std::string::npos || line.substr(line.size() - 3) != ".so") continue;
    found.insert(line.substr(dot + 1, line.size() - dot - 4));
  }
  std::string text;
  for (const std::string& generation : found) text += " " + generation;
  return text;
}

}  // namespace

int main(int, char** arguments) {
  tenon::Host host({.app = "", .plugin_path = {arguments[1]}, .on_event = [](const auto& event) {
                      if (event.type != tenon::Event::Type::unload_prevented) return;
                      std::cout << event.to_string() << std::endl;
                    }});
  auto counter = host.create<test::Counter>(arguments[3]).value();
  if (!counter->add(1)) return 1;
  if (!refuse_membarrier()) {
    std::cout << "cannot confine" << std::endl;
    return 77;
  }
  for (int i = 0; i < std::stoi(arguments[4]); ++i) {
    const auto restarted = host.restart(arguments[2]);
    const auto sum = counter->add(1);
    std::cout << (restarted ? "restarted" : restarted.error().to_string()) << ", "
              << (sum ? std::to_string(*sum) : sum.error().to_string()) << ","
              << mapped_generations() << std::endl;
  }
  return 0;
}
