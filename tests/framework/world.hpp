// SPDX-License-Identifier: BSL-1.0
//
// A sandbox for one test: a temporary directory with plugins, and an environment in which programs
// run. The directory is removed when the World is destroyed.
//
//   World world;
//   world.place(PLUGIN_DIR "/libinvert.so");
//   auto run = world.run({TENON, "list"});
//   EXPECT_EQ(run.exit, 0) << run.err;
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tenon::tests {

/// The exit status and output of a program.
struct Outcome {
  int exit = 0;     // its exit status, or 128 + the signal that ended it
  std::string out;  // standard output
  std::string err;  // standard error
};

/// A running program. The destructor kills it with SIGKILL if it still runs.
class Child {
 public:
  Child(Child&& other) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  pid_t pid() const noexcept { return pid_; }
  /// On Windows, each is Ctrl+C in the console of the program: wine 8 sends no Ctrl+Break.
  void signal(int number) const;
  /// Returns the child process of the program, of which there must be one. Waits until it is
  /// started. Not on Windows.
  pid_t worker() const;
  /// Return its standard output and its standard error so far.
  std::string out() const;
  std::string err() const;
  /// Waits until the program ends.
  Outcome wait();
  /// Kills the program with SIGKILL. Waits until it and its child processes have ended, so that
  /// none of their locks is held; they must end with the program.
  Outcome kill();

 private:
  friend class World;
  Child(pid_t pid, std::filesystem::path out, std::filesystem::path err, std::thread terminal);

  pid_t pid_;                // 0 if it was waited for
  void* process_ = nullptr;  // its handle on Windows
  std::filesystem::path out_;
  std::filesystem::path err_;
  std::thread terminal_;  // copies what the terminal shows into `out_`
};

class World {
 public:
  /// `app`: the app of the host under test. "photo" reads $PHOTO_PLUGIN_PATH, which is set to
  /// `plugins()` for the programs that the World runs.
  explicit World(std::string_view app = "world");
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const std::filesystem::path& root() const noexcept { return root_; }
  /// Returns the directory of the modules of the app. It exists.
  std::filesystem::path plugins() const { return root_ / "plugins"; }
  /// Returns a path in the world, and creates its parent directories.
  std::filesystem::path path(std::string_view relative) const;

  /// Writes a file and returns its path.
  std::filesystem::path write(std::string_view relative, std::string_view content) const;
  std::string read(std::string_view relative) const;

  /// Copies a module file to `plugins()` atomically, as an installer does. Without a name it keeps
  /// its own. Returns the path of the copy.
  std::filesystem::path place(const std::filesystem::path& module,
                              std::string_view name = {}) const;

  /// Sets an environment variable of programs. From the environment of the test they inherit only
  /// PATH and the options of sanitizers. HOME is in the world.
  void set(std::string_view variable, std::string_view value);

  /// Starts a program in the root of the world, with an empty standard input.
  Child start(const std::vector<std::string>& command) const;
  /// Starts a program in the same way, with a terminal as its standard output and standard error,
  /// and in a process group of its own.
  /// `out` of the Child and of the Outcome is what the terminal shows. Not on Windows.
  Child start_on_terminal(const std::vector<std::string>& command) const;
  /// Runs a program as `start` does, and waits until it ends.
  Outcome run(const std::vector<std::string>& command) const { return start(command).wait(); }
  /// The same for a test of all systems. On Windows, arguments that name a module "x.so" name
  /// "x.dll", and the output has "x.so" for "x.dll" and '/' for '\\' in paths. `escaped`: the
  /// output is in a language in which each '\\' of a path is written as two, such as JSON.
  Outcome run_portably(const std::vector<std::string>& command, bool escaped = false) const;

 private:
  /// `terminal`: a new pseudoterminal; -1: none.
  Child start(const std::vector<std::string>& command, int terminal) const;

  std::filesystem::path root_;
  std::map<std::string, std::string, std::less<>> environment_;
};

/// Waits until a condition is true. Returns false after 60 s, which is long even on a busy machine.
/// Polls every 2 ms, so that no test waits longer than it must.
template <class Condition>
bool eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

/// Returns the state of a process as proc(5) defines it, eg: 'T' if it is stopped. Returns 'X' if
/// there is no such process. Not on Windows.
char state_of(pid_t process);

/// Waits until all threads of a process have ended. Returns false after 60 s. Not on Windows.
bool has_ended(pid_t process);

/// Returns the command run without the capabilities that override file permissions, in case the
/// tests run as root. Not on Windows.
std::vector<std::string> unprivileged(std::vector<std::string> command);

/// Returns the name of a file of a module. Tests name them "x.so", which is "x.dll" on Windows.
std::string module_file(std::string_view name);

/// Returns a text that contains the path of each file that this process has mapped, with slashes.
std::string mapped_files();

/// Sets an environment variable of this process, or removes it if the value is null.
void set_variable(const char* name, const char* value);

/// The variable with the directory of temporary files.
extern const char* const temporary_variable;

/// Returns the content of a file, or an empty text if there is no file.
std::string read_file(const std::filesystem::path& path);

}  // namespace tenon::tests
