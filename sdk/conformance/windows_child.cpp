// SPDX-License-Identifier: BSL-1.0
#include "windows_child.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cwchar>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "child.hpp"
#include "footprint.hpp"
#include "passed_output.hpp"
#include "platform/program.hpp"
#include "platform/windows/system.hpp"

// The others need the functions of Windows.
#include <psapi.h>

namespace tenon::sdk::conformance {
namespace {

namespace fs = std::filesystem;
using platform::Handle;

/// Tells a process that it is the child, see Inherited.
constexpr const wchar_t* variable = L"TENON_CASE";
constexpr SIZE_T most_memory = SIZE_T{2} << 30;
/// That a case may leave to the next one in its process.
constexpr SIZE_T most_left_memory = SIZE_T{64} << 20;
constexpr DWORD status_of_damaged_heap = 0xC0000374;
constexpr DWORD status_without_report = 113;  // of a child that could not write its ending
constexpr DWORD status_of_started_process = 0xE0000001;  // of a child that must not start one
constexpr std::chrono::milliseconds time_to_start = std::chrono::minutes(1);
/// For what a case leaves to be gone.
constexpr std::chrono::milliseconds time_to_clean = std::chrono::milliseconds(100);
constexpr DWORD milliseconds_between_looks = 10;  // at the output

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
    if (failed) throw std::system_error(failed, "the directory for temporary files (TMP)");
  }
  ~Directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  const fs::path& path() const noexcept { return path_; }

  /// Removes the contents. Returns whether it is empty.
  bool clear() const {
    std::error_code failed;
    for (fs::directory_iterator at(path_, failed), end; !failed && at != end;
         at.increment(failed)) {
      std::error_code ignored;
      fs::remove_all(at->path(), ignored);
    }
    return fs::is_empty(path_, failed) && !failed;
  }

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

bool heaps_are_valid() {
  std::vector<HANDLE> heaps(256);
  heaps.resize(std::min<std::size_t>(
      GetProcessHeaps(static_cast<DWORD>(heaps.size()), heaps.data()), heaps.size()));
  return std::ranges::all_of(heaps,
                             [](HANDLE heap) { return HeapValidate(heap, 0, nullptr) != 0; });
}

/// The processes in a job.
struct ProcessCounts {
  DWORD started = 0;
  DWORD running = 0;
};

ProcessCounts processes_in(HANDLE job) {
  JOBOBJECT_BASIC_ACCOUNTING_INFORMATION all{};
  if (QueryInformationJobObject(job, JobObjectBasicAccountingInformation, &all, sizeof all,
                                nullptr) == 0) {
    refused("a job for a case");
  }
  return {all.TotalProcesses, all.ActiveProcesses};
}

/// The random seed of this process.
std::uint64_t own_seed() {
  static const std::uint64_t seed = std::random_device()();
  return seed;
}

// -- The child process ----------------------------------------------------------

/// What the parent tells its child.
struct Inherited {
  HANDLE function;
  HANDLE report;
  HANDLE turn_of_child;
  HANDLE turn_of_parent;
  HANDLE job;
  std::size_t series;
  std::size_t first;  // case of the series that it runs
  std::uint64_t seed;
  std::wstring directory;
};

std::optional<Inherited> read_inherited() {
  std::vector<wchar_t> text(32768);  // no variable is longer
  const DWORD length =
      GetEnvironmentVariableW(variable, text.data(), static_cast<DWORD>(text.size()));
  if (length == 0 || length >= text.size()) return std::nullopt;
  wchar_t* end = text.data();
  const auto number = [&end] { return static_cast<std::uint64_t>(std::wcstoull(end, &end, 10)); };
  const auto handle = [&number] { return reinterpret_cast<HANDLE>(number()); };
  Inherited given{};
  given.function = handle();
  given.report = handle();
  given.turn_of_child = handle();
  given.turn_of_parent = handle();
  given.job = handle();
  given.series = number();
  given.first = number();
  given.seed = number();
  given.directory = end + (*end == L' ' ? 1 : 0);
  return given;
}

/// Returns nothing in a process that is not the child of another one.
const std::optional<Inherited>& inherited_case() {
  static const std::optional<Inherited> given = read_inherited();
  return given;
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

/// Returns the memory that this process has for itself.
SIZE_T private_memory() {
  PROCESS_MEMORY_COUNTERS counters{};
  K32GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters);
  return counters.PagefileUsage;
}

std::set<HMODULE> images() {
  const std::vector<HMODULE> all = platform::loaded_images();
  return {all.begin(), all.end()};
}

/// This process, as long as it runs cases of another one.
class CaseRunner {
 public:
  explicit CaseRunner(const Inherited& given)
      : given_(given), function_(given.function), own_directory_(fs::current_path()) {
    running_function = &function_;
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
    SetUnhandledExceptionFilter(end_by);
    keep_needed_variables();
    use_library();
    enter(given.directory);
    footprint_.emplace();
    settings_.emplace();
    images_ = images();
    memory_ = private_memory();
    enter(own_directory_);  // relative paths are of the program
  }

  std::size_t first() const noexcept { return given_.first; }

  /// Lets the parent read the report, and waits until it wants the next one.
  void give_turn() const {
    SetEvent(given_.turn_of_parent);
    WaitForSingleObject(given_.turn_of_child, INFINITE);
  }

  Ending run(const Limits& limits, const std::function<Ending()>& body) {
    give_turn();
    may_start_processes_ = limits.processes;
    started_ = processes_in(given_.job).started;
    Ending ending =
        enter(given_.directory) ? body() : Ending{Verdict::failed, "cannot enter its directory"};
    end_if_spoilt();
    std::string text{static_cast<char>('0' + static_cast<int>(ending.verdict)),
                     is_as_before() ? '1' : '0'};
    text += ending.reason;
    enter(own_directory_);
    if (!platform::write_all(given_.report, text)) platform::end_process(status_without_report);
    return ending;
  }

  /// Ends this process if a plugin has damaged the heap, or started a process that it must not.
  void end_if_spoilt() const {
    if (!heaps_are_valid()) platform::end_process(static_cast<int>(status_of_damaged_heap));
    if (!may_start_processes_ && processes_in(given_.job).started != started_) {
      platform::end_process(static_cast<int>(status_of_started_process));
    }
  }

 private:
  static bool enter(const fs::path& directory) {
    return SetCurrentDirectoryW(directory.c_str()) != 0;
  }

  /// Returns whether the next case finds the process as this one did.
  bool is_as_before() const {
    try {
      settings_->require_unchanged();
      footprint_->require_nothing_more(time_to_clean);
    } catch (const Ending&) {
      return false;
    }
    return images() == images_ && private_memory() < memory_ + most_left_memory;
  }

  const Inherited& given_;
  SharedText function_;
  const fs::path own_directory_;
  std::optional<Footprint> footprint_;
  std::optional<Settings> settings_;
  std::set<HMODULE> images_;
  SIZE_T memory_ = 0;
  bool may_start_processes_ = true;
  DWORD started_ = 0;
};

/// Lives until the process ends.
CaseRunner& case_runner() {
  static auto& runner = *new CaseRunner(*inherited_case());
  return runner;
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

/// Returns another handle of a job, for a child process that may only look at it.
Handle only_to_query(HANDLE job) {
  HANDLE copy = nullptr;
  const HANDLE self = GetCurrentProcess();
  if (DuplicateHandle(self, job, self, &copy, JOB_OBJECT_QUERY, TRUE, 0) == 0) {
    refused("a job for a case");
  }
  return Handle(copy);
}

/// Returns the variables of this process and another one, as CreateProcess takes them.
std::wstring environment_with(const std::wstring& name, const std::wstring& value) {
  std::wstring block = name + L"=" + value + L'\0';
  wchar_t* const all = GetEnvironmentStringsW();
  for (const wchar_t* at = all; *at != L'\0'; at += std::wcslen(at) + 1) (block += at) += L'\0';
  FreeEnvironmentStringsW(all);
  return block += L'\0';
}

/// Runs this program again with the same arguments in a job, and returns its process. It inherits
/// only these handles.
Handle run_again(HANDLE job, HANDLE output, std::vector<HANDLE> handles,
                 const std::wstring& value) {
  SECURITY_ATTRIBUTES inherits = inherited();
  const Handle nothing = checked(
      CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ, &inherits, OPEN_EXISTING, 0, nullptr),
      "NUL");
  handles.push_back(nothing.get());
  handles.push_back(output);
  SIZE_T size = 0;
  InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
  std::vector<std::byte> memory(size);
  auto* attributes = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory.data());
  if (InitializeProcThreadAttributeList(attributes, 1, 0, &size) == 0 ||
      UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles.data(),
                                handles.size() * sizeof(HANDLE), nullptr, nullptr) == 0) {
    refused("a process for a case");
  }
  STARTUPINFOEXW startup{};
  startup.StartupInfo.cb = sizeof startup;
  startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  startup.StartupInfo.hStdInput = nothing.get();
  startup.StartupInfo.hStdOutput = output;
  startup.StartupInfo.hStdError = output;
  startup.lpAttributeList = attributes;
  std::wstring line = GetCommandLineW();
  std::wstring environment = environment_with(variable, value);
  PROCESS_INFORMATION process{};
  if (CreateProcessW(platform::program_file().c_str(), line.data(), nullptr, nullptr, TRUE,
                     CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_UNICODE_ENVIRONMENT |
                         EXTENDED_STARTUPINFO_PRESENT,
                     environment.data(), nullptr, &startup.StartupInfo, &process) == 0) {
    refused("a process for a case");
  }
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
  if (status == status_of_started_process) return "the plugin started a process";
  if ((status & error) == error) return "the plugin crashed: " + exception_name(status);
  return "the plugin ended the process with status " + std::to_string(status);
}

/// The report of a child.
struct Report {
  Ending ending;
  bool is_as_before;  // the process
};

/// Returns nothing if the report is incomplete.
std::optional<Report> read_report(HANDLE report) {
  LARGE_INTEGER size{};
  if (GetFileSizeEx(report, &size) == 0 || size.QuadPart < 2) return std::nullopt;
  std::string text(static_cast<std::size_t>(size.QuadPart), '\0');
  SetFilePointer(report, 0, nullptr, FILE_BEGIN);
  DWORD got = 0;
  if (ReadFile(report, text.data(), static_cast<DWORD>(text.size()), &got, nullptr) == 0 ||
      got != text.size()) {
    return std::nullopt;
  }
  return Report{{static_cast<Verdict>(text[0] - '0'), text.substr(2)}, text[1] == '1'};
}

/// The two ends of a pipe for output.
struct Pipe {
  Pipe() {
    SECURITY_ATTRIBUTES inherits = inherited();
    HANDLE ends[2];
    if (CreatePipe(&ends[0], &ends[1], &inherits, 0) == 0) {
      refused("a pipe for the output of a case");
    }
    output = Handle(ends[0]);
    input = Handle(ends[1]);
  }
  Handle output;
  Handle input;
};

Handle new_memory() {
  SECURITY_ATTRIBUTES inherits = inherited();
  return checked(CreateFileMappingW(INVALID_HANDLE_VALUE, &inherits, PAGE_READWRITE, 0,
                                    static_cast<DWORD>(SharedText::size), nullptr),
                 "memory for a case");
}

Handle new_event() {
  SECURITY_ATTRIBUTES inherits = inherited();
  return checked(CreateEventW(&inherits, FALSE, FALSE, nullptr), "an event for a case");
}

/// Creates the file beside a directory. It is removed with its handles.
Handle new_report(const fs::path& directory) {
  SECURITY_ATTRIBUTES inherits = inherited();
  const fs::path file = directory.wstring() + L".report";
  return checked(
      CreateFileW(file.c_str(), GENERIC_READ | GENERIC_WRITE,
                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, &inherits, CREATE_NEW,
                  FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr),
      "a file for a report");
}

}  // namespace

/// The child process of a series. The destructor ends it, and all processes that come from it.
class ChildSeries::Process {
 public:
  Process(std::size_t series, std::size_t first) {
    const auto number = [](const Handle& handle) {
      return std::to_wstring(reinterpret_cast<std::uintptr_t>(handle.get())) + L" ";
    };
    process_ = run_again(job_.get(), pipe_.input.get(),
                         {memory_.get(), report_.get(), turn_of_child_.get(), turn_of_parent_.get(),
                          job_of_child_.get()},
                         number(memory_) + number(report_) + number(turn_of_child_) +
                             number(turn_of_parent_) + number(job_of_child_) +
                             std::to_wstring(series) + L" " + std::to_wstring(first) + L" " +
                             std::to_wstring(random_seed()) + L" " + directory_.path().wstring());
    pipe_.input.close();  // so that the output ends with the last process of the job
  }
  ~Process() {
    TerminateJobObject(job_.get(), 1);
    std::array<char, 4096> bytes{};
    DWORD got = 0;
    while (ReadFile(pipe_.output.get(), bytes.data(), static_cast<DWORD>(bytes.size()), &got,
                    nullptr) != 0) {
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Waits until it can run cases.
  void wait_for_start(HANDLE stop) {
    PassedOutput dropped([](const std::string&) {});
    if (wait({.timeout = time_to_start}, dropped, stop) != How::reported) {
      throw std::runtime_error("the process for cases does not start");
    }
    running_ = processes_in(job_.get()).running;
  }

  Ending run(const Limits& limits, PassedOutput& passed, HANDLE stop) {
    may_run_another_ = false;
    SetFilePointer(report_.get(), 0, nullptr, FILE_BEGIN);
    SetEndOfFile(report_.get());
    SetEvent(turn_of_child_.get());
    const How how = wait(limits, passed, stop);
    const std::string name = function_.get();
    const std::string where = name.empty() ? "" : ", in " + name;
    switch (how) {
      case How::late:
        return {Verdict::failed,
                "still running after " + std::to_string(limits.timeout.count()) + " ms" + where};
      case How::printed_too_much:
        return {Verdict::failed, "the plugin printed more than 64 KiB" + where};
      case How::ended: {
        DWORD status = 0;
        GetExitCodeProcess(process_.get(), &status);
        return {Verdict::failed, ended_text(status) + where};
      }
      case How::reported:
        break;
    }
    auto report = read_report(report_.get());
    if (!report) return {Verdict::failed, "the process for cases has lost its report"};
    may_run_another_ = report->is_as_before && report->ending.verdict != Verdict::failed &&
                       processes_in(job_.get()).running == running_ && directory_.clear();
    return std::move(report->ending);
  }

  /// Returns whether the last case has left nothing.
  bool may_run_another() const noexcept { return may_run_another_; }

 private:
  enum class How { reported, ended, late, printed_too_much };

  /// Waits until the child gives its turn, and passes on its output meanwhile.
  How wait(const Limits& limits, PassedOutput& passed, HANDLE stop) {
    using Clock = std::chrono::steady_clock;
    const HANDLE happenings[] = {turn_of_parent_.get(), process_.get(), stop};
    const DWORD count = stop != nullptr ? 3 : 2;
    const auto end = Clock::now() + limits.timeout;
    for (DWORD pause = 0;;) {
      const DWORD happened = WaitForMultipleObjects(count, happenings, FALSE, pause);
      if (happened == WAIT_OBJECT_0 + 2) throw Stopped();
      const bool is_over = happened != WAIT_TIMEOUT;
      bool read = false;
      do {
        read = read_output(passed);
        if (!limits.much_output && passed.is_too_much()) return How::printed_too_much;
      } while (read && is_over && Clock::now() < end);
      if (is_over) return happened == WAIT_OBJECT_0 ? How::reported : How::ended;
      if (Clock::now() >= end) return How::late;
      pause = read ? 0 : milliseconds_between_looks;
    }
  }

  /// Returns false if there is no output now.
  bool read_output(PassedOutput& passed) const {
    DWORD available = 0;
    if (PeekNamedPipe(pipe_.output.get(), nullptr, 0, nullptr, &available, nullptr) == 0 ||
        available == 0) {
      return false;
    }
    std::array<char, 4096> bytes{};
    DWORD got = 0;
    if (ReadFile(pipe_.output.get(), bytes.data(), static_cast<DWORD>(bytes.size()), &got,
                 nullptr) == 0) {
      return false;
    }
    passed.add({bytes.data(), got});
    return true;
  }

  const Directory directory_;
  const Handle memory_ = new_memory();
  const SharedText function_{memory_.get()};
  const Handle report_ = new_report(directory_.path());
  const Handle turn_of_child_ = new_event();
  const Handle turn_of_parent_ = new_event();
  Pipe pipe_;
  const Handle job_ = new_job();
  const Handle job_of_child_ = only_to_query(job_.get());
  Handle process_;
  DWORD running_ = 0;  // processes when it is ready; Windows may have started some with it
  bool may_run_another_ = false;
};

namespace {

thread_local ChildSeries* current_series = nullptr;

}  // namespace

ChildSeries::ChildSeries(std::size_t number, PassedOutput::Print print, void* stop)
    : number_(number), print_(std::move(print)), stop_(stop) {
  current_series = this;
}

ChildSeries::~ChildSeries() {
  current_series = nullptr;
  if (inherited_case()) case_runner().give_turn();
}

std::optional<std::size_t> ChildSeries::of_this_process() {
  const auto& given = inherited_case();
  return given ? std::optional(given->series) : std::nullopt;
}

Ending ChildSeries::run(const Limits& limits, const std::function<Ending()>& body) {
  const std::size_t number = next_++;
  if (inherited_case()) {
    if (number < case_runner().first()) return {Verdict::not_run, {}};  // the parent has its ending
    return case_runner().run(limits, body);
  }
  if (!process_) {
    process_ = std::make_unique<Process>(number_, number);
    process_->wait_for_start(stop_);
  }
  PassedOutput passed(print_);
  Ending ending = process_->run(limits, passed, stop_);
  passed.end();
  if (!process_->may_run_another()) process_.reset();
  return ending;
}

Ending run_in_child(const Limits& limits, const std::function<Ending()>& body) {
  return current_series != nullptr ? current_series->run(limits, body)
                                   : ChildSeries(0).run(limits, body);
}

std::uint64_t random_seed() {
  const auto& given = inherited_case();
  return given ? given->seed : own_seed();
}

NamedFunction::NamedFunction(std::string_view name) noexcept {
  if (running_function != nullptr) running_function->set(name);
}

NamedFunction::~NamedFunction() {
  if (running_function == nullptr) return;
  case_runner().end_if_spoilt();
  running_function->set({});
}

}  // namespace tenon::sdk::conformance
