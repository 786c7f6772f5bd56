// SPDX-License-Identifier: BSL-1.0
#include "converter_process.hpp"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "common/descriptor.hpp"

namespace tenon::command {
namespace {

using Clock = std::chrono::steady_clock;

std::string system_text(int error) {
  return std::generic_category().message(error);
}

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::max<decltype(left)>(left, 0));
}

/// Waits for one of the events. Returns false if none occurs before `end`.
bool wait_for(int channel, short events, Clock::time_point end) {
  for (;;) {
    pollfd one{channel, events, 0};
    const int ready = ::poll(&one, 1, milliseconds_until(end));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

std::string describe_exit(int status) {
  if (WIFEXITED(status)) return "it exited with status " + std::to_string(WEXITSTATUS(status));
  return "it was killed by signal " + std::to_string(WTERMSIG(status)) + " (" +
         ::strsignal(WTERMSIG(status)) + ")";
}

/// Keeps the status of the program for `waitpid`.
bool has_exited(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid != 0;
}

/// Waits until the program exits. Returns false if it does not before `end`.
bool wait_for_exit(pid_t child, Clock::time_point end) {
  const tools::Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  if (process) return wait_for(process.get(), POLLIN, end);
  // Old kernels and filters of system calls refuse pidfd_open.
  while (!has_exited(child)) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace

/// The standard input and output of the program are one socket: unlike a pipe, a socket can be
/// written without SIGPIPE after the program has exited.
struct ConverterProcess::System {
  int channel = -1;
  pid_t child = 0;
  std::vector<char> memory = std::vector<char>(65536);
};

ConverterProcess::ConverterProcess(std::chrono::milliseconds limit)
    : limit_(limit), system_(std::make_unique<System>()) {}

ConverterProcess::~ConverterProcess() {
  stop();
}

std::string ConverterProcess::start(const std::filesystem::path& program) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return system_text(errno);
  system_->channel = ends[0];
  const tools::Descriptor child_end(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, child_end.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, child_end.get(), STDOUT_FILENO);
  std::string name = program.string();
  char* const arguments[] = {name.data(), nullptr};
  const int error =
      ::posix_spawn(&system_->child, program.c_str(), &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return "";
  system_->child = 0;
  return "it cannot be started: " + system_text(error);
}

std::string ConverterProcess::request(std::string_view line, std::string& response) {
  const auto end = Clock::now() + limit_;
  const int channel = system_->channel;
  while (!line.empty()) {
    if (!wait_for(channel, POLLOUT, end)) return time_out();
    const ssize_t sent = ::send(channel, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent < 0) return stop();
    line.remove_prefix(static_cast<std::size_t>(sent));
  }
  response.clear();
  std::vector<char>& memory = system_->memory;
  while (response.empty() || response.back() != '\n') {
    if (!wait_for(channel, POLLIN, end)) return time_out();
    const ssize_t count = ::recv(channel, memory.data(), memory.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return stop();
    response.append(memory.data(), static_cast<std::size_t>(count));
    if (response.size() > largest_response) return "its response is too large";
  }
  response.pop_back();
  return "";
}

std::string ConverterProcess::stop() {
  if (system_->channel >= 0) ::close(std::exchange(system_->channel, -1));
  if (system_->child == 0) return "";
  if (!wait_for_exit(system_->child, Clock::now() + limit_)) kill();
  int status = 0;
  while (::waitpid(system_->child, &status, 0) < 0 && errno == EINTR) {
  }
  system_->child = 0;
  return describe_exit(status);
}

std::string ConverterProcess::time_out() {
  kill();
  return "no response within " + std::to_string(limit_.count()) + " ms";
}

void ConverterProcess::kill() {
  ::kill(system_->child, SIGKILL);
  was_killed_ = true;
}

}  // namespace tenon::command
