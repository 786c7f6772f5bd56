// SPDX-License-Identifier: BSL-1.0
//
// restarter MODULE NEXT [again]: loads a plugin of languages.sh or libraries.sh and replaces it by
// its next build, while four threads call it. Prints the grade of the module, the result of the
// restart, whether the module has changed handlers of signals or the alternate stack, and whether
// code of the module is mapped at the end. `again` also prints whether the plugin can be created
// again in this host, and in the next one. The exit status is 1 if a call had a wrong result.
#include <tenon/host.hpp>
#include <tenon/inspect.hpp>

#include <signal.h>
#include <test/echo.hpp>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace {

std::atomic<bool> correct = true;

/// Calls the plugin, and returns the number of the build that served.
std::string build_of(test::Echo& sums) {
  const auto said = sums.say(std::string(100, 'x'));
  const std::string text = said ? *said : said.error().to_string();
  const std::size_t colon = text.find(": ");
  if (colon != std::string::npos && text.substr(colon) == ": 5050") return text.substr(0, colon);
  if (correct.exchange(false)) std::cout << text << std::endl;
  return "";
}

std::string restarted_by(tenon::Host& host, const std::filesystem::path& module,
                         const std::filesystem::path& next) {
  auto sums = host.create<test::Echo>("test.example/sums");
  if (!sums) return "not created: " + sums.error().to_string();
  build_of(**sums);
  std::filesystem::copy_file(next, module.string() + ".new");
  std::filesystem::rename(module.string() + ".new", module);
  std::atomic<bool> done = false;
  std::vector<std::jthread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      do {
        for (int calls = 0; calls < 100; ++calls) build_of(**sums);
      } while (!done);
    });
  }
  const auto outcome = host.restart("test.example/sums");
  done = true;
  callers.clear();
  if (!outcome) return std::string(outcome.error().code());
  return build_of(**sums) == "2" ? "restarted" : "not replaced";
}

bool is_mapped(const std::string& module) {
  std::ifstream maps("/proc/self/maps");
  const std::string name = "/" + std::filesystem::path(module).stem().string() + ".g";
  for (std::string line; std::getline(maps, line);) {
    if (line.find(name) != std::string::npos) return true;
  }
  return false;
}

/// Returns the handlers of all signals, and the alternate stack of the thread.
std::array<const void*, NSIG> signals() {
  std::array<const void*, NSIG> found{};
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    found[signal] = reinterpret_cast<const void*>(action.sa_handler);
  }
  stack_t stack = {};
  sigaltstack(nullptr, &stack);
  found[0] = stack.ss_sp;
  return found;
}

std::string created_again(tenon::Host& host) {
  auto sums = host.create<test::Echo>("test.example/sums");
  if (!sums) return std::string(sums.error().code());
  return build_of(**sums).empty() ? "wrong" : "works";
}

}  // namespace

int main(int count, char** arguments) {
  const std::filesystem::path module = arguments[1];
  const bool again = count > 3;
  const auto report = tenon::inspect(module);
  std::cout << (report.reload ? tenon::to_string(report.reload->grade) : "no grade");
  {
    tenon::Host host({.app = "", .plugin_path = {module}});
    const auto before = signals();
    std::cout << ", " << restarted_by(host, module, arguments[2]);
    if (signals() != before) std::cout << ", signals changed";
    if (again) std::cout << ", again: " << created_again(host);
  }
  if (again) {
    tenon::Host host({.app = "", .plugin_path = {module}});
    std::cout << ", next host: " << created_again(host);
  }
  std::cout << (is_mapped(module) ? ", mapped" : ", unloaded") << std::endl;
  return correct ? 0 : 1;
}
