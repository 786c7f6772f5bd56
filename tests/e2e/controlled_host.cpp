// SPDX-License-Identifier: BSL-1.0
//
// controlled-host DIRECTORY [HOSTS [calls]]: creates hosts with control sockets, and an instance in
// each, and reports figures. Writes "ready" to standard output, and waits for a signal; with
// `calls`, calls a method meanwhile, and reports a problem.
#include <tenon/host.hpp>

#include <test/counter.hpp>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <vector>

int main(int count, char** arguments) {
  std::vector<std::unique_ptr<tenon::Host>> hosts;
  std::vector<tenon::Handle<test::Counter>> counters;
  for (int i = 0; i < (count > 2 ? std::atoi(arguments[2]) : 1); ++i) {
    hosts.push_back(std::make_unique<tenon::Host>(tenon::HostOptions{
        .app = "photo", .plugin_path = {arguments[1]}, .count_calls = true, .control = true}));
    counters.push_back(hosts.back()->create<test::Counter>("counter").value());
    static_cast<void>(counters.back()->add(1));
    hosts.back()->figure({.name = "read", .unit = "records", .part = "orders"}).add(12);
    hosts.back()->figure({.name = "calls", .unit = "seconds", .part = "orders/source"}).add(0.25);
    if (count > 3) hosts.back()->set_health("orders", "the disk is full");
  }
  std::cout << "ready" << std::endl;
  while (count > 3) static_cast<void>(counters.front()->add(1));
  while (true) pause();
}
