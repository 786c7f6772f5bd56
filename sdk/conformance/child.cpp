// SPDX-License-Identifier: BSL-1.0
#include "child.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "confinement.hpp"
#include "passed_output.hpp"

namespace tenon::sdk::conformance {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t most_memory = rlim_t{2} << 30;
constexpr int status_without_report = 113;  // of a child that could not write its ending
/// For the end of killed processes.
constexpr std::chrono::milliseconds time_to_end = std::chrono::seconds(10);
/// At a process that may have been stopped.
constexpr std::chrono::milliseconds time_between_looks(200);

[[noreturn]] void refused(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor(int number, const char* what) : number_(number) {
    if (number_ < 0) refused(what);
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const noexcept { return number_; }

 private:
  const int number_;
};

/// Returns the beginning of the names of the directories that a process creates.
std::string directory_prefix(pid_t process) {
  return "tenon-case-" + std::to_string(process) + "-";
}

/// A new directory, which the destructor removes with its contents.
class Directory {
 public:
  Directory() {
    std::error_code failed;
    path_ = fs::temp_directory_path(failed) / (directory_prefix(::getpid()) + "XXXXXX");
    if (failed) throw std::system_error(failed, "the directory for temporary files (TMPDIR)");
    if (::mkdtemp(path_.data()) == nullptr) refused("a directory for a case");
  }
  ~Directory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// A text that a process shares with the children that it starts. The last writer may be killed at
/// any time.
class SharedText {
 public:
  SharedText()
      : text_(static_cast<char*>(
            ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    if (text_ == MAP_FAILED) refused("memory for a case");
  }
  ~SharedText() { ::munmap(text_, size); }
  SharedText(const SharedText&) = delete;
  SharedText& operator=(const SharedText&) = delete;

  void set(std::string_view text) noexcept { text_[text.copy(text_, size - 1)] = '\0'; }
  std::string get() const { return {text_, ::strnlen(text_, size)}; }

 private:
  static constexpr std::size_t size = 4096;
  char* const text_;
};

/// The name of the function that runs, in the child process; otherwise nullptr.
SharedText* running_function = nullptr;

/// Makes the allocator look at its own data, which a function may have damaged. It then ends the
/// process with SIGABRT.
void check_heap() noexcept {
  for (std::size_t size = 16; size <= 64 << 10; size *= 2) {
    void* volatile memory = std::malloc(size);
    std::free(memory);
  }
  ::malloc_trim(0);
}

/// Restores the default handlers of signals, and lets them in: the parent may have changed that.
void reset_signals() {
  for (const int number :
       {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE, SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
    ::signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Removes the variables of the environment that may hold secrets: all but those that programs need
/// to run.
void keep_needed_variables() {
  constexpr const char* needed[] = {"TENON_CONFORMANCE_LOG",
                                    "TENON_CONFORMANCE_PLUGIN_PATH",
                                    "HOME",
                                    "LANG",
                                    "LC_ALL",
                                    "LD_LIBRARY_PATH",
                                    "PATH",
                                    "TMPDIR",
                                    "TZ",
                                    "ASAN_OPTIONS",
                                    "LSAN_OPTIONS",
                                    "TSAN_OPTIONS",
                                    "UBSAN_OPTIONS"};
  std::vector<std::pair<const char*, std::string>> kept;
  for (const char* name : needed) {
    if (const char* value = std::getenv(name)) kept.emplace_back(name, value);
  }
  ::clearenv();
  for (const auto& [name, value] : kept) ::setenv(name, value.c_str(), 1);
}

rlim_t processor_seconds(const Limits& limits) {
  return static_cast<rlim_t>(std::chrono::ceil<std::chrono::seconds>(limits.timeout).count() + 1);
}

void limit_resources(const Limits& limits) {
  constexpr rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  rlimit time{};
  ::getrlimit(RLIMIT_CPU, &time);
  time.rlim_cur = std::min(time.rlim_max, processor_seconds(limits));
  ::setrlimit(RLIMIT_CPU, &time);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these reserve terabytes
  rlimit memory{};
  ::getrlimit(RLIMIT_DATA, &memory);
  memory.rlim_cur = std::min(memory.rlim_cur, most_memory);
  ::setrlimit(RLIMIT_DATA, &memory);
#endif
}

/// Writes the ending as its verdict, and its reason after that.
bool write_ending(int report, const Ending& ending) {
  const std::string text =
      static_cast<char>('0' + static_cast<int>(ending.verdict)) + ending.reason;
  return ::pwrite(report, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

std::optional<Ending> read_ending(int report) {
  std::string text(static_cast<std::size_t>(::lseek(report, 0, SEEK_END)), '\0');
  const ssize_t size = ::pread(report, text.data(), text.size(), 0);
  if (size <= 0) return std::nullopt;
  return Ending{static_cast<Verdict>(text.front() - '0'), text.substr(1)};
}

void close_standard_input() {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  if (nothing > STDERR_FILENO) ::close(nothing);
}

[[noreturn]] void run_as_child(int report, int output, const std::string& directory,
                               const Limits& limits, const std::function<Ending()>& body) {
  if (!limits.network) leave_network();
  if (!limits.processes) forbid_processes();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);  // so that signals to its group reach no other process
  limit_resources(limits);
  keep_needed_variables();
  reset_signals();
  close_standard_input();
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  const Ending ending = ::chdir(directory.c_str()) == 0
                            ? body()
                            : Ending{Verdict::failed, "cannot enter " + directory};
  ::_exit(write_ending(report, ending) ? 0 : status_without_report);
}

/// A child process, which the destructor kills if it still runs.
class Child {
 public:
  explicit Child(pid_t number) noexcept : number_(number) {}
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits for the end of the process. Returns false after `timeout`.
  bool wait(std::chrono::milliseconds timeout) const {
    const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, number_, 0)),
                             "a descriptor of a process");
    pollfd ended{process.get(), POLLIN, 0};
    const auto end = std::chrono::steady_clock::now() + timeout;
    for (;;) {
      const auto left = end - std::chrono::steady_clock::now();
      const auto pause = std::clamp(std::chrono::ceil<std::chrono::milliseconds>(left),
                                    std::chrono::milliseconds(0), max_poll_time);
      if (::poll(&ended, 1, static_cast<int>(pause.count())) > 0) return true;
      if (left <= std::chrono::milliseconds(0)) return false;
    }
  }

  bool is_stopped() const noexcept { return conformance::is_stopped(number_); }

  /// Kills the process if it still runs, and returns its status, see waitpid. Later calls return 0.
  int end() noexcept {
    if (number_ < 0) return 0;
    int status = 0;
    ::kill(number_, SIGKILL);
    while (::waitpid(number_, &status, 0) < 0 && errno == EINTR) {
    }
    number_ = -1;
    return status;
  }

  // poll takes an int of milliseconds.
  static constexpr std::chrono::milliseconds max_poll_time = std::chrono::hours(1);

 private:
  pid_t number_;
};

/// Returns the name of the function in which a child ended, for the end of a message.
std::string function_words(const SharedText& function) {
  const std::string name = function.get();
  return name.empty() ? "" : ", in " + name;
}

std::string ended_text(int status, const Limits& limits) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    if (number == SIGSYS && !limits.processes) return "the plugin started a process";
    if (number == SIGXCPU) {
      return "the plugin used more than " + std::to_string(processor_seconds(limits)) +
             " s of processor time";
    }
    return "the plugin crashed: " + signal_name(number);
  }
  return "the plugin ended the process with status " + std::to_string(WEXITSTATUS(status));
}

/// Returns the child processes of this one.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::error_code failed;
  for (fs::directory_iterator at("/proc", failed), end; !failed && at != end;
       at.increment(failed)) {
    std::ifstream stream(at->path() / "stat");
    std::string line;
    if (!std::getline(stream, line)) continue;
    // The name, in parentheses, may contain anything. The state and the parent follow it.
    std::istringstream rest(line.substr(std::min(line.rfind(')') + 1, line.size())));
    char state = 0;
    pid_t parent = 0;
    if (rest >> state >> parent && parent == ::getpid()) found.push_back(std::atoi(line.c_str()));
  }
  return found;
}

/// Runs the case in a child of its own, and ends all processes that come from it.
[[noreturn]] void run_as_keeper(int report, int output, const std::string& directory,
                                SharedText& function, const Limits& limits,
                                const std::function<Ending()>& body) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::setsid();  // away from the terminal
  const pid_t number = ::fork();
  if (number < 0) ::_exit(1);
  if (number == 0) {
    running_function = &function;
    run_as_child(report, output, directory, limits, body);
  }
  Child child(number);
  const bool in_time = child.wait(limits.timeout);
  const int status = child.end();
  if (!in_time) {
    write_ending(report,
                 {Verdict::failed, "still running after " + std::to_string(limits.timeout.count()) +
                                       " ms" + function_words(function)});
  } else if (!read_ending(report)) {
    const bool closed =
        WIFEXITED(status) && WEXITSTATUS(status) == status_without_report && function.get().empty();
    const std::string reason = closed ? "the plugin closed descriptors that are not its own"
                                      : ended_text(status, limits) + function_words(function);
    write_ending(report, {Verdict::failed, reason});
  }
  end_children();  // a plugin has left them behind, and this process adopted them
  ::_exit(0);
}

/// Passes on what a plugin prints. Stops if the keeper is stopped. Returns false, before the end of
/// the output, if it is too much.
bool pass_on(int output, bool much_output, const Child& keeper, std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  PassedOutput passed;
  for (std::array<char, 4096> bytes{}; much_output || !passed.is_too_much();) {
    pollfd ready{output, POLLIN, 0};
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left <= std::chrono::milliseconds(0) || keeper.is_stopped()) break;
    if (::poll(&ready, 1, static_cast<int>(std::min(left, time_between_looks).count())) <= 0) {
      continue;
    }
    const ssize_t size = ::read(output, bytes.data(), bytes.size());
    if (size <= 0) break;
    passed.add({bytes.data(), static_cast<std::size_t>(size)});
  }
  passed.end();
  return much_output || !passed.is_too_much();
}

}  // namespace

Ending run_in_child(const Limits& limits, const std::function<Ending()>& body) {
  const Directory directory;
  SharedText function;
  const Descriptor report(::memfd_create("tenon-report", MFD_CLOEXEC), "a file for a report");
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) refused("a pipe for the output of a case");
  std::optional<Descriptor> output(std::in_place, ends[0], "a pipe");
  std::optional<Descriptor> input(std::in_place, ends[1], "a pipe");
  const pid_t number = ::fork();
  if (number < 0) refused("a process for a case");
  if (number == 0) {
    output.reset();  // so that writing fails when the parent reads no more
    run_as_keeper(report.get(), ends[1], directory.path(), function, limits, body);
  }
  input.reset();
  Child keeper(number);
  const auto longest = limits.timeout + time_to_end;
  // Every process of the case holds the pipe, so it ends with the last of them.
  if (!pass_on(output->get(), limits.much_output, keeper, longest)) {
    std::string reason = "the plugin printed more than 64 KiB" + function_words(function);
    output.reset();  // ends a process that prints more
    if (!keeper.wait(longest)) keeper.end();
    return {Verdict::failed, std::move(reason)};
  }
  const bool stopped = keeper.is_stopped();
  const bool ended = !stopped && keeper.wait(time_to_end);
  const int status = keeper.end();
  if (stopped || (ended && WIFSIGNALED(status))) {
    const std::string how = stopped ? "stopped" : "ended by " + signal_name(WTERMSIG(status));
    return {Verdict::failed,
            "the process that watches the plugin was " + how + function_words(function)};
  }
  const auto ending = read_ending(report.get());
  return ending ? *ending : Ending{Verdict::failed, ended_text(status, limits)};
}

std::uint64_t random_seed() {
  static const std::uint64_t seed = std::random_device()();
  return seed;
}

void end_children() {
  for (;;) {
    const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
    if (ended < 0 && errno == ECHILD) return;
    if (ended != 0) continue;
    for (const pid_t child : children()) ::kill(child, SIGKILL);
    ::waitpid(-1, nullptr, 0);
  }
}

void remove_directories(pid_t process) {
  const std::string prefix = directory_prefix(process);
  std::error_code failed;
  std::error_code ignored;
  fs::directory_iterator at(fs::temp_directory_path(ignored), failed);
  for (; !failed && at != fs::directory_iterator(); at.increment(failed)) {
    if (at->path().filename().string().starts_with(prefix)) fs::remove_all(at->path(), ignored);
  }
}

bool is_stopped(pid_t child) noexcept {
  siginfo_t stopped{};
  return ::waitid(P_PID, static_cast<id_t>(child), &stopped, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
         stopped.si_pid != 0;
}

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(number);
}

NamedFunction::NamedFunction(std::string_view name) noexcept {
  if (running_function != nullptr) running_function->set(name);
}

NamedFunction::~NamedFunction() {
  if (running_function == nullptr) return;
  check_heap();
  running_function->set({});
}

}  // namespace tenon::sdk::conformance
