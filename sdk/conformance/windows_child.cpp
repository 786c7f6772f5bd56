// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cwchar>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "child.hpp"
#include "passed_output.hpp"
#include "platform/program.hpp"
#include "platform/windows/system.hpp"

namespace tenon::sdk::conformance {
namespace {

namespace fs = std::filesystem;
using platform::Handle;

/// Tells a process that it is the child: the numbers of its handles, and its directory.
constexpr const wchar_t* variable = L"TENON_CASE";
constexpr SIZE_T most_memory = SIZE_T{2} << 30;
constexpr DWORD status_of_damaged_heap = 0xC0000374;
constexpr DWORD status_without_report = 113;  // of a child that could not write its ending

[[noreturn]] void refused(const char* what) {
  throw std::system_error(platform::last_error(), what);
}

Handle checked(HANDLE handle, const char* what) {
  if (handle == nullptr || handle == INVALID_HANDLE_VALUE) refused(what);
  return Handle(handle);
}

SECURITY_ATTRIBUTES inherited() noexcept {
  return {sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
}

/// A new directory, which the destructor removes with its contents.
class Directory {
 public:
  Directory() {
    std::error_code failed;
    const fs::path temporary = fs::temp_directory_path(failed);
    if (!failed) path_ = platform::create_new_directory(temporary / "tenon-case-", failed);
    if (failed) throw std::system_error(failed, "a directory for a case (TMP)");
  }
  ~Directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

/// A text that a process shares with its child, through memory with this handle. The child may be
/// ended at any time.
class SharedText {
 public:
  static constexpr std::size_t size = 4096;

  explicit SharedText(HANDLE memory)
      : text_(static_cast<char*>(MapViewOfFile(memory, FILE_MAP_WRITE, 0, 0, size))) {
    if (text_ == nullptr) refused("memory for a case");
  }
  ~SharedText() { UnmapViewOfFile(text_); }
  SharedText(const SharedText&) = delete;
  SharedText& operator=(const SharedText&) = delete;

  void set(std::string_view text) noexcept { text_[text.copy(text_, size - 1)] = '\0'; }
  std::string get() const { return {text_, ::strnlen(text_, size)}; }

 private:
  char* const text_;
};

/// The name of the function that runs, in the child process; otherwise nullptr.
SharedText* running_function = nullptr;

// -- The child process ----------------------------------------------------------

/// What the parent tells its child.
struct Inherited {
  HANDLE function;
  HANDLE report;
  std::wstring directory;
};

/// Returns nothing in a process that is not the child of another case.
std::optional<Inherited> inherited_case() {
  std::vector<wchar_t> text(32768);  // no variable is longer
  const DWORD length =
      GetEnvironmentVariableW(variable, text.data(), static_cast<DWORD>(text.size()));
  if (length == 0 || length >= text.size()) return std::nullopt;
  wchar_t* end = text.data();
  const auto next = [&end] {
    return reinterpret_cast<HANDLE>(static_cast<std::uintptr_t>(std::wcstoull(end, &end, 10)));
  };
  const HANDLE function = next();
  const HANDLE report = next();
  return Inherited{function, report, std::wstring(end + (*end == L' ' ? 1 : 0))};
}

/// Removes the variables of the environment that may hold secrets: all but those that programs need
/// to run. The C library has a copy of each.
void keep_needed_variables() {
  constexpr std::wstring_view needed[] = {L"APPDATA",
                                          L"COMSPEC",
                                          L"HOMEDRIVE",
                                          L"HOMEPATH",
                                          L"LANG",
                                          L"LOCALAPPDATA",
                                          L"PATH",
                                          L"PROGRAMDATA",
                                          L"SYSTEMDRIVE",
                                          L"SYSTEMROOT",
                                          L"TEMP",
                                          L"TENON_CONFORMANCE_LOG",
                                          L"TENON_CONFORMANCE_PLUGIN_PATH",
                                          L"TMP",
                                          L"TZ",
                                          L"USERPROFILE",
                                          L"WINDIR"};
  wchar_t* const all = GetEnvironmentStringsW();
  for (const wchar_t* at = all; *at != L'\0'; at += std::wcslen(at) + 1) {
    const std::wstring_view entry(at);
    const std::size_t equals = entry.find(L'=', 1);
    const std::wstring name(entry.substr(0, equals));
    const bool keeps = equals == std::wstring_view::npos || entry.front() == L'=' ||
                       std::ranges::any_of(needed, [&](std::wstring_view one) {
                         return _wcsicmp(name.c_str(), std::wstring(one).c_str()) == 0;
                       });
    if (!keeps) _wputenv((name + L"=").c_str());
  }
  FreeEnvironmentStringsW(all);
}

/// Ends the process with the code of the exception. The system would show a window.
LONG WINAPI end_by(EXCEPTION_POINTERS* exception) {
  TerminateProcess(GetCurrentProcess(), exception->ExceptionRecord->ExceptionCode);
  return EXCEPTION_CONTINUE_SEARCH;
}

[[noreturn]] void run_as_child(const Inherited& given, const std::function<Ending()>& body) {
  SharedText function(given.function);
  running_function = &function;
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
  SetUnhandledExceptionFilter(end_by);
  keep_needed_variables();
  const Ending ending = SetCurrentDirectoryW(given.directory.c_str()) != 0
                            ? body()
                            : Ending{Verdict::failed, "cannot enter its directory"};
  const std::string text =
      static_cast<char>('0' + static_cast<int>(ending.verdict)) + ending.reason;
  const bool written = platform::write_all(given.report, text);
  platform::end_process(written ? 0 : static_cast<int>(status_without_report));
}

// -- The parent -----------------------------------------------------------------

/// A job, whose processes end with it.
Handle new_job() {
  Handle job = checked(CreateJobObjectW(nullptr, nullptr), "a job for a case");
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags =
      JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_JOB_MEMORY;
  limits.JobMemoryLimit = most_memory;
  if (SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits,
                              sizeof limits) == 0) {
    refused("a job for a case");
  }
  return job;
}

/// Runs this program again with the same arguments in a job, and returns its process.
Handle run_again(HANDLE job, HANDLE output, const std::wstring& value) {
  SECURITY_ATTRIBUTES inherits = inherited();
  const Handle nothing = checked(
      CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ, &inherits, OPEN_EXISTING, 0, nullptr),
      "NUL");
  STARTUPINFOW startup{};
  startup.cb = sizeof startup;
  startup.dwFlags = STARTF_USESTDHANDLES;
  startup.hStdInput = nothing.get();
  startup.hStdOutput = output;
  startup.hStdError = output;
  std::wstring line = GetCommandLineW();
  PROCESS_INFORMATION process{};
  SetEnvironmentVariableW(variable, value.c_str());
  const bool started = CreateProcessW(platform::program_file().c_str(), line.data(), nullptr,
                                      nullptr, TRUE, CREATE_SUSPENDED | CREATE_NO_WINDOW, nullptr,
                                      nullptr, &startup, &process) != 0;
  const DWORD failed = GetLastError();
  SetEnvironmentVariableW(variable, nullptr);
  SetLastError(failed);
  if (!started) refused("a process for a case");
  Handle running(process.hProcess);
  const Handle thread(process.hThread);
  if (AssignProcessToJobObject(job, running.get()) == 0) {
    const std::error_code error = platform::last_error();
    TerminateProcess(running.get(), 1);
    throw std::system_error(error, "a job for a case");
  }
  ResumeThread(thread.get());
  return running;
}

/// Returns what the child wrote to the file; nothing if that is incomplete.
std::optional<Ending> read_ending(HANDLE report) {
  LARGE_INTEGER size{};
  if (GetFileSizeEx(report, &size) == 0 || size.QuadPart == 0) return std::nullopt;
  std::string text(static_cast<std::size_t>(size.QuadPart), '\0');
  SetFilePointer(report, 0, nullptr, FILE_BEGIN);
  DWORD got = 0;
  if (ReadFile(report, text.data(), static_cast<DWORD>(text.size()), &got, nullptr) == 0 ||
      got != text.size()) {
    return std::nullopt;
  }
  return Ending{static_cast<Verdict>(text.front() - '0'), text.substr(1)};
}

std::string exception_name(DWORD code) {
  switch (code) {
    case EXCEPTION_ACCESS_VIOLATION:
      return "EXCEPTION_ACCESS_VIOLATION";
    case EXCEPTION_ILLEGAL_INSTRUCTION:
      return "EXCEPTION_ILLEGAL_INSTRUCTION";
    case EXCEPTION_INT_DIVIDE_BY_ZERO:
      return "EXCEPTION_INT_DIVIDE_BY_ZERO";
    case EXCEPTION_STACK_OVERFLOW:
      return "EXCEPTION_STACK_OVERFLOW";
    case status_of_damaged_heap:
      return "STATUS_HEAP_CORRUPTION";
    default:
      break;
  }
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%08lx", static_cast<unsigned long>(code));
  return text.data();
}

std::string ended_text(DWORD status) {
  constexpr DWORD error = 0xC0000000;  // the severity in the codes of the system
  if ((status & error) == error) return "the plugin crashed: " + exception_name(status);
  return "the plugin ended the process with status " + std::to_string(status);
}

void pass_on(HANDLE output) {
  PassedOutput passed;
  std::array<char, 4096> bytes{};
  DWORD got = 0;
  while (ReadFile(output, bytes.data(), static_cast<DWORD>(bytes.size()), &got, nullptr) != 0) {
    passed.add({bytes.data(), got});
  }
  passed.end();
}

}  // namespace

Ending run_in_child(const Limits& limits, const std::function<Ending()>& body) {
  if (const auto given = inherited_case()) run_as_child(*given, body);

  SECURITY_ATTRIBUTES inherits = inherited();
  const Directory directory;
  const Handle memory =
      checked(CreateFileMappingW(INVALID_HANDLE_VALUE, &inherits, PAGE_READWRITE, 0,
                                 static_cast<DWORD>(SharedText::size), nullptr),
              "memory for a case");
  const SharedText function(memory.get());
  const fs::path file = directory.path().wstring() + L".report";
  const Handle report = checked(
      CreateFileW(file.c_str(), GENERIC_READ | GENERIC_WRITE,
                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, &inherits, CREATE_NEW,
                  FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr),
      "a file for a report");
  HANDLE ends[2];
  if (CreatePipe(&ends[0], &ends[1], &inherits, 0) == 0) refused("a pipe for the output of a case");
  const Handle output(ends[0]);
  Handle input(ends[1]);
  SetHandleInformation(output.get(), HANDLE_FLAG_INHERIT, 0);

  const auto number = [](const Handle& handle) {
    return std::to_wstring(reinterpret_cast<std::uintptr_t>(handle.get()));
  };
  const Handle job = new_job();
  const Handle process =
      run_again(job.get(), input.get(),
                number(memory) + L" " + number(report) + L" " + directory.path().wstring());
  input.close();  // so that the output ends with the last process of the job
  std::thread passing(pass_on, output.get());
  const auto longest = std::min<std::int64_t>(limits.timeout.count(), INFINITE - 1);
  const bool in_time =
      WaitForSingleObject(process.get(), static_cast<DWORD>(longest)) == WAIT_OBJECT_0;
  const std::string name = function.get();
  DWORD status = 0;
  GetExitCodeProcess(process.get(), &status);
  TerminateJobObject(job.get(), 1);  // with the processes that a plugin has left behind
  passing.join();

  const std::string where = name.empty() ? "" : ", in " + name;
  if (!in_time) {
    return {Verdict::failed,
            "still running after " + std::to_string(limits.timeout.count()) + " ms" + where};
  }
  const auto ending = read_ending(report.get());
  return ending ? *ending : Ending{Verdict::failed, ended_text(status) + where};
}

NamedFunction::NamedFunction(std::string_view name) noexcept {
  if (running_function != nullptr) running_function->set(name);
}

NamedFunction::~NamedFunction() {
  if (running_function == nullptr) return;
  if (HeapValidate(GetProcessHeap(), 0, nullptr) == 0)
    TerminateProcess(GetCurrentProcess(), status_of_damaged_heap);
  running_function->set({});
}

}  // namespace tenon::sdk::conformance
