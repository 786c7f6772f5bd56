// SPDX-License-Identifier: BSL-1.0
#include "app_converter.hpp"

#include "common/descriptor.hpp"

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
#include <utility>
#include <vector>

namespace tenon::command {
namespace {

using Clock = std::chrono::steady_clock;

/// Keeps an endless answer from filling the memory; more than the largest document takes.
constexpr std::size_t largest_answer = 256'000'000;

std::string text_of(int error) {
  return std::generic_category().message(error);
}

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::max<decltype(left)>(left, 0));
}

/// Waits until one of the events is there; false: it is too late.
bool wait_for(int channel, short events, Clock::time_point end) {
  for (;;) {
    pollfd one{channel, events, 0};
    const int ready = ::poll(&one, 1, milliseconds_until(end));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

std::string ending(int status) {
  if (WIFEXITED(status)) return "it ended with status " + std::to_string(WEXITSTATUS(status));
  return "it ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
         ::strsignal(WTERMSIG(status)) + ")";
}

std::optional<json::Reader> member_of(const json::Reader& object, std::string_view name) {
  for (const auto& [key, value] : object.members()) {
    if (key == name) return value;
  }
  return std::nullopt;
}

/// Empty where there is none.
std::string text_member(const json::Reader& object, std::string_view name) {
  const auto member = member_of(object, name);
  std::string_view text;
  if (member && member->form() == json::Form::text) member->read(text);
  return std::string(text);
}

std::string request_for(std::string_view text, const DocumentReadOptions& how) {
  json::Writer out;
  out.begin_object();
  const auto write = [&out](std::string_view name, std::string_view value) {
    out.key(name);
    out.text(value);
  };
  write("document", text);
  write("type", how.type);
  write("from", how.from);
  write("to", how.to);
  out.key("lenient");
  out.boolean(how.lenient);
  out.end_object();
  return out.take() += '\n';
}

}  // namespace

/// The program while it runs. Its standard input and output are one socket, which raises no signal
/// when the program has ended.
class AppConverter::Process {
 public:
  explicit Process(std::chrono::milliseconds limit) : limit_(limit) {}
  ~Process() { stop(); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Answers why it could not; empty: it could. So does `ask`.
  std::string start(std::string program) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return text_of(errno);
    channel_ = ends[0];
    const reading::Descriptor its_end(ends[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, its_end.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, its_end.get(), STDOUT_FILENO);
    char* const arguments[] = {program.data(), nullptr};
    const int error =
        ::posix_spawn(&child_, program.c_str(), &actions, nullptr, arguments, environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error == 0) return "";
    child_ = 0;
    return "it cannot be started: " + text_of(error);
  }

  /// Sends a line and takes the one that comes back.
  std::string ask(std::string_view line, std::string& answer) {
    const auto end = Clock::now() + limit_;
    while (!line.empty()) {
      if (!wait_for(channel_, POLLOUT, end)) return too_late();
      const ssize_t sent = ::send(channel_, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (sent < 0) return stop();
      line.remove_prefix(static_cast<std::size_t>(sent));
    }
    answer.clear();
    while (answer.empty() || answer.back() != '\n') {
      if (!wait_for(channel_, POLLIN, end)) return too_late();
      const ssize_t count = ::recv(channel_, memory_.data(), memory_.size(), MSG_DONTWAIT);
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count <= 0) return stop();
      answer.append(memory_.data(), static_cast<std::size_t>(count));
      if (answer.size() > largest_answer) return "its answer has no end";
    }
    answer.pop_back();
    return "";
  }

 private:
  std::string too_late() {
    ::kill(child_, SIGKILL);
    return "no answer within " + std::to_string(limit_.count()) + " ms";
  }

  /// Its input ends, and so does it, or it is killed. Answers how it ended.
  std::string stop() {
    if (channel_ >= 0) ::close(std::exchange(channel_, -1));
    if (child_ == 0) return "";
    const reading::Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, child_, 0)));
    if (!process || !wait_for(process.get(), POLLIN, Clock::now() + limit_)) {
      ::kill(child_, SIGKILL);
    }
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    child_ = 0;
    return ending(status);
  }

  std::chrono::milliseconds limit_;
  int channel_ = -1;
  pid_t child_ = 0;
  std::vector<char> memory_ = std::vector<char>(65536);
};

AppConverter::AppConverter(std::filesystem::path program, std::chrono::milliseconds limit)
    : program_(std::move(program)), limit_(limit) {}

AppConverter::~AppConverter() = default;

Result<std::string_view> AppConverter::convert(std::string_view text,
                                               const DocumentReadOptions& how) {
  if (!process_) {
    process_ = std::make_unique<Process>(limit_);
    if (std::string why = process_->start(program_.string()); !why.empty()) {
      return failed(std::move(why));
    }
  }
  if (std::string why = process_->ask(request_for(text, how), answer_); !why.empty()) {
    return failed(std::move(why));
  }
  const Result<json::Reader> answer = parser_.parse(answer_);
  if (!answer) return failed("what it answers is no JSON: " + answer_.substr(0, 80));
  const auto error = member_of(*answer, "error");
  if (std::string code = error ? text_member(*error, "code") : ""; !code.empty()) {
    return Error({.code = std::move(code),
                  .message = text_member(*error, "message"),
                  .where = text_member(*error, "where"),
                  .found = text_member(*error, "found"),
                  .needed = text_member(*error, "needed"),
                  .fix = text_member(*error, "fix")});
  }
  const auto document = member_of(*answer, "document");
  std::string_view converted;
  if (!document || !document->read(converted)) {
    return failed("what it answers is neither a document nor an error: " + answer_.substr(0, 80));
  }
  return converted;
}

Error AppConverter::failed(std::string why) {
  process_.reset();
  return Error({.code = "converter-failed",
                .message = "the converter of the app has not converted the document",
                .where = program_.string(),
                .found = std::move(why),
                .needed = "an answer",
                .fix = "install the app again, or ask its authors"});
}

}  // namespace tenon::command
