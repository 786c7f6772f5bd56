// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <clocale>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "platform/windows/system.hpp"
#include "process_state.hpp"

// The others need the functions of Windows.
// clang-format off
#include <psapi.h>
#include <tlhelp32.h>
#include <winternl.h>
// clang-format on
#include <io.h>

namespace tenon::sdk::conformance {
namespace {

using platform::Handle;
using platform::utf8_of;

/// Whether a thread begins in ntdll.dll, as the threads of the loader and of pools do.
bool is_of_system(DWORD number) {
  constexpr auto start_address =
      static_cast<THREADINFOCLASS>(9);  // ThreadQuerySetWin32StartAddress
  const HANDLE thread = OpenThread(THREAD_QUERY_INFORMATION, FALSE, number);
  if (thread == nullptr) return false;
  const Handle owned(thread);
  void* start = nullptr;
  if (NtQueryInformationThread(thread, start_address, &start, sizeof start, nullptr) < 0) {
    return false;
  }
  constexpr DWORD flags =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  HMODULE image = nullptr;
  return GetModuleHandleExW(flags, static_cast<LPCWSTR>(start), &image) != 0 &&
         image == GetModuleHandleW(L"ntdll.dll");
}

HANDLE handle_of(std::uintptr_t number) {
  return reinterpret_cast<HANDLE>(number);
}

bool is_of_file(std::uintptr_t number) {
  const DWORD type = GetFileType(handle_of(number));
  return type == FILE_TYPE_DISK || type == FILE_TYPE_PIPE;
}

bool is_handle(std::uintptr_t number) {
  DWORD flags = 0;
  return GetHandleInformation(handle_of(number), &flags) != 0;
}

/// Returns the path of a mapped file, as the system knows it.
std::wstring mapped_file(const void* address) {
  std::array<wchar_t, 32768> path{};
  const DWORD size = K32GetMappedFileNameW(GetCurrentProcess(), const_cast<void*>(address),
                                           path.data(), static_cast<DWORD>(path.size()));
  return {path.data(), size};
}

/// Returns the directory of Windows, as `mapped_file` returns it.
std::wstring system_directory() {
  const std::wstring file = mapped_file(GetModuleHandleW(L"ntdll.dll"));
  return file.substr(0, file.rfind(L'\\', file.rfind(L'\\') - 1) + 1);
}

template <class T>
std::string bytes_of(const T& value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

using SignalHandler = void (*)(int);

/// Returns the handler of a signal of the C library.
SignalHandler signal_handler(int number) {
  const SignalHandler handler = std::signal(number, SIG_DFL);
  if (handler != SIG_ERR) std::signal(number, handler);
  return handler;
}

std::string variables() {
  wchar_t* const all = GetEnvironmentStringsW();
  const wchar_t* end = all;
  while (*end != L'\0') end += std::wstring_view(end).size() + 1;
  std::string text = utf8_of({all, static_cast<std::size_t>(end - all)});
  FreeEnvironmentStringsW(all);
  return text;
}

template <class Get>
std::string directory(const Get& get) {
  std::array<wchar_t, 32768> path{};
  return utf8_of({path.data(), get(static_cast<DWORD>(path.size()), path.data())});
}

}  // namespace

std::set<std::string> own_threads() {
  std::set<std::string> numbers;
  const Handle snapshot(CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0));
  THREADENTRY32 thread{};
  thread.dwSize = sizeof thread;
  for (BOOL found = Thread32First(snapshot.get(), &thread); found != 0;
       found = Thread32Next(snapshot.get(), &thread)) {
    if (thread.th32OwnerProcessID == GetCurrentProcessId() && !is_of_system(thread.th32ThreadID)) {
      numbers.insert(std::to_string(thread.th32ThreadID));
    }
  }
  return numbers;
}

std::string name_of_thread(const std::string& number) {
  return "thread " + number;
}

std::set<std::string> own_descriptors() {
  constexpr std::uintptr_t longest_gap = 4096;  // the system reuses low numbers
  std::set<std::string> numbers;
  std::uintptr_t last = 0;
  for (std::uintptr_t number = 4; number < last + longest_gap; number += 4) {
    if (!is_handle(number)) continue;
    last = number;
    if (is_of_file(number)) numbers.insert(std::to_string(number));
  }
  return numbers;
}

std::string name_of_descriptor(const std::string& number) {
  std::array<wchar_t, 32768> path{};
  const DWORD size =
      GetFinalPathNameByHandleW(handle_of(std::strtoull(number.c_str(), nullptr, 10)), path.data(),
                                static_cast<DWORD>(path.size()), 0);
  return "handle " + number + " of " +
         (size == 0 ? "an unknown file" : utf8_of({path.data(), size}));
}

std::set<std::string> own_mappings() {
  static const std::wstring of_system = system_directory();
  std::set<std::string> files;
  MEMORY_BASIC_INFORMATION region{};
  for (const char* at = nullptr; VirtualQuery(at, &region, sizeof region) != 0;
       at = static_cast<const char*>(region.BaseAddress) + region.RegionSize) {
    if (region.Type != MEM_MAPPED || region.BaseAddress != region.AllocationBase) continue;
    const std::wstring file = mapped_file(region.BaseAddress);
    if (!file.empty() && !file.starts_with(of_system)) files.insert(utf8_of(file));
  }
  return files;
}

std::string name_of_mapping(const std::string& file) {
  return "mapping of " + file;
}

std::vector<ProcessSetting> process_settings() {
  std::vector<ProcessSetting> all;
  constexpr std::pair<int, const char*> signals[] = {
      {SIGABRT, "SIGABRT"}, {SIGBREAK, "SIGBREAK"}, {SIGFPE, "SIGFPE"},  {SIGILL, "SIGILL"},
      {SIGINT, "SIGINT"},   {SIGSEGV, "SIGSEGV"},   {SIGTERM, "SIGTERM"}};
  for (const auto& [number, name] : signals) {
    all.push_back({"the handler of " + std::string(name), bytes_of(signal_handler(number))});
  }
  const LPTOP_LEVEL_EXCEPTION_FILTER filter = SetUnhandledExceptionFilter(nullptr);
  SetUnhandledExceptionFilter(filter);
  all.push_back({"the filter for unhandled exceptions", bytes_of(filter)});
  all.push_back({"the modes for errors", bytes_of(GetErrorMode())});
  all.push_back({"the locale", std::setlocale(LC_ALL, nullptr)});
  all.push_back({"the environment", variables()});
  all.push_back({"the working directory", directory(GetCurrentDirectoryW)});
  all.push_back({"the directory of DLLs", directory(GetDllDirectoryW)});
  const int mask = _umask(0);
  _umask(mask);
  all.push_back({"the mask for new files", bytes_of(mask)});
  return all;
}

}  // namespace tenon::sdk::conformance
