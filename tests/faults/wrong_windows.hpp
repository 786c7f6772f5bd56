// SPDX-License-Identifier: BSL-1.0
//
// Faults of wrong_pipeline.cpp with functions of Windows.
#pragma once

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <cstdlib>

namespace {

/// The thread runs no code of the module, which may be unloaded before it starts.
void leak_thread() {
  const auto sleep_for_ever =
      reinterpret_cast<LPTHREAD_START_ROUTINE>(reinterpret_cast<void*>(Sleep));
  CloseHandle(
      CreateThread(nullptr, 0, sleep_for_ever, reinterpret_cast<void*>(INFINITE), 0, nullptr));
}

void leak_descriptor() {
  static_cast<void>(
      CreateFileW(L"left", GENERIC_WRITE, FILE_SHARE_DELETE, nullptr, CREATE_ALWAYS, 0, nullptr));
}

void hang() {
  Sleep(INFINITE);
}

/// Starts a process that does not end.
void leave_process() {
  wchar_t endless[] = L"cmd.exe /c for /l %i in (0,0,1) do @rem";
  STARTUPINFOW startup{};
  startup.cb = sizeof startup;
  PROCESS_INFORMATION process{};
  CreateProcessW(nullptr, endless, nullptr, nullptr, TRUE, 0, nullptr, nullptr, &startup, &process);
}

void set_variable(const char* name) {
  _putenv_s(name, "1");
}

}  // namespace
