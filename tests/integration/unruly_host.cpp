// SPDX-License-Identifier: BSL-1.0
//
// A host that does not always survive its plugin: makes an instance, tells it a text, prints what
// came of it, and ends.
//
//   unruly-host FOLDER PLUGIN TEXT [WAY]
//
// With the way `own-handler` it has a handler of SIGSEGV of its own; with `crashes-itself` it also
// crashes when the plugin has answered, with `crashes-later` when the Host is gone. With
// `crashes-when-told` it crashes as soon as it is told of a second module. With `small-stack-later`
// it calls the plugin once, gives its thread a small alternate stack, and has a handler of SIGSEGV
// that says whether anything was written below that.
#include <tenon/host.hpp>

#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>
#include <string_view>
#include <test/echo.hpp>

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
  for (std::size_t i = 0; i < sizeof memory - small; i++) {
    if (memory[i] != 0) _exit(8);
  }
  _exit(7);
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
                      .on_event = [&](const tenon::Event& event) {
                        const bool second = event.package == "test.example/host";
                        if (way == "crashes-when-told" && second) *nowhere = 1;
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
    const auto answer = (*plugin)->say(arguments[3]);
    std::cout << (answer ? *answer : answer.error().to_string()) << std::endl;
    if (way == "crashes-itself") *nowhere = 1;
  }
  if (way == "crashes-later") *nowhere = 1;
  return 0;
}
