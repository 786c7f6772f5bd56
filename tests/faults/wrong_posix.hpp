// SPDX-License-Identifier: BSL-1.0
//
// Faults of wrong_pipeline.cpp with functions of POSIX.
#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>

namespace {

/// The thread runs no code of the module, which may be unloaded before it starts.
void leak_thread() {
  const auto sleep_for_ever = reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void*>(pause));
  pthread_t thread;
  pthread_create(&thread, nullptr, sleep_for_ever, nullptr);
}

void leak_descriptor() {
  static_cast<void>(open("/dev/null", O_RDONLY | O_CLOEXEC));
}

void hang() {
  for (;;) pause();
}

/// Starts a process that leaves its parent, its session and its group.
void leave_process() {
  if (fork() != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  prctl(PR_SET_NAME, "tenon-left");
  hang();
}

void set_variable(const char* name) {
  setenv(name, "1", 1);
}

}  // namespace
