// SPDX-License-Identifier: BSL-1.0
//
// Watching of real files.
#include "platform/watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "platform/event.hpp"
#include "windows/folder.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;
using platform::FileWatch;

using Paths = std::vector<fs::path>;

class Watch : public testing::Test {
 protected:
  Watch() {
    fs::create_directories(last_.parent_path());
    add(last_);
  }

  fs::path path(const char* name) const { return folder_.path() / name; }
  void add(const fs::path& file) {
    const auto added = watch_.add(file);
    EXPECT_TRUE(added) << added.error().to_string();
  }
  /// Watches a file of the folder, which may be missing.
  fs::path watched(const char* name) {
    add(path(name));
    return path(name);
  }
  void forget(const fs::path& file) {
    watch_.remove_if([&](const fs::path& one) { return one == file; });
  }

  fs::path write(const char* name, const char* content) const {
    fs::path file = path(name);
    fs::create_directories(file.parent_path());
    std::ofstream(file) << content;
    return file;
  }

  /// Returns the files that changed, after all changes so far were reported: those of this process
  /// are reported in their order, under wine in all directories.
  Paths changed() {
    std::ofstream(last_) << ++changes_;
    Paths all;
    for (;;) {
      for (const fs::path& file : watch_.changed()) {
        if (std::ranges::find(all, file) == all.end()) all.push_back(file);
      }
      if (std::erase(all, last_) != 0) return sorted(all);
      wait();
    }
  }
  /// Waits for one change of a file.
  Paths next_change() {
    Paths all;
    while ((all = watch_.changed()).empty()) wait();
    return all;
  }

 private:
  void wait() {
    const std::intptr_t event = watch_.event();
    platform::wait_events({&event, 1}, watch_.retry_after());
  }
  static Paths sorted(Paths all) {
    std::ranges::sort(all);
    return all;
  }

  const Folder folder_;
  // In a directory of its own, so that other changes before a file is watched are not reported.
  const fs::path last_ = folder_.path() / "changes/last";
  int changes_ = 0;

 protected:
  FileWatch watch_ = FileWatch::open().value();
};

TEST_F(Watch, ReportsNothingWithoutAChange) {
  write("a", "1");
  watched("a");
  EXPECT_EQ(changed(), Paths());
  write("b", "of no interest");
  std::string content;
  std::ifstream(path("a")) >> content;
  EXPECT_EQ(changed(), Paths());
}

TEST_F(Watch, ReportsEachChange) {
  write("a", "1");
  const fs::path a = watched("a");
  write("a", "2");
  EXPECT_EQ(changed(), Paths{a});
  EXPECT_EQ(changed(), Paths());
  write("a", "3");
  EXPECT_EQ(changed(), Paths{a});
}

TEST_F(Watch, IgnoresTheCaseOfNames) {
  write("Module.DLL", "1");
  const fs::path a = watched("module.dll");
  write("Module.DLL", "2");
  EXPECT_EQ(changed(), Paths{a});
}

TEST_F(Watch, ReportsAReplacementByRename) {
  write("a", "1");
  const fs::path a = watched("a");
  write("new", "2");
  EXPECT_EQ(changed(), Paths());
  fs::rename(path("new"), a);
  EXPECT_EQ(changed(), Paths{a});
}

TEST_F(Watch, ReportsAFileWhenNobodyWritesToItAnyMore) {
  for (const auto mode : {std::ios::app, std::ios::trunc}) {
    const fs::path a = watched("a");
    std::ofstream first(a, mode);
    for (int i = 0; i < 3; ++i) {
      first << "piece " << std::flush;
      EXPECT_EQ(changed(), Paths()) << "before piece " << i;
    }
    EXPECT_GT(watch_.retry_after(), 0);
    std::ofstream second(a, std::ios::app);
    first.close();
    EXPECT_EQ(changed(), Paths()) << "another one writes";
    second.close();
    EXPECT_EQ(next_change(), Paths{a});
    EXPECT_EQ(watch_.retry_after(), -1);
    EXPECT_EQ(changed(), Paths());
  }
}

TEST_F(Watch, ReportsADeletedFileWhenItReturns) {
  write("a", "1");
  const fs::path a = watched("a");
  fs::remove(a);
  EXPECT_EQ(changed(), Paths()) << "there is no file";
  std::ofstream again(a);
  again << "half" << std::flush;
  EXPECT_EQ(changed(), Paths());
  again << " and half" << std::flush;
  again.close();
  EXPECT_EQ(next_change(), Paths{a});
}

TEST_F(Watch, IgnoresAFileThatIsGoneAgain) {
  const fs::path a = watched("a");
  write("a", "1");
  fs::remove(a);
  EXPECT_EQ(changed(), Paths());
}

TEST_F(Watch, ReportsAHardLink) {
  const fs::path a = watched("a");
  fs::create_hard_link(write("1", "1"), a);
  EXPECT_EQ(changed(), Paths{a});
}

TEST_F(Watch, ReportsAReplacedDirectory) {
  write("x/directory/a", "1");
  const fs::path a = watched("x/directory/a");
  write("x/other/a", "2");
  fs::rename(path("x/directory"), path("x/old"));
  EXPECT_EQ(changed(), Paths());
  fs::rename(path("x/other"), path("x/directory"));
  EXPECT_EQ(changed(), Paths{a});
  write("x/old/a", "of no interest any more");
  EXPECT_EQ(changed(), Paths());
  write("x/directory/a", "3");
  EXPECT_EQ(changed(), Paths{a});
}

TEST_F(Watch, ReportsAReplacedParentDirectory) {
  write("x/directory/a", "1");
  const fs::path a = watched("x/directory/a");
  write("y/directory/a", "2");
  fs::rename(path("x"), path("old"));
  fs::rename(path("y"), path("x"));
  EXPECT_EQ(changed(), Paths{a});
  write("x/directory/a", "3");
  EXPECT_EQ(changed(), Paths{a});
}

TEST_F(Watch, IgnoresADirectoryThatReturnsUnchanged) {
  write("x/directory/a", "1");
  watched("x/directory/a");
  fs::rename(path("x"), path("y"));
  EXPECT_EQ(changed(), Paths());
  fs::rename(path("y"), path("x"));
  EXPECT_EQ(changed(), Paths());
}

TEST_F(Watch, WaitsForMissingDirectories) {
  const fs::path a = watched("not/there/yet/a");
  EXPECT_EQ(changed(), Paths());
  write("not/there/yet/a", "1");
  EXPECT_EQ(changed(), Paths{a});
  write("not/there/yet/a", "2");
  EXPECT_EQ(changed(), Paths{a});
}

TEST_F(Watch, DistinguishesManyFiles) {
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) {
    names.push_back("directory" + std::to_string(i % 7) + "/" + std::to_string(i));
    write(names.back().c_str(), "1");
  }
  for (const std::string& name : names) watched(name.c_str());
  Paths expected;
  for (std::size_t i = 0; i < names.size(); i += 3) {
    expected.push_back(write(names[i].c_str(), "2"));
  }
  std::ranges::sort(expected);
  EXPECT_EQ(changed(), expected);
  EXPECT_EQ(changed(), Paths());
}

TEST_F(Watch, AddsAndRemovesFilesWhileRunning) {
  write("a", "1");
  write("b", "1");
  const fs::path a = watched("a");
  const fs::path b = watched("b");
  watched("b");
  forget(a);
  forget(a);
  write("a", "2");
  write("b", "2");
  EXPECT_EQ(changed(), Paths{b}) << "also after the other file was removed";
  forget(b);
  write("b", "3");
  EXPECT_EQ(changed(), Paths());
  watched("b");
  EXPECT_EQ(changed(), Paths()) << "the change was before it was watched";
  write("b", "4");
  EXPECT_EQ(changed(), Paths{b});
}

TEST_F(Watch, ReportsAllFilesOfADirectoryAfterAnOverflow) {
  write("x/a", "1");
  write("x/b", "1");
  const fs::path a = watched("x/a");
  const fs::path b = watched("x/b");
  watched("x/never there");
  // More than the buffer holds. Without a wait for events, nobody reads them.
  for (int i = 0; i < 2000; ++i) fs::remove(write("x/other", ""));
  const Paths all = changed();
  EXPECT_TRUE(all == (Paths{a, b}) || all.empty()) << "empty: the system has kept all changes";
  EXPECT_EQ(changed(), Paths());
}

TEST_F(Watch, ReportsAllFilesIfChangesWereLost) {
  write("x/a", "1");
  write("b", "1");
  const Paths both{watched("b"), watched("x/a")};
  watch_.lose_all();
  EXPECT_GT(watch_.retry_after(), 0);
  EXPECT_EQ(next_change(), both);
  write("x/a", "2");
  EXPECT_EQ(changed(), Paths{both[1]}) << "it is still watched";
}

// Windows ends the reads of a thread with it.
TEST_F(Watch, OutlivesTheThreadThatAddedAFile) {
  write("x/a", "1");
  std::thread([&] { watched("x/a"); }).join();
  write("x/a", "2");
  EXPECT_EQ(changed(), Paths{path("x/a")});
  write("x/a", "3");
  EXPECT_EQ(changed(), Paths{path("x/a")});
}

TEST_F(Watch, WakesAWaitingThread) {
  write("a", "1");
  const fs::path a = watched("a");
  EXPECT_EQ(changed(), Paths());
  Paths seen;
  std::thread waiting([&] { seen = next_change(); });
  write("a", "2");
  waiting.join();
  EXPECT_EQ(seen, Paths{a});
}

}}  // namespace tenon::tests
