// SPDX-License-Identifier: BSL-1.0
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
// The other one needs the first.
// clang-format off
#include <windows.h>
#include <winternl.h>
// clang-format on

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "framework/world.hpp"

/// In ntdll.dll. Holds the lock of the loader.
extern "C" NTSTATUS NTAPI
LdrEnumerateLoadedModules(BOOLEAN, void(CALLBACK*)(LDR_DATA_TABLE_ENTRY*, void*, BOOLEAN*), void*);

namespace tenon::tests {

namespace fs = std::filesystem;

namespace {

constexpr int killed = 128 + 9;

void check(bool done, const std::string& what) {
  if (!done) {
    throw std::system_error(static_cast<int>(GetLastError()), std::system_category(), what);
  }
}

std::wstring wide(const std::string& text) {
  return fs::path(std::u8string(text.begin(), text.end())).wstring();
}

/// Appends an argument as programs read it: quoted, with a backslash before each quote, and two for
/// each backslash before one.
void append_argument(std::wstring& line, const std::wstring& argument) {
  if (!line.empty()) line += L' ';
  line += L'"';
  std::size_t backslashes = 0;
  for (const wchar_t c : argument) {
    if (c == L'"') line.append(backslashes + 1, L'\\');
    backslashes = c == L'\\' ? backslashes + 1 : 0;
    line += c;
  }
  line.append(backslashes, L'\\');
  line += L'"';
}

HANDLE open_inherited(const fs::path& path, DWORD access, DWORD disposition) {
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  const HANDLE file =
      CreateFileW(path.c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                  &inherited, disposition, 0, nullptr);
  check(file != INVALID_HANDLE_VALUE, path.string());
  return file;
}

/// Removes a directory, except files that are mapped. Not fs::remove_all: that of libstdc++ for
/// Windows never returns if an entry that it is about to remove has been removed meanwhile, as by a
/// thread that unloads a module.
void remove_tree(const fs::path& directory) {
  std::error_code failed;
  for (fs::directory_iterator entry(directory, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      remove_tree(entry->path());
    } else {
      fs::remove(entry->path(), ignored);
    }
  }
  fs::remove(directory, failed);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

std::string as_on_posix(std::string text, bool escaped) {
  replace_all(text, escaped ? "\\\\" : "\\", "/");
  replace_all(text, ".dll", ".so");
  return text;
}

}  // namespace

const char* const temporary_variable = "TMP";

void set_variable(const char* name, const char* value) {
  // Also for programs of the system, and for the C library, which has a copy.
  _putenv_s(name, value != nullptr ? value : "");
  SetEnvironmentVariableW(wide(name).c_str(), value != nullptr ? wide(value).c_str() : nullptr);
}

std::string module_file(std::string_view name) {
  std::string file(name);
  if (name.ends_with(".so")) file.replace(file.size() - 3, 3, ".dll");
  return file;
}

std::string mapped_files() {
  std::string files;
  LdrEnumerateLoadedModules(
      FALSE,
      [](LDR_DATA_TABLE_ENTRY* image, void* all, BOOLEAN*) {
        const UNICODE_STRING& name = image->FullDllName;
        const fs::path path(std::wstring_view(name.Buffer, name.Length / sizeof(wchar_t)));
        *static_cast<std::string*>(all) += path.generic_string() + "\n";
      },
      &files);
  return files;
}

Child::Child(Child&& other) noexcept
    : pid_(other.pid_),
      process_(std::exchange(other.process_, nullptr)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)) {}

Child::~Child() {
  if (process_ != nullptr) kill();
}

void Child::signal(int) const {
  // All programs of the console get the event, and so does this one.
  static const bool ignores = SetConsoleCtrlHandler([](DWORD) { return TRUE; }, TRUE) != 0;
  check(ignores, "SetConsoleCtrlHandler");
  FreeConsole();
  check(AttachConsole(static_cast<DWORD>(pid_)) != 0, "AttachConsole");
  check(GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0) != 0, "GenerateConsoleCtrlEvent");
  FreeConsole();
}

Outcome Child::wait() {
  DWORD exit = 0;
  check(WaitForSingleObject(process_, INFINITE) == WAIT_OBJECT_0, "WaitForSingleObject");
  check(GetExitCodeProcess(process_, &exit) != 0, "GetExitCodeProcess");
  CloseHandle(std::exchange(process_, nullptr));
  return {static_cast<int>(exit), read_file(out_), read_file(err_)};
}

Outcome Child::kill() {
  TerminateProcess(process_, killed);  // fails if it has ended
  return wait();
}

std::vector<std::string> unprivileged(std::vector<std::string> command) {
  return command;
}

Outcome World::run_portably(const std::vector<std::string>& command, bool escaped) const {
  std::vector<std::string> words;
  for (const std::string& word : command) words.push_back(module_file(word));
  Outcome outcome = run(words);
  return {outcome.exit, as_on_posix(std::move(outcome.out), escaped),
          as_on_posix(std::move(outcome.err), false)};
}

World::~World() {
  remove_tree(root_);
}

Child World::start(const std::vector<std::string>& command, int) const {
  static int count = 0;
  const std::string number = std::to_string(++count);
  const fs::path out = path("output/" + number + ".out");
  const fs::path err = path("output/" + number + ".err");

  STARTUPINFOW startup{};
  startup.cb = sizeof startup;
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = open_inherited("NUL", GENERIC_READ, OPEN_EXISTING);
  startup.hStdOutput = open_inherited(out, GENERIC_WRITE, CREATE_ALWAYS);
  startup.hStdError = open_inherited(err, GENERIC_WRITE, CREATE_ALWAYS);

  std::wstring line;
  for (const std::string& argument : command) append_argument(line, wide(argument));
  std::wstring variables;
  for (const auto& [name, value] : environment_) {
    variables += wide(name + "=" + value);
    variables += L'\0';
  }
  variables += L'\0';
  PROCESS_INFORMATION process{};
  const bool started =
      CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE,
                     CREATE_UNICODE_ENVIRONMENT | CREATE_NO_WINDOW,  // a console of its own
                     variables.data(), root_.c_str(), &startup, &process) != 0;
  const DWORD failed = GetLastError();
  for (const HANDLE file : {startup.hStdInput, startup.hStdOutput, startup.hStdError}) {
    CloseHandle(file);
  }
  SetLastError(failed);
  check(started, command.at(0));
  CloseHandle(process.hThread);
  Child child(static_cast<pid_t>(process.dwProcessId), out, err, {});
  child.process_ = process.hProcess;
  return child;
}

}  // namespace tenon::tests
