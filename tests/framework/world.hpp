// SPDX-License-Identifier: BSL-1.0
//
// A temporary world for one test: folders, module files and an environment of its own, and a way to
// run programs in it. What a test made in it is gone when the World ends.
//
//   World world;
//   world.place(PLUGIN_DIR "/libinvert.so");
//   auto run = world.run({TENON, "list"});
//   EXPECT_EQ(run.exit, 0) << run.err;
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace tenon::tests {

/// How a program ended and what it said.
struct Outcome {
  int exit = 0;     // its status; 128 + the signal that ended it
  std::string out;  // standard output
  std::string err;  // standard error
};

/// A program that is running. Killed with SIGKILL when it is still running at the end.
class Child {
 public:
  Child(Child&& other) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  pid_t pid() const noexcept { return pid_; }
  void signal(int number) const;
  /// What it wrote to standard error so far.
  std::string err() const;
  /// Waits for its end.
  Outcome wait();

 private:
  friend class World;
  Child(pid_t pid, std::filesystem::path out, std::filesystem::path err);

  pid_t pid_;
  std::filesystem::path out_;
  std::filesystem::path err_;
};

class World {
 public:
  /// The app of the host under test: "photo" reads $PHOTO_PLUGIN_PATH, which is set to `plugins()`
  /// for the programs that the World runs.
  explicit World(std::string_view app = "world");
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const std::filesystem::path& root() const noexcept { return root_; }
  /// Where the modules of the app lie; exists.
  std::filesystem::path plugins() const { return root_ / "plugins"; }
  /// A path in the world. The folders above it exist afterwards.
  std::filesystem::path path(std::string_view relative) const;

  /// Writes a file and answers its path.
  std::filesystem::path write(std::string_view relative, std::string_view content) const;
  std::string read(std::string_view relative) const;

  /// Puts a module file among the plugins, as an installer would: in one step, so that a program
  /// never sees half of it. Without a name it keeps its own.
  std::filesystem::path place(const std::filesystem::path& module,
                              std::string_view name = {}) const;

  /// One variable of the environment of programs. They get nothing else from the test's own but
  /// PATH and the options of sanitizers; HOME lies in the world.
  void set(std::string_view variable, std::string_view value);

  /// Starts a program in the root of the world, with nothing to read.
  Child start(const std::vector<std::string>& command) const;
  /// The same, and waits for its end.
  Outcome run(const std::vector<std::string>& command) const { return start(command).wait(); }

 private:
  std::filesystem::path root_;
  std::map<std::string, std::string, std::less<>> environment_;
};

/// Whether a condition became true within a time that is long even on a busy machine. Looks at it
/// often; no test waits longer than it must.
template <class Condition>
bool eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

/// The whole content of a file; empty where there is none.
std::string read_file(const std::filesystem::path& path);

}  // namespace tenon::tests
