// SPDX-License-Identifier: BSL-1.0
//
// Commands and hosts with and without the index of modules. TENON is the command, HOST a host of
// the app photo, MODULE its plugin, PACKAGES the directory of more modules.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

class Index : public testing::Test {
 protected:
  Index() : world_("photo") {
    world_.place(MODULE);
    for (const auto& entry : fs::directory_iterator(PACKAGES)) {
      if (entry.path().extension() == ".so") place(entry.path());
    }
    world_.write("plugins/broken.so", "broken");
    world_.write("plugins/notes.txt", "no module");
  }

  void place(const fs::path& module) const {
    const fs::path to = world_.path("plugins/" + module.stem().string() + "/module.so");
    fs::copy_file(module, to);
  }
  void switch_on(bool on) {
    world_.set("XDG_CACHE_HOME", on ? (world_.root() / "cache").string() : "/dev/null");
  }
  fs::path index() const { return world_.root() / "cache/tenon/photo.index"; }
  ino_t inode_of_index() const {
    struct stat status {};
    stat(index().c_str(), &status);
    return status.st_ino;
  }
  Outcome tenon(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {TENON, arguments.front(), "-a", "photo"});
    arguments.erase(arguments.begin() + 4);
    return world_.run(arguments);
  }
  /// Runs commands until the index has all modules, which it has once they are old enough.
  bool makes_index() {
    switch_on(true);
    return eventually([this] {
      tenon({"list"});
      const std::string content = read_file(index());
      const auto modules = fs::directory_iterator(world_.plugins());
      return std::all_of(begin(modules), end(modules), [&](const fs::directory_entry& entry) {
        return !entry.is_directory() || content.find(name_of(entry) + "/") != content.npos;
      });
    });
  }

  static std::string name_of(const fs::directory_entry& entry) {
    return entry.path().filename().string();
  }

  World world_;
};

std::string text_of(const Outcome& run) {
  return run.out + run.err + std::to_string(run.exit);
}

TEST_F(Index, ChangesNoOutput) {
  const std::vector<std::vector<std::string>> commands = {{"list"},
                                                          {"list", "--why"},
                                                          {"list", "--json"},
                                                          {"inspect", "me.example/blur"},
                                                          {"resolve", "--json", "me.example/blur"},
                                                          {"graph"}};
  std::vector<std::string> without;
  switch_on(false);
  for (const auto& command : commands) {
    const Outcome run = tenon(command);
    EXPECT_LE(run.exit, 1) << command.front();
    without.push_back(text_of(run));
  }
  EXPECT_EQ(std::ranges::count(without, without.front()), 1);
  ASSERT_TRUE(makes_index());
  for (std::size_t i = 0; i < commands.size(); ++i)
    EXPECT_EQ(text_of(tenon(commands[i])), without[i]) << commands[i].front();
  fs::remove_all(index().parent_path());
  for (std::size_t i = 0; i < commands.size(); ++i)
    EXPECT_EQ(text_of(tenon(commands[i])), without[i]) << commands[i].front();
}

TEST_F(Index, ServesHosts) {
  ASSERT_TRUE(makes_index());
  const ino_t before = inode_of_index();
  const Outcome run = world_.run({HOST, "say"});
  EXPECT_TRUE(run.out.ends_with("it works\n")) << run.out << run.err;
  EXPECT_EQ(inode_of_index(), before);
  world_.place(MODULE);  // another file of the same content
  const Outcome again = world_.run({HOST, "say"});
  EXPECT_EQ(again.out, run.out) << again.err;
  EXPECT_NE(inode_of_index(), before);
}

}}  // namespace tenon::tests
