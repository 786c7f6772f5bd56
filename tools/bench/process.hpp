// SPDX-License-Identifier: BSL-1.0
//
// Measures whole processes.
#pragma once

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <string>
#include <vector>

extern char** environ;

namespace tenon::bench {

/// Runs a process from its start to its end, and discards its output.
inline void run_process(benchmark::State& state, std::vector<std::string> command) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  for (auto _ : state) {
    pid_t process = 0;
    int status = 1;
    if (posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ) != 0 ||
        waitpid(process, &status, 0) != process || status != 0) {
      state.SkipWithError((command[0] + " failed").c_str());
      break;
    }
  }
  posix_spawn_file_actions_destroy(&actions);
}

}  // namespace tenon::bench
