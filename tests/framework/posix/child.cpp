// SPDX-License-Identifier: BSL-1.0
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "framework/world.hpp"

namespace tenon::tests {

namespace fs = std::filesystem;

namespace {

void check(int error, const std::string& what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

/// The descriptors and working directory of a child process.
class FileActions {
 public:
  FileActions() { check(posix_spawn_file_actions_init(&actions_), "file actions"); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  void open(int descriptor, const char* path, int flags) {
    check(posix_spawn_file_actions_addopen(&actions_, descriptor, path, flags, 0600), path);
  }
  void change_directory(const char* path) {
    check(posix_spawn_file_actions_addchdir_np(&actions_, path), path);
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Returns the child processes of the first thread of a process.
std::vector<pid_t> children_of(pid_t process) {
  const std::string number = std::to_string(process);
  std::ifstream file("/proc/" + number + "/task/" + number + "/children");
  return {std::istream_iterator<pid_t>(file), {}};
}

/// Appends to a file what programs write to a terminal, until the last one has closed it.
void copy_terminal(int terminal, const fs::path& to) {
  std::ofstream file(to, std::ios::binary | std::ios::app);
  char piece[4096];
  for (;;) {
    const ssize_t size = read(terminal, piece, sizeof piece);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;  // EIO: it was closed
    file.write(piece, size).flush();
  }
  close(terminal);
}

}  // namespace

const char* const temporary_variable = "TMPDIR";

std::vector<std::string> unprivileged(std::vector<std::string> command) {
  if (geteuid() == 0) {
    command.insert(command.begin(), {"setpriv", "--bounding-set=-dac_override,-dac_read_search"});
  }
  return command;
}

Outcome World::run_portably(const std::vector<std::string>& command, bool) const {
  return run(command);
}

void set_variable(const char* name, const char* value) {
  value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
}

std::string module_file(std::string_view name) {
  return std::string(name);
}

std::string mapped_files() {
  return read_file("/proc/self/maps");
}

char state_of(pid_t process) {
  const std::string status = read_file("/proc/" + std::to_string(process) + "/stat");
  const std::size_t end = status.rfind(')');  // of the name
  return end == std::string::npos ? 'X' : status.at(end + 2);
}

bool has_ended(pid_t process) {
  // glibc 2.36 declares pidfd_open without C linkage.
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (descriptor < 0) return errno == ESRCH;
  // A zombie in /proc may have threads that still run, and keep its files open.
  pollfd event{descriptor, POLLIN, 0};
  const bool ended = poll(&event, 1, 60'000) == 1;
  close(descriptor);
  return ended;
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      terminal_(std::move(other.terminal_)) {}

Child::~Child() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  if (terminal_.joinable()) terminal_.join();
}

void Child::signal(int number) const {
  check(::kill(pid_, number) == 0 ? 0 : errno, "kill");
}

pid_t Child::worker() const {
  std::vector<pid_t> workers;
  const bool started = eventually([&] {
    workers = children_of(pid_);
    return !workers.empty();
  });
  if (!started) throw std::runtime_error("process " + std::to_string(pid_) + " has no child");
  return workers.front();
}

Outcome Child::wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0) {
    if (errno != EINTR) check(errno, "waitpid");
  }
  pid_ = 0;
  if (terminal_.joinable()) terminal_.join();
  const int exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {exit, read_file(out_), read_file(err_)};
}

Outcome Child::kill() {
  signal(SIGSTOP);  // so that it starts no other child
  if (!eventually([&] { return state_of(pid_) == 'T' || state_of(pid_) == 'Z'; })) {
    throw std::runtime_error("process " + std::to_string(pid_) + " does not stop");
  }
  const std::vector<pid_t> children = children_of(pid_);
  signal(SIGKILL);
  Outcome outcome = wait();
  for (const pid_t child : children) {
    if (!has_ended(child)) {
      throw std::runtime_error("process " + std::to_string(child) + " does not end");
    }
  }
  return outcome;
}

Child World::start_on_terminal(const std::vector<std::string>& command) const {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  check(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0 ? 0 : errno, "terminal");
  return start(command, terminal);
}

World::~World() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

Child World::start(const std::vector<std::string>& command, int terminal) const {
  static int count = 0;
  const std::string number = std::to_string(++count);
  const fs::path out = path("output/" + number + ".out");
  const fs::path err = path("output/" + number + ".err");

  FileActions files;
  files.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  if (terminal < 0) {
    files.open(STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
    files.open(STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  } else {
    files.open(STDOUT_FILENO, ptsname(terminal), O_RDWR | O_NOCTTY);
    files.open(STDERR_FILENO, ptsname(terminal), O_RDWR | O_NOCTTY);
  }
  files.change_directory(root_.c_str());

  std::vector<std::string> arguments = command;
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment_) variables.push_back(name + "=" + value);
  posix_spawnattr_t attributes;
  check(posix_spawnattr_init(&attributes), "attributes");
  if (terminal >= 0) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  check(posix_spawnp(&pid, arguments.at(0).c_str(), files.get(), &attributes,
                     pointers(arguments).data(), pointers(variables).data()),
        arguments[0]);
  posix_spawnattr_destroy(&attributes);
  // The program has opened the terminal, because posix_spawnp returns after its file actions.
  return {pid, out, err, terminal < 0 ? std::thread() : std::thread(copy_terminal, terminal, out)};
}

}  // namespace tenon::tests
