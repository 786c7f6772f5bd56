// SPDX-License-Identifier: BSL-1.0
//
// Watching of real files.
#include "platform/watch.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "framework/as_nobody.hpp"
#include "framework/world.hpp"
#include "platform/event.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using platform::FileWatch;

using Paths = std::vector<fs::path>;

class Watch : public testing::Test {
 protected:
  /// Watches a file of the world, which may be missing.
  fs::path watched(const std::string& name) {
    fs::path file = world_.root() / name;
    const auto added = watch_.add(file);
    EXPECT_TRUE(added) << added.error().to_string();
    return file;
  }
  void forget(const fs::path& file) {
    watch_.remove_if([&](const fs::path& one) { return one == file; });
  }
  /// Returns the changed files. The system queues events synchronously, so no wait is needed.
  Paths changed() { return watch_.changed(); }

  /// Replaces a file by a rename.
  void replace(const std::string& name, const std::string& content) const {
    fs::rename(world_.write("new", content), world_.path(name));
  }

  World world_;
  FileWatch watch_ = FileWatch::open().value();
};

TEST_F(Watch, ReportsNothingWithoutAChange) {
  world_.write("a", "1");
  watched("a");
  EXPECT_EQ(changed(), Paths());
  world_.write("b", "of no interest");
  static_cast<void>(world_.read("a"));
  fs::permissions(world_.path("a"), fs::perms::owner_all);
  EXPECT_EQ(changed(), Paths());
}

TEST_F(Watch, ReportsEachChangeOnce) {
  world_.write("a", "1");
  const fs::path a = watched("a");
  world_.write("a", "2");
  world_.write("a", "3");
  EXPECT_EQ(changed(), Paths{a});
  EXPECT_EQ(changed(), Paths());
  world_.write("a", "4");
  EXPECT_EQ(changed(), Paths{a});
}

TEST_F(Watch, ReportsAReplacementByRename) {
  world_.write("a", "1");
  const fs::path a = watched("a");
  world_.write("new", "2");
  EXPECT_EQ(changed(), Paths());
  fs::rename(world_.path("new"), a);
  EXPECT_EQ(changed(), Paths{a});
}

TEST_F(Watch, ReportsAnExchangeOfFiles) {
  world_.write("a", "1");
  const fs::path a = watched("a");
  const fs::path b = world_.write("b", "2");
  ASSERT_EQ(::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE), 0);
  EXPECT_EQ(changed(), Paths{a});
  ASSERT_EQ(::renameat2(AT_FDCWD, b.c_str(), AT_FDCWD, a.c_str(), RENAME_EXCHANGE), 0);
  EXPECT_EQ(changed(), Paths{a});
}

/// A way to open a file for writing.
struct Writing {
  const char* name;
  bool exists_before;
  int flags;
};

void PrintTo(const Writing& writing, std::ostream* out) {
  *out << writing.name;
}

class WatchWriting : public Watch, public testing::WithParamInterface<Writing> {};

TEST_P(WatchWriting, ReportsTheFileWhenItIsClosed) {
  if (GetParam().exists_before) world_.write("a", "what was there before");
  const fs::path a = watched("a");
  const int file = ::open(a.c_str(), GetParam().flags, 0600);
  ASSERT_GE(file, 0);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(changed(), Paths()) << "before piece " << i;
    EXPECT_EQ(::write(file, "piece ", 6), 6);
    std::this_thread::sleep_for(2ms);
  }
  EXPECT_EQ(changed(), Paths()) << "complete, but not closed";
  ::close(file);
  EXPECT_EQ(changed(), Paths{a});
  EXPECT_EQ(changed(), Paths());
}

INSTANTIATE_TEST_SUITE_P(Ways, WatchWriting,
                         testing::Values(Writing{"New", false, O_CREAT | O_EXCL | O_WRONLY},
                                         Writing{"InPlace", true, O_WRONLY},
                                         Writing{"Truncated", true, O_TRUNC | O_RDWR},
                                         Writing{"Appended", true, O_APPEND | O_WRONLY}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_F(Watch, ReportsADeletedFileWhenItReturns) {
  world_.write("a", "1");
  const fs::path a = watched("a");
  fs::remove(a);
  EXPECT_EQ(changed(), Paths()) << "there is no file";
  std::ofstream again(a);
  again << "half" << std::flush;
  EXPECT_EQ(changed(), Paths());
  again << " and half" << std::flush;
  again.close();
  EXPECT_EQ(changed(), Paths{a});
}

TEST_F(Watch, IgnoresClosingADeletedFile) {
  world_.write("a", "1");
  const fs::path a = watched("a");
  std::ofstream old(a);
  old << "the old one" << std::flush;
  fs::remove(a);
  std::ofstream again(a);
  again << "half" << std::flush;
  old.close();
  EXPECT_EQ(changed(), Paths()) << "the deleted file was closed";
  again.close();
  EXPECT_EQ(changed(), Paths{a});
}

TEST_F(Watch, IgnoresAFileThatIsGoneAgain) {
  const fs::path a = watched("a");
  world_.write("a", "1");
  fs::remove(a);
  EXPECT_EQ(changed(), Paths());
}

TEST_F(Watch, ReportsAHardLink) {
  const fs::path a = watched("a");
  fs::create_hard_link(world_.write("1", "1"), a);
  EXPECT_EQ(changed(), Paths{a});
  fs::remove(a);
  EXPECT_EQ(changed(), Paths());
  fs::create_hard_link(world_.write("2", "2"), a);
  EXPECT_EQ(changed(), Paths{a});
}

TEST_F(Watch, ReportsAReplacedSymbolicLink) {
  world_.write("versions/1", "1");
  world_.write("versions/2", "2");
  fs::create_symlink("versions/1", world_.path("a"));
  const fs::path a = watched("a");
  fs::create_symlink("versions/2", world_.path("new"));
  fs::rename(world_.path("new"), a);
  EXPECT_EQ(changed(), Paths{a});
  fs::remove(a);
  fs::create_symlink("versions/1", a);
  EXPECT_EQ(changed(), Paths{a});
  fs::remove(a);
  fs::create_symlink("versions/1", a);
  EXPECT_EQ(changed(), Paths()) << "the same as before";
}

TEST_F(Watch, FollowsSymbolicLinks) {
  world_.write("versions/1", "1");
  fs::create_symlink(world_.path("versions/current"), world_.path("a"));
  const fs::path a = watched("a");
  fs::create_symlink("1", world_.path("versions/current"));
  EXPECT_EQ(changed(), Paths{a});
  world_.write("versions/1", "another 1");
  EXPECT_EQ(changed(), Paths{a});
  fs::remove(a);
  world_.write("versions/1", "of no interest any more");
  EXPECT_EQ(changed(), Paths());
}

TEST_F(Watch, ReportsAFileThatReplacesASymbolicLink) {
  world_.write("versions/1", "1");
  fs::create_symlink("versions/1", world_.path("a"));
  const fs::path a = watched("a");
  fs::remove(a);
  std::ofstream file(a);
  file << "half" << std::flush;
  EXPECT_EQ(changed(), Paths());
  file.close();
  EXPECT_EQ(changed(), Paths{a});
}

TEST_F(Watch, FollowsSymbolicLinksOfDirectories) {
  world_.write("releases/1/a", "1");
  world_.write("releases/2/a", "2");
  fs::create_symlink("releases/1", world_.path("current"));
  const fs::path a = watched("current/a");
  fs::create_symlink("releases/2", world_.path("new"));
  fs::rename(world_.path("new"), world_.path("current"));
  EXPECT_EQ(changed(), Paths{a});
  world_.write("releases/2/a", "3");
  EXPECT_EQ(changed(), Paths{a});
  world_.write("releases/1/a", "4");
  EXPECT_EQ(changed(), Paths());
}

TEST_F(Watch, ToleratesCircularLinks) {
  fs::create_symlink("b", world_.path("a"));
  fs::create_symlink("a", world_.path("b"));
  const fs::path a = watched("a");
  fs::remove(a);
  EXPECT_EQ(changed(), Paths());
  world_.write("a", "1");
  EXPECT_EQ(changed(), Paths{a});
}

TEST_F(Watch, ReportsAReplacedDirectory) {
  world_.write("x/directory/a", "1");
  const fs::path a = watched("x/directory/a");
  world_.write("x/other/a", "2");
  fs::rename(world_.path("x/directory"), world_.path("x/old"));
  EXPECT_EQ(changed(), Paths());
  fs::rename(world_.path("x/other"), world_.path("x/directory"));
  EXPECT_EQ(changed(), Paths{a});
  world_.write("x/old/a", "of no interest any more");
  EXPECT_EQ(changed(), Paths());
  world_.write("x/directory/a", "3");
  EXPECT_EQ(changed(), Paths{a});
}

TEST_F(Watch, ReportsAnAtomicallyReplacedParentDirectory) {
  world_.write("x/directory/a", "1");
  const fs::path a = watched("x/directory/a");
  world_.write("y/directory/a", "2");
  ASSERT_EQ(::renameat2(AT_FDCWD, world_.path("x").c_str(), AT_FDCWD, world_.path("y").c_str(),
                        RENAME_EXCHANGE),
            0);
  EXPECT_EQ(changed(), Paths{a});
  world_.write("x/directory/a", "3");
  EXPECT_EQ(changed(), Paths{a});
}

TEST_F(Watch, ReportsADirectoryCreatedAgain) {
  world_.write("x/directory/a", "1");
  const fs::path a = watched("x/directory/a");
  fs::remove_all(world_.root() / "x");
  EXPECT_EQ(changed(), Paths());
  fs::create_directory(world_.root() / "x");
  EXPECT_EQ(changed(), Paths());
  fs::create_directory(world_.root() / "x/directory");
  EXPECT_EQ(changed(), Paths());
  world_.write("x/directory/a", "2");
  EXPECT_EQ(changed(), Paths{a});
  fs::remove_all(world_.root() / "x");
  world_.write("x/directory/a", "3");
  EXPECT_EQ(changed(), Paths{a}) << "all at once";
}

TEST_F(Watch, IgnoresADirectoryThatReturnsUnchanged) {
  world_.write("x/directory/a", "1");
  watched("x/directory/a");
  fs::rename(world_.path("x"), world_.path("y"));
  EXPECT_EQ(changed(), Paths());
  fs::rename(world_.path("y"), world_.root() / "x");
  EXPECT_EQ(changed(), Paths());
}

TEST_F(Watch, WaitsForMissingDirectories) {
  const fs::path a = watched("not/there/yet/a");
  EXPECT_EQ(changed(), Paths());
  world_.write("not/there/yet/a", "1");
  EXPECT_EQ(changed(), Paths{a});
}

TEST_F(Watch, DistinguishesManyFiles) {
  constexpr int count = 300;
  const auto name = [](int i) {
    return "directory" + std::to_string(i % 7) + "/" + std::to_string(i);
  };
  for (int i = 0; i < count; ++i) world_.write(name(i), "1");
  Paths expected;
  for (int i = 0; i < count; ++i) {
    const fs::path file = watched(name(i));
    if (i % 3 == 0) expected.push_back(file);
  }
  std::sort(expected.begin(), expected.end());
  for (const fs::path& file : expected) std::ofstream(file) << "2";
  EXPECT_EQ(changed(), expected);
  EXPECT_EQ(changed(), Paths());
}

TEST_F(Watch, ReportsAllFilesBehindOneLink) {
  for (const char* file : {"1/a", "1/b", "2/a", "2/b"}) world_.write(file, file);
  const auto link_to = [&](const char* directory) {
    fs::create_directory_symlink(directory, world_.path("new"));
    fs::rename(world_.path("new"), world_.path("link"));
  };
  link_to("1");
  const fs::path a = watched("link/a");
  const fs::path b = watched("link/b");
  link_to("2");
  EXPECT_EQ(changed(), (Paths{a, b}));
  replace("2/b", "other");
  EXPECT_EQ(changed(), Paths{b});
  replace("1/b", "no longer behind the link");
  EXPECT_EQ(changed(), Paths());
  forget(a);
  link_to("1");
  EXPECT_EQ(changed(), Paths{b});
}

TEST_F(Watch, AddsAndRemovesFilesWhileRunning) {
  world_.write("a", "1");
  world_.write("b", "1");
  const fs::path a = watched("a");
  const fs::path b = watched("b");
  watched("b");
  forget(a);
  forget(a);
  world_.write("a", "2");
  world_.write("b", "2");
  EXPECT_EQ(changed(), Paths{b}) << "also after the other file was removed";
  forget(b);
  world_.write("b", "3");
  watched("b");
  EXPECT_EQ(changed(), Paths()) << "the change was before it was watched";
  world_.write("b", "4");
  EXPECT_EQ(changed(), Paths{b});
}

TEST_F(Watch, ReportsAllFilesAfterAnOverflow) {
  world_.write("a", "1");
  world_.write("b", "1");
  const fs::path a = watched("a");
  const fs::path b = watched("b");
  watched("never there");
  const fs::path other = world_.path("other");
  const int most = std::stoi(read_file("/proc/sys/fs/inotify/max_queued_events"));
  // Equal events at the end of the queue are merged.
  for (int i = 0; i <= most; i += 2) {
    ::close(::open(other.c_str(), O_CREAT | O_WRONLY, 0600));
    ::unlink(other.c_str());
  }
  EXPECT_EQ(changed(), (Paths{a, b}));
  EXPECT_EQ(changed(), Paths());
}

// Nothing reports that a directory may be read again.
TEST_F(Watch, TriesDirectoriesAgainThatCannotBeWatched) {
  fs::permissions(world_.root(), fs::perms(0755));
  world_.write("directory/a", "1");
  const fs::path a = watched("directory/a");
  fs::rename(world_.path("directory"), world_.path("old"));
  world_.write("directory/a", "2");
  fs::permissions(world_.path("directory"), fs::perms::none);
  {
    const AsNobody nobody;
    EXPECT_EQ(changed(), Paths());
    EXPECT_GT(watch_.retry_after(), 0);
  }
  fs::permissions(world_.path("directory"), fs::perms(0755));
  EXPECT_EQ(changed(), Paths{a});
  EXPECT_EQ(watch_.retry_after(), -1);
}

TEST(Event, WaitsForItsTimeoutIfItsDescriptorWasClosed) {
  const std::intptr_t event = platform::create_event();
  platform::close_event(event);
  const auto begin = std::chrono::steady_clock::now();
  platform::wait_event(event, 20ms / 1ns);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 20ms);
}

TEST_F(Watch, WakesAWaitingThread) {
  world_.write("a", "1");
  const fs::path a = watched("a");
  const std::intptr_t other = platform::create_event();
  const std::intptr_t events[] = {other, watch_.event()};
  platform::wait_events(events, (5ms / 1ns));
  std::thread writing([&] {
    std::this_thread::sleep_for(5ms);
    world_.write("a", "2");
  });
  Paths seen;
  while (seen.empty()) {
    platform::wait_events(events, -1);
    seen = changed();
  }
  EXPECT_EQ(seen, Paths{a});
  writing.join();
  std::thread signalling([&] {
    std::this_thread::sleep_for(5ms);
    platform::signal_event(other);
  });
  platform::wait_events(events, -1);
  platform::wait_event(other, -1);
  signalling.join();
  platform::close_event(other);
}

}}  // namespace tenon::tests
