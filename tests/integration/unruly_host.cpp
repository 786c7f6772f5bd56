// SPDX-License-Identifier: BSL-1.0
//
// A host that its plugin may crash: creates an instance, sends it a text, prints the result, and
// exits.
//
//   unruly-host DIRECTORY PLUGIN TEXT [WAY]
//
// WAY `own-handler`: it installs a handler for SIGSEGV. `crashes-itself`: it also crashes after the
// call. `crashes-later`: it also crashes after the Host was destroyed. `crashes-in-event`: it
// crashes in the event of a second module. `small-stack-later`: it calls the plugin once, gives its
// thread a small alternate stack, and installs a handler for SIGSEGV that checks the memory below
// the stack. `chained-handler`: it installs a handler for SIGSEGV that calls the previous one, and
// prints whether the call left signals blocked. `reports-exits`: it sets HostOptions::report_exits.
// `exits-itself`: it also sets it, and calls exit after the call.
#include <tenon/host.hpp>

#include <test/echo.hpp>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "integration/host_echo.hpp"

namespace {

int* volatile nowhere = nullptr;

void say_and_end(int) {
  static constexpr std::string_view text = "handled by the host\n";
  _exit(write(STDERR_FILENO, text.data(), text.size()) > 0 ? 7 : 8);
}

constexpr std::size_t small = 8192;
char memory[65'536 + small];

void look_below_and_end(int) {
  for (std::size_t i = 0; i < sizeof memory - small; ++i) {
    if (memory[i] != 0) _exit(8);
  }
  _exit(7);
}

struct sigaction previous = {};

void call_previous(int signal, siginfo_t* info, void* context) {
  previous.sa_sigaction(signal, info, context);
}

void chain_handler() {
  struct sigaction chained = {};
  chained.sa_sigaction = call_previous;
  chained.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaddset(&chained.sa_mask, SIGUSR1);
  sigaction(SIGSEGV, &chained, &previous);
}

bool is_blocked(int signal) {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return sigismember(&mask, signal) == 1;
}

void take_small_stack() {
  const stack_t stack{.ss_sp = memory + sizeof memory - small, .ss_flags = 0, .ss_size = small};
  sigaltstack(&stack, nullptr);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view way = count > 4 ? arguments[4] : "";
  if (way == "own-handler" || way == "crashes-itself" || way == "crashes-later") {
    signal(SIGSEGV, say_and_end);
  }
  if (way == "small-stack-later") signal(SIGSEGV, look_below_and_end);
  {
    tenon::Host host({.app = "",
                      .plugin_path = {arguments[1]},
                      .builtins = {tenon::tests::host_echo()},
                      .contain_crashes = true,
                      .report_exits = way == "reports-exits" || way == "exits-itself",
                      .on_event = [&](const tenon::Event& event) {
                        const bool second = event.package == "test.example/host";
                        if (way == "crashes-in-event" && second) *nowhere = 1;
                      }});
    tenon::tests::host_echo_says = [](std::string_view) -> std::string {
      *nowhere = 1;
      return {};
    };
    auto plugin = host.create<test::Echo>(arguments[2]);
    if (!plugin) {
      std::cout << plugin.error().to_string() << std::endl;
      return 1;
    }
    if (way == "small-stack-later" && (*plugin)->say("well?")) take_small_stack();
    if (way == "chained-handler") chain_handler();
    const auto result = (*plugin)->say(arguments[3]);
    std::cout << (result ? *result : result.error().to_string()) << std::endl;
    if (way == "chained-handler") {
      std::cout << (is_blocked(SIGSEGV) || is_blocked(SIGUSR1) ? "blocked" : "unblocked")
                << std::endl;
    }
    if (way == "crashes-itself") *nowhere = 1;
    if (way == "exits-itself") std::exit(5);
  }
  if (way == "crashes-later") *nowhere = 1;
  return 0;
}
