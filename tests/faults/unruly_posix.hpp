// SPDX-License-Identifier: BSL-1.0
//
// Faults of unruly.cpp with functions of POSIX, and the path of its file.
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

namespace {

// A value that the compiler cannot know.
int* volatile null_pointer = nullptr;
#ifdef MAY_START_THREADS
[[maybe_unused]] decltype(&pthread_create) volatile create_thread = pthread_create;
#endif

void read_past_a_file() {
  std::FILE* file = std::tmpfile();
  auto* page =
      static_cast<volatile char*>(mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fileno(file), 0));
  std::fclose(file);
  static_cast<void>(page[0]);
}

ssize_t crash_while_reading(void*, char*, std::size_t) {
  return *null_pointer;
}

void read_from_a_stream_of_its_own() {
  std::FILE* stream = fopencookie(nullptr, "r", {crash_while_reading, nullptr, nullptr, nullptr});
  std::fgetc(stream);
}

/// Ends this process with the status of a child: 128 + the signal that ended it.
[[noreturn]] void end_like(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

void crash_in_a_forked_child() {
  const pid_t child = fork();
  if (child == 0) *null_pointer = 1;
  end_like(child);
}

void exit_in_a_forked_child() {
  const pid_t child = fork();
  if (child == 0) std::exit(3);
  end_like(child);
}

void crash_in_a_vforked_child() {
  const pid_t child = vfork();
  if (child == 0) *null_pointer = 1;
  end_like(child);
}

/// Crashes once the file "go" is in the directory for temporary files, and removes it.
void crash_late() {
  const std::string go = std::string(std::getenv("TMPDIR")) + "/go";
  while (unlink(go.c_str()) != 0) usleep(1000);
  *null_pointer = 1;
}

/// Leaves a handle of its own image open.
void open_itself() {
  Dl_info own{};
  dladdr(const_cast<int**>(&null_pointer), &own);
  dlopen(own.dli_fname, RTLD_NOW);
}

/// Returns the parent of a process.
pid_t parent_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  std::string word;
  while (file >> word && word != "PPid:") {
  }
  pid_t parent = 0;
  file >> parent;
  return parent;
}

[[noreturn]] void wait_for_ever() {
  std::fprintf(stderr, "waiting %d\n", static_cast<int>(getpid()));
  for (;;) pause();
}

[[noreturn]] void signal_and_wait(pid_t process, int number) {
  kill(process, number);
  wait_for_ever();
}

void start_a_process() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
}

void spawn_a_process() {
  char name[] = "true";
  char* arguments[] = {name, nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, name, nullptr, nullptr, arguments, environ) == 0) {
    waitpid(child, nullptr, 0);
  }
}

void map_a_file() {
  std::FILE* file = std::tmpfile();
  mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
  std::fclose(file);
}

void name_the_network() {
  char name[64] = {};
  static_cast<void>(readlink("/proc/self/ns/net", name, sizeof name - 1));
  std::fprintf(stderr, "network %s\n", name);
}

/// Leaves a library open that uses its symbols.
void lend_symbols() {
  Dl_info own{};
  dladdr(const_cast<int**>(&null_pointer), &own);
  dlclose(dlopen(own.dli_fname, RTLD_NOW | RTLD_GLOBAL));
  dlopen((std::string(std::getenv("TMPDIR")) + "/borrower.so").c_str(), RTLD_NOW);
}

void misbehave_in_the_system(std::string_view how) {
  if (how == "end the thread") pthread_exit(nullptr);
  if (how == "read past a file") read_past_a_file();
  if (how == "crash late") crash_late();
  if (how == "read from a stream of its own") read_from_a_stream_of_its_own();
  if (how == "send itself a signal") raise(SIGSEGV);
  if (how == "open itself") open_itself();
  if (how == "lend symbols") lend_symbols();
  if (how.substr(0, 5) == "load ") dlopen(std::string(how.substr(5)).c_str(), RTLD_NOW);
  if (how == "change the process") {
    std::signal(SIGINT, SIG_IGN);
    ::umask(0777);
    ::setenv("UNRULY", "yes", 1);
  }
  if (how == "wait for ever") wait_for_ever();
  if (how == "start a process") start_a_process();
  if (how == "spawn a process") spawn_a_process();
  if (how == "map a file") map_a_file();
  if (how == "kill its group") kill(0, SIGKILL);
  if (how == "kill its parent") signal_and_wait(getppid(), SIGKILL);
  if (how == "stop its parent") signal_and_wait(getppid(), SIGSTOP);
  if (how == "close all descriptors") close_range(0, ~0U, 0);
  if (how == "kill its grandparent") signal_and_wait(parent_of(getppid()), SIGKILL);
  if (how == "stop its grandparent") signal_and_wait(parent_of(getppid()), SIGSTOP);
  if (how == "ask itself to end") raise(SIGTERM);
  if (how == "interrupt itself") raise(SIGINT);
  if (how == "name the network") name_the_network();
  if (how == "call quick_exit") std::quick_exit(0);
  if (how == "call exit in a forked child") exit_in_a_forked_child();
  if (how == "crash in a forked child") crash_in_a_forked_child();
  if (how == "crash in a vforked child") crash_in_a_vforked_child();
  if (how == "end the process") _exit(9);
}

/// Returns the path of the module.
[[maybe_unused]] std::string module_path() {
  Dl_info own{};
  dladdr(const_cast<int**>(&null_pointer), &own);
  return own.dli_fname;
}

}  // namespace
