// SPDX-License-Identifier: BSL-1.0
//
// fragile-host [STEP...]: a host of the app photo that remembers crashes. Prints its problems, then
// the result of each step. `say` uses the plugin fragile; `restart` restarts its package; `wait`
// waits for a signal; `exit` ends the process while another thread uses the plugin, once that has
// printed a line.
#include <tenon/host.hpp>

#include <test/echo.hpp>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <thread>

namespace {

void print(const tenon::Result<std::string>& result) {
  std::cout << (result ? *result : result.error().to_string()) << std::endl;
}

tenon::Result<std::string> say(tenon::Host& host) {
  auto plugin = host.create<test::Echo>("test.example/fragile");
  if (!plugin) return std::move(plugin).error();
  tenon::Call call;
  const auto said = (*plugin)->say(call, "it works");
  if (!said) return said.error();
  return std::string(*said);
}

/// Ends the process as soon as the module hangs: it then prints a line.
void exit_meanwhile(tenon::Host& host) {
  int lines[2];
  if (pipe(lines) != 0) std::_Exit(1);
  dup2(lines[1], STDOUT_FILENO);
  std::thread([&host] { print(say(host)); }).detach();
  char read_one = 0;
  if (read(lines[0], &read_one, 1) == 1) std::exit(0);
}

}  // namespace

int main(int count, char** arguments) {
  tenon::HostOptions options{.app = "photo", .remember_crashes = true};
  options.restart.failures.max_failures = 0;
  options.restart.drain_timeout = std::chrono::milliseconds(500);
  static tenon::Host host(std::move(options));
  for (const tenon::Error& problem : host.problems()) std::cout << problem.to_string() << std::endl;
  for (int i = 1; i < count; ++i) {
    const std::string_view step = arguments[i];
    if (step == "say") print(say(host));
    if (step == "restart") {
      const auto done = host.restart("test.example/fragile");
      std::cout << (done ? "restarted" : done.error().to_string()) << std::endl;
    }
    if (step == "wait") {
      std::cout << "waits" << std::endl;
      pause();
    }
    if (step == "exit") exit_meanwhile(host);
  }
}
