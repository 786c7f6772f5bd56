// SPDX-License-Identifier: BSL-1.0
//
// Faults of unruly.cpp with functions of Windows, and the path of its file.
#pragma once

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <io.h>
#include <windows.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace {

[[noreturn]] void wait_for_ever() {
  std::fprintf(stderr, "waiting %lu\n", GetCurrentProcessId());
  std::fflush(stderr);
  for (;;) Sleep(INFINITE);
}

void start_a_process() {
  wchar_t line[] = L"cmd.exe /c rem";
  STARTUPINFOW startup{};
  startup.cb = sizeof startup;
  PROCESS_INFORMATION process{};
  if (CreateProcessW(nullptr, line, nullptr, nullptr, FALSE, 0, nullptr, nullptr, &startup,
                     &process) == 0) {
    return;
  }
  WaitForSingleObject(process.hProcess, INFINITE);
  CloseHandle(process.hThread);
  CloseHandle(process.hProcess);
}

/// Maps a file in the working directory.
void map_a_file() {
  const HANDLE file = CreateFileW(L"mapped", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_DELETE,
                                  nullptr, CREATE_ALWAYS, 0, nullptr);
  const HANDLE mapping = CreateFileMappingW(file, nullptr, PAGE_READWRITE, 0, 4096, nullptr);
  MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0);
  CloseHandle(mapping);
  CloseHandle(file);
}

void misbehave_in_the_system(std::string_view how) {
  if (how == "change the process") {
    std::signal(SIGINT, SIG_IGN);
    _umask(0400);
    _putenv("UNRULY=yes");
  }
  if (how == "wait for ever") wait_for_ever();
  if (how == "start a process" || how == "spawn a process") start_a_process();
  if (how == "map a file") map_a_file();
  if (how == "end the process") _exit(9);
}

/// Returns the path of the module, with slashes.
[[maybe_unused]] std::string module_path() {
  static const int here = 0;
  HMODULE module = nullptr;
  GetModuleHandleExW(
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
      reinterpret_cast<const wchar_t*>(&here), &module);
  wchar_t path[4096];
  GetModuleFileNameW(module, path, 4096);
  return std::filesystem::path(path).generic_string();
}

}  // namespace
