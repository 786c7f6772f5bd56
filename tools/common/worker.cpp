// SPDX-License-Identifier: BSL-1.0
#include "common/worker.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <system_error>

#include "common/descriptor.hpp"
#include "common/stop_requests.hpp"

namespace tenon::tools {
namespace {

/// The end of the child in a pair of sockets.
constinit int channel = -1;
constinit std::atomic<bool> is_completed = false;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// -- The parent ---------------------------------------------------------------

/// Ends this process by a signal.
[[noreturn]] void end_by(int number) {
  prctl(PR_SET_DUMPABLE, 0);  // the child has dumped its memory already
  signal(number, SIG_DFL);
  raise(number);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  _exit(128 + number);  // signals do not end the first process of a container
}

/// Waits for the signals of the parent, and for the end of the child.
class Supervisor {
 public:
  Supervisor(pid_t child, int connection, std::string program)
      : child_(child), connection_(connection), program_(std::move(program)) {}

  [[noreturn]] void run(const sigset_t& all) {
    for (;;) {
      const int number = sigwaitinfo(&all, nullptr);
      if (number == SIGCHLD) {
        check_child();
      } else if (number == SIGINT || number == SIGTERM) {
        stop(number);
      } else if (number == SIGHUP) {
        send(number);
      } else if (number > 0) {
        kill(child_, number);
      }
    }
  }

 private:
  /// Stops if the terminal has stopped the child, and ends if the child has ended.
  void check_child() {
    int status = 0;
    while (waitpid(child_, &status, WNOHANG | WUNTRACED) == child_) {
      if (!WIFSTOPPED(status)) end(status);
      if (WSTOPSIG(status) != SIGSTOP) raise(SIGSTOP);
    }
  }

  void stop(int number) {
    if (!requests_.add(number, StopRequests::Clock::now())) return;
    if (++stops_ <= 2) return send(number);
    kill(child_, SIGKILL);
    int status = 0;
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    end_by(number);
  }

  void send(int number) const {
    const char byte = static_cast<char>(number);
    // It fails only if the child has ended.
    static_cast<void>(::send(connection_, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT));
  }

  [[noreturn]] void end(int status) const {
    if (WIFSIGNALED(status)) end_by(WTERMSIG(status));
    char byte = 0;
    if (WEXITSTATUS(status) != 0 || recv(connection_, &byte, 1, MSG_DONTWAIT) == 1) {
      _exit(WEXITSTATUS(status));
    }
    write_all(STDERR_FILENO,
              program_ +
                  ": a plugin, or a library that it uses, ended the process with status 0 "
                  "before its work was completed\n");
    _exit(1);
  }

  const pid_t child_;
  const int connection_;
  const std::string program_;
  StopRequests requests_;
  int stops_ = 0;
};

// -- The child ----------------------------------------------------------------

/// Ends the process at once if a plugin has called exit: other threads still run, and would use
/// what the destructors of static objects destroy.
void end_early(int status, void* /*argument*/) {
  if (is_completed) return;
  std::fflush(nullptr);
  _exit(status);
}

/// `before`: the signals that were blocked before.
void enter_child(pid_t parent, sigset_t before) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) raise(SIGKILL);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&before, number);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  // A write of a plugin to a closed connection, or beyond the largest size of a file, fails with an
  // error instead.
  for (const int number : {SIGPIPE, SIGXFSZ}) signal(number, SIG_IGN);
  if (on_exit(end_early, nullptr) != 0) fail("on_exit");
}

}  // namespace

void supervise(const char* program) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("socketpair");
  const pid_t parent = getpid();
  // Blocked signals wait until one of the two processes handles them.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  // If it was ignored, the system would not keep the status of the child.
  const auto on_child = signal(SIGCHLD, SIG_DFL);
  const pid_t child = fork();
  if (child < 0) fail("fork");
  close(ends[child == 0 ? 0 : 1]);
  if (child != 0) Supervisor(child, ends[0], program).run(all);
  signal(SIGCHLD, on_child);
  channel = ends[1];
  enter_child(parent, before);
}

int completed(int status) noexcept {
  is_completed = true;
  const char byte = 1;
  if (channel >= 0 && status == 0) {
    static_cast<void>(::send(channel, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT));
  }
  return status;
}

struct SignalReader::State {
  State() : end(::eventfd(0, EFD_CLOEXEC)) {
    if (!end) fail("eventfd");
  }

  const Descriptor end;  // readable after `end`
};

SignalReader::SignalReader() : state_(std::make_unique<State>()) {}

SignalReader::~SignalReader() = default;

std::optional<int> SignalReader::next() {
  pollfd both[] = {{state_->end.get(), POLLIN, 0}, {channel, POLLIN, 0}};
  while (::poll(both, std::size(both), -1) < 0) {
    if (errno != EINTR) return std::nullopt;
  }
  char number = 0;
  if (both[0].revents != 0 || ::read(channel, &number, 1) != 1) return std::nullopt;
  return number;
}

void SignalReader::end() noexcept {
  ::eventfd_write(state_->end.get(), 1);
}

}  // namespace tenon::tools
