// SPDX-License-Identifier: BSL-1.0
#include "platform/program.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "platform/output_file.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

std::vector<std::string> program_arguments(int count, const char* const* arguments) {
  return {arguments, arguments + count};
}

void hold_standard_streams() noexcept {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    const int held = ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (held < 0) return;
  }
}

OutputFile reserve_standard_output() {
  const int previous = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return OutputFile("standard output", previous);
}

bool is_terminal(int stream) noexcept {
  return ::isatty(stream) == 1;
}

std::size_t terminal_columns(int stream) noexcept {
  winsize size{};
  return ::ioctl(stream, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void end_process(int status) noexcept {
  _exit(status);
}

void name_thread(const std::string& name) noexcept {
  char text[16] = {};  // the most that the system accepts
  name.copy(text, sizeof text - 1);
  ::pthread_setname_np(::pthread_self(), text);
}

std::tm local_time(std::time_t time) noexcept {
  std::tm parts{};
  ::localtime_r(&time, &parts);
  return parts;
}

std::tm utc_time(std::time_t time) noexcept {
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return parts;
}

bool may_create_files(const std::filesystem::path& directory) noexcept {
  return ::access(directory.c_str(), W_OK | X_OK) == 0;
}

std::filesystem::path program_file() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

std::filesystem::path directory_for_temporary_files(std::error_code& failed) {
  return std::filesystem::temp_directory_path(failed);
}

std::filesystem::path create_new_directory(const std::filesystem::path& prefix,
                                           std::error_code& failed) {
  std::string name = prefix.string() + "XXXXXX";
  if (::mkdtemp(name.data()) != nullptr) return name;
  failed.assign(errno, std::generic_category());
  return {};
}

}}}  // namespace tenon::v0_1::platform
