// SPDX-License-Identifier: BSL-1.0
//
// judge MODULE: prints whether the system's loader loads a module of linkers.sh, whether
// `tenon::inspect` expects that, and whether a host can call it: "loads" or "refused" if all three
// agree. The codes of problems follow.
#include <tenon/host.hpp>
#include <tenon/inspect.hpp>

#include <dlfcn.h>
#include <sys/wait.h>
#include <test/echo.hpp>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// Loads a file in a child process, in which nothing else was loaded.
bool is_loaded_by_system(const fs::path& file) {
  const pid_t child = fork();
  if (child == 0) {
    const void* image = dlopen(fs::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (image == nullptr) std::cerr << dlerror() << std::endl;
    _exit(image != nullptr ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string codes_of(const std::vector<tenon::Error>& problems) {
  std::string codes;
  for (const tenon::Error& problem : problems) {
    std::cerr << problem.to_string() << std::endl;
    codes += (codes.empty() ? "" : " ") + std::string(problem.code());
  }
  return codes;
}

/// Returns the code of the problem; empty if a host can call the module.
std::string problem_of_host(const fs::path& file) {
  tenon::Host host({.app = "", .plugin_path = {file}});
  if (!host.problems().empty()) return codes_of(host.problems());
  auto echo = host.create<test::Echo>("test.example/echo");
  if (!echo) return codes_of({echo.error()});
  const auto said = (*echo)->say("hello");
  return said && *said == "1: hello" ? "" : "wrong result";
}

}  // namespace

int main(int, char** arguments) {
  const fs::path file = arguments[1];
  const bool system = is_loaded_by_system(file);
  const tenon::ModuleReport report = tenon::inspect(file);
  const std::string errors = codes_of(report.errors);
  const std::string warnings = codes_of(report.warnings);
  const std::string problem = problem_of_host(file);
  if (system && errors.empty() && problem.empty()) {
    std::cout << "loads" << (warnings.empty() ? "" : ", " + warnings) << std::endl;
  } else if (!system && !errors.empty() && !problem.empty()) {
    std::cout << "refused, " << errors << (problem == errors ? "" : ", " + problem) << std::endl;
  } else {
    std::cout << "system: " << (system ? "loads" : "refused")
              << ", inspect: " << (errors.empty() ? "loads" : errors)
              << ", host: " << (problem.empty() ? "works" : problem) << std::endl;
  }
}
