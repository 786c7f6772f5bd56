// SPDX-License-Identifier: BSL-1.0
//
// Helper for tests that kill a process at a certain system call.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace tenon::tests {

/// Runs a function in a child process that kills itself (see faulty.h) or ends. Returns whether it
/// was killed.
template <class Body>
bool is_killed_in(Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

}  // namespace tenon::tests
