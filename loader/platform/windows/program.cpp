// SPDX-License-Identifier: BSL-1.0
#include "platform/program.hpp"

#include <fcntl.h>
#include <io.h>

// <shellapi.h> needs the first.
// clang-format off
#include "platform/windows/system.hpp"
#include <shellapi.h>
// clang-format on

#include <cstdlib>

#include "platform/output_file.hpp"
#include "platform/utf8_path.hpp"

// MinGW 10 has it only in its library.
extern "C" __declspec(dllimport) HRESULT WINAPI SetThreadDescription(HANDLE, PCWSTR);

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

HANDLE handle_of(int stream) noexcept {
  constexpr DWORD names[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
  return GetStdHandle(names[stream]);
}

}  // namespace

std::vector<std::string> program_arguments(int, const char* const*) {
  int count = 0;
  wchar_t** const wide = CommandLineToArgvW(GetCommandLineW(), &count);
  std::vector<std::string> arguments;
  for (int i = 0; i < count; ++i) arguments.push_back(utf8_of(wide[i]));
  LocalFree(wide);
  return arguments;
}

void hold_standard_streams() noexcept {
  // Files have no numbers that they could share with a stream.
  for (const int stream : {0, 1, 2}) _setmode(stream, _O_BINARY);
  SetConsoleOutputCP(CP_UTF8);
  for (const int stream : {1, 2}) {
    DWORD mode = 0;
    if (GetConsoleMode(handle_of(stream), &mode) == 0) continue;
    SetConsoleMode(handle_of(stream), mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  }
}

OutputFile reserve_standard_output() {
  HANDLE previous = INVALID_HANDLE_VALUE;
  DuplicateHandle(GetCurrentProcess(), handle_of(1), GetCurrentProcess(), &previous, 0, FALSE,
                  DUPLICATE_SAME_ACCESS);
  _dup2(2, 1);
  SetStdHandle(STD_OUTPUT_HANDLE, handle_of(2));
  return OutputFile("standard output", reinterpret_cast<NativeHandle>(previous));
}

bool is_terminal(int stream) noexcept {
  DWORD mode = 0;
  return GetConsoleMode(handle_of(stream), &mode) != 0;
}

std::size_t terminal_columns(int stream) noexcept {
  CONSOLE_SCREEN_BUFFER_INFO info;
  if (GetConsoleScreenBufferInfo(handle_of(stream), &info) == 0) return 0;
  return static_cast<std::size_t>(info.srWindow.Right - info.srWindow.Left + 1);
}

// Not _exit, which lets each module destroy its static objects.
void end_process(int status) noexcept {
  TerminateProcess(GetCurrentProcess(), static_cast<UINT>(status));
  std::abort();  // it does not fail
}

void name_thread(const std::string& name) noexcept {
  SetThreadDescription(GetCurrentThread(), path_from(name).c_str());
}

std::tm local_time(std::time_t time) noexcept {
  std::tm parts{};
  localtime_s(&parts, &time);
  return parts;
}

std::tm utc_time(std::time_t time) noexcept {
  std::tm parts{};
  gmtime_s(&parts, &time);
  return parts;
}

bool may_create_files(const std::filesystem::path& directory) noexcept {
  return static_cast<bool>(open_shared(directory.c_str(), FILE_ADD_FILE));
}

std::filesystem::path program_file() {
  return path_of(nullptr);
}

std::filesystem::path directory_for_temporary_files(std::error_code& failed) {
  const wchar_t* const named = _wgetenv(L"TMPDIR");
  if (named == nullptr || *named == L'\0') return std::filesystem::temp_directory_path(failed);
  if (!std::filesystem::is_directory(named, failed) && !failed) {
    failed = std::make_error_code(std::errc::not_a_directory);
  }
  return named;
}

std::filesystem::path create_new_directory(const std::filesystem::path& prefix,
                                           std::error_code& failed) {
  std::filesystem::path path = prefix;
  path += random_name().substr(0, 6);
  if (CreateDirectoryW(path.c_str(), nullptr) != 0) return path;
  failed.assign(errno_of(last_error()), std::generic_category());
  return {};
}

}}}  // namespace tenon::v0_1::platform
