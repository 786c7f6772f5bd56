// SPDX-License-Identifier: BSL-1.0
#include "app_converter.hpp"

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
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "common/descriptor.hpp"

namespace tenon::command {
namespace {

using Clock = std::chrono::steady_clock;

/// In bytes. Bounds the memory of an endless response; the largest document takes less.
constexpr std::size_t largest_response = 256'000'000;

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

std::optional<json::Reader> member_of(const json::Reader& object, std::string_view name) {
  for (const auto& [key, value] : object.members()) {
    if (key == name) return value;
  }
  return std::nullopt;
}

/// Returns an empty text if there is no such member.
std::string text_member(const json::Reader& object, std::string_view name) {
  const auto member = member_of(object, name);
  std::string_view text;
  if (member && member->form() == json::Form::text) member->read(text);
  return std::string(text);
}

std::string request_for(std::string_view text, const DocumentReadOptions& options) {
  json::Writer out;
  out.begin_object();
  const auto write = [&out](std::string_view name, std::string_view value) {
    out.key(name);
    out.text(value);
  };
  write("document", text);
  write("type", options.type);
  write("from", options.from);
  write("to", options.to);
  out.key("lenient");
  out.boolean(options.lenient);
  out.end_object();
  return out.take() += '\n';
}

}  // namespace

/// The running program. Its standard input and output are one socket: unlike a pipe, a socket can
/// be written without SIGPIPE after the program has exited.
class AppConverter::Process {
 public:
  explicit Process(std::chrono::milliseconds limit) : limit_(limit) {}
  ~Process() { stop(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Starts the program. Returns the reason for a failure, or an empty text.
  std::string start(std::string program) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return system_text(errno);
    channel_ = ends[0];
    const tools::Descriptor child_end(ends[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, child_end.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, child_end.get(), STDOUT_FILENO);
    char* const arguments[] = {program.data(), nullptr};
    const int error =
        ::posix_spawn(&child_, program.c_str(), &actions, nullptr, arguments, environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error == 0) return "";
    child_ = 0;
    return "it cannot be started: " + system_text(error);
  }

  /// Sends a line and reads the response. Returns the reason for a failure, or an empty text.
  std::string request(std::string_view line, std::string& response) {
    const auto end = Clock::now() + limit_;
    while (!line.empty()) {
      if (!wait_for(channel_, POLLOUT, end)) return time_out();
      const ssize_t sent = ::send(channel_, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (sent < 0) return stop();
      line.remove_prefix(static_cast<std::size_t>(sent));
    }
    response.clear();
    while (response.empty() || response.back() != '\n') {
      if (!wait_for(channel_, POLLIN, end)) return time_out();
      const ssize_t count = ::recv(channel_, memory_.data(), memory_.size(), MSG_DONTWAIT);
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count <= 0) return stop();
      response.append(memory_.data(), static_cast<std::size_t>(count));
      if (response.size() > largest_response) return "its response is too large";
    }
    response.pop_back();
    return "";
  }

  /// Closes the input of the program, waits until it exits, and kills it if it does not. Returns
  /// how it ended.
  std::string stop() {
    if (channel_ >= 0) ::close(std::exchange(channel_, -1));
    if (child_ == 0) return "";
    if (!wait_for_exit(Clock::now() + limit_)) kill();
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    child_ = 0;
    return describe_exit(status);
  }

  /// Returns whether the program was killed because it did not respond or exit in time.
  bool was_killed() const { return was_killed_; }

 private:
  std::string time_out() {
    kill();
    return "no response within " + std::to_string(limit_.count()) + " ms";
  }

  /// Waits until the program exits. Returns false if it does not before `end`.
  bool wait_for_exit(Clock::time_point end) const {
    const tools::Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, child_, 0)));
    if (process) return wait_for(process.get(), POLLIN, end);
    // Old kernels and filters of system calls refuse pidfd_open.
    while (!has_exited()) {
      if (Clock::now() >= end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
  }

  /// Keeps the status of the program for `waitpid`.
  bool has_exited() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid != 0;
  }

  void kill() {
    ::kill(child_, SIGKILL);
    was_killed_ = true;
  }

  std::chrono::milliseconds limit_;
  int channel_ = -1;
  pid_t child_ = 0;
  bool was_killed_ = false;
  std::vector<char> memory_ = std::vector<char>(65536);
};

AppConverter::AppConverter(std::filesystem::path program, std::chrono::milliseconds limit)
    : program_(std::move(program)), limit_(limit) {}

AppConverter::~AppConverter() = default;

Result<std::string_view> AppConverter::convert(std::string_view text,
                                               const DocumentReadOptions& options) {
  if (given_up_) return *given_up_;
  if (!process_) {
    process_ = std::make_unique<Process>(limit_);
    if (std::string why = process_->start(program_.string()); !why.empty()) {
      return failed(std::move(why));
    }
  }
  if (std::string why = process_->request(request_for(text, options), response_); !why.empty()) {
    return failed(std::move(why));
  }
  const Result<json::Reader> response = parser_.parse(response_);
  if (!response) return failed("its response is not JSON: " + response_.substr(0, 80));
  const auto error = member_of(*response, "error");
  if (std::string code = error ? text_member(*error, "code") : ""; !code.empty()) {
    return Error({.code = std::move(code),
                  .message = text_member(*error, "message"),
                  .where = text_member(*error, "where"),
                  .found = text_member(*error, "found"),
                  .needed = text_member(*error, "needed"),
                  .fix = text_member(*error, "fix")});
  }
  const auto document = member_of(*response, "document");
  std::string_view converted;
  if (!document || !document->read(converted)) {
    return failed("its response is neither a document nor an error: " + response_.substr(0, 80));
  }
  return converted;
}

Error AppConverter::failed(std::string why) {
  process_->stop();
  const bool was_killed = process_->was_killed();
  process_.reset();
  Error error({.code = "converter-failed",
               .message = "the converter of the app failed",
               .where = program_.string(),
               .found = std::move(why),
               .needed = "a converted document or an error",
               .fix = "reinstall the app, or report this to its authors"});
  if (was_killed) given_up_ = error;
  return error;
}

}  // namespace tenon::command
