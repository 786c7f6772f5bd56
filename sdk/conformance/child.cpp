// SPDX-License-Identifier: BSL-1.0
#include "child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace tenon::sdk::conformance {
namespace {

namespace fs = std::filesystem;

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

/// A new directory, which the destructor removes with its contents.
class Directory {
 public:
  Directory() {
    std::error_code failed;
    path_ = fs::temp_directory_path(failed) / "tenon-case-XXXXXX";
    if (failed) throw std::system_error(failed, "the folder for temporary files (TMPDIR)");
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

/// Restores the default handlers of signals: the parent may have installed others.
void reset_signals() {
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE}) {
    ::signal(number, SIG_DFL);
  }
}

[[noreturn]] void run_as_child(int report, const std::string& directory,
                               const std::function<Ending()>& body) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  constexpr rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  reset_signals();
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  const Ending ending = ::chdir(directory.c_str()) == 0
                            ? body()
                            : Ending{Verdict::failed, "cannot enter " + directory};
  const std::string text =
      static_cast<char>('0' + static_cast<int>(ending.verdict)) + ending.reason;
  const auto size = static_cast<ssize_t>(text.size());
  ::_exit(::write(report, text.data(), text.size()) == size ? 0 : 1);
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

 private:
  // poll takes an int of milliseconds.
  static constexpr std::chrono::milliseconds max_poll_time = std::chrono::hours(1);

  pid_t number_;
};

std::string read_report(int report) {
  std::string text(static_cast<std::size_t>(::lseek(report, 0, SEEK_END)), '\0');
  const ssize_t size = ::pread(report, text.data(), text.size(), 0);
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return text;
}

std::string ended_text(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    const char* name = ::sigabbrev_np(number);
    return "the plugin crashed: " +
           (name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(number));
  }
  return "the plugin ended the process with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Ending run_in_child(std::chrono::milliseconds timeout, const std::function<Ending()>& body) {
  const Directory directory;
  const Descriptor report(::memfd_create("tenon-report", MFD_CLOEXEC), "a file for a report");
  const pid_t number = ::fork();
  if (number < 0) refused("a process for a case");
  if (number == 0) run_as_child(report.get(), directory.path(), body);
  Child child(number);
  const bool in_time = child.wait(timeout);
  const int status = child.end();
  if (!in_time) {
    return {Verdict::failed, "still running after " + std::to_string(timeout.count()) + " ms"};
  }
  const std::string text = read_report(report.get());
  if (text.empty()) return {Verdict::failed, ended_text(status)};
  return {static_cast<Verdict>(text.front() - '0'), text.substr(1)};
}

}  // namespace tenon::sdk::conformance
