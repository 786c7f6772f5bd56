// SPDX-License-Identifier: BSL-1.0
#include "verify_workers.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/child.hpp"
#include "platform/posix/descriptor.hpp"

namespace tenon::command {
namespace {

namespace conformance = sdk::conformance;
using conformance::Verdict;
using platform::Descriptor;

// A process writes lines to its parent. Those that plugins print have no control characters, so
// these bytes begin the others: a verdict with its reason, and why the process ended early.
constexpr char verdict_mark = '\x1e';
constexpr char failure_mark = '\x1f';

/// Writes a text that may have several lines as one.
void send(char mark, std::string text) {
  std::ranges::replace(text, '\n', '\v');
  text = mark + text + "\n";
  platform::write_all(STDERR_FILENO, text);
}

/// A process that runs the cases of one module.
struct Worker {
  pid_t process;
  std::size_t module;
  Descriptor lines;
  std::string begun = {};  // a line that has not ended
  bool stopped = false;
};

constexpr int milliseconds_between_looks = 200;  // at processes that may have been stopped

[[noreturn]] void run_as_worker(const VerifyWork& work, std::size_t module, int lines) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setsid();  // so that only a plugin stops it
  ::dup2(lines, STDOUT_FILENO);
  ::dup2(lines, STDERR_FILENO);
  ::close_range(STDERR_FILENO + 1, ~0U, 0);  // those of the parent
  try {
    work.run(module, [](const conformance::Result& result) {
      send(verdict_mark, static_cast<char>('0' + static_cast<int>(result.verdict)) + result.reason);
    });
  } catch (const std::exception& error) {
    send(failure_mark, error.what());
  }
  ::_exit(0);
}

/// The child processes. The destructor ends those that still run.
class Workers {
 public:
  explicit Workers(const VerifyWork& work) : work_(work) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that it can end what they leave behind
    sigemptyset(&stops_);
    sigaddset(&stops_, SIGINT);
    sigaddset(&stops_, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &stops_, &signals_);
    stop_.reset(::signalfd(-1, &stops_, SFD_CLOEXEC));
    if (!stop_) throw std::system_error(errno, std::generic_category(), "signals");
  }
  ~Workers() {
    for (const auto& one : workers_) ::kill(one->process, SIGKILL);
    conformance::end_children();
    for (const auto& one : workers_) conformance::remove_directories(one->process);
    ::sigprocmask(SIG_SETMASK, &signals_, nullptr);
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int run() {
    const std::size_t most = std::max(std::thread::hardware_concurrency(), 1U);
    for (std::size_t next = 0; next < work_.count || !workers_.empty();) {
      while (next < work_.count && workers_.size() < most) start(next++);
      if (const int number = wait()) return number;
    }
    return 0;
  }

 private:
  void start(std::size_t module) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(), "a pipe to a process");
    }
    Descriptor output(ends[0]);
    const Descriptor input(ends[1]);
    const pid_t process = ::fork();
    if (process < 0) throw std::system_error(errno, std::generic_category(), "a process");
    if (process == 0) run_as_worker(work_, module, input.get());
    workers_.push_back(std::make_unique<Worker>(Worker{process, module, std::move(output)}));
  }

  /// Waits for something to do, and does it. Returns the number of a signal to stop; otherwise 0.
  int wait() {
    std::vector<pollfd> waited{{stop_.get(), POLLIN, 0}};
    for (const auto& one : workers_) waited.push_back({one->lines.get(), POLLIN, 0});
    if (::poll(waited.data(), waited.size(), milliseconds_between_looks) < 0) return 0;
    if (waited.front().revents != 0) {
      signalfd_siginfo signal{};
      if (::read(stop_.get(), &signal, sizeof signal) == sizeof signal) {
        return static_cast<int>(signal.ssi_signo);
      }
    }
    for (std::size_t i = workers_.size(); i > 0; --i) {
      if (waited[i].revents != 0 && !read(*workers_[i - 1])) end(i - 1);
    }
    for (const auto& one : workers_) kill_if_stopped(*one);
    return 0;
  }

  static void kill_if_stopped(Worker& worker) {
    if (!conformance::is_stopped(worker.process)) return;
    worker.stopped = true;
    ::kill(worker.process, SIGKILL);
  }

  /// Returns false at the end.
  bool read(Worker& worker) const {
    std::array<char, 4096> bytes{};
    const ssize_t size = ::read(worker.lines.get(), bytes.data(), bytes.size());
    if (size <= 0) return size < 0 && errno == EINTR;
    worker.begun.append(bytes.data(), static_cast<std::size_t>(size));
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = worker.begun.find('\n', begin)) != std::string::npos;) {
      take(worker.module, worker.begun.substr(begin, end - begin));
      begin = end + 1;
    }
    worker.begun.erase(0, begin);
    return true;
  }

  void take(std::size_t module, std::string line) const {
    const char mark = line.empty() ? '\0' : line.front();
    if (mark != verdict_mark && mark != failure_mark) return work_.printed(module, line);
    std::ranges::replace(line, '\v', '\n');
    if (mark == failure_mark) throw std::runtime_error(line.substr(1));
    work_.case_ended(module, static_cast<Verdict>(line.at(1) - '0'), line.substr(2));
  }

  void end(std::size_t index) {
    const auto worker = std::move(workers_[index]);
    workers_.erase(workers_.begin() + static_cast<std::ptrdiff_t>(index));
    int status = 0;
    while (::waitpid(worker->process, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) {
      conformance::remove_directories(worker->process);
      const std::string how = worker->stopped ? "was stopped"
                              : WIFSIGNALED(status)
                                  ? "was ended by " + conformance::signal_name(WTERMSIG(status))
                                  : "ended with status " + std::to_string(WEXITSTATUS(status));
      work_.module_broke(worker->module, "the process that runs the cases " + how);
    }
    work_.module_ended(worker->module);
  }

  const VerifyWork& work_;
  sigset_t stops_;
  sigset_t signals_;
  Descriptor stop_{-1};
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

int run_in_processes(const VerifyWork& work) {
  return Workers(work).run();
}

void end_by(int number) {
  ::signal(number, SIG_DFL);
  ::raise(number);
}

}  // namespace tenon::command
