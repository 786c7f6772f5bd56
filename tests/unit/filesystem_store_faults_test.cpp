// SPDX-License-Identifier: BSL-1.0
//
// The builtin object store with failing system calls: each system call of a put fails in turn, in
// each way, or the process is killed at that point.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>

#include "framework/faulty.h"
#include "framework/faulty.hpp"
#include "unit/killed.hpp"
#include "unit/object_stores.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

const std::string old_content(100'000, 'o');
const std::string new_content(200'000, 'n');

class FilesystemStoreFaults : public ObjectStores {
 protected:
  /// Makes system call `at`, counted from 1, fail; 0: none.
  void begin(long at, int how, const char* log = nullptr) const {
    faulty_begin(directory().c_str(), "", log, at, how);
  }
  /// Returns the system calls that a put of a key makes.
  std::vector<Request> requests(const char* key) {
    const fs::path log = world_.path("log");
    begin(0, 0, log.c_str());
    EXPECT_TRUE(put(key, new_content));
    faulty_end();
    auto requests = read_requests(log, directory());
    fs::remove(log);
    return requests;
  }
  /// Checks that the object has the old or the new content, and that nothing else is listed.
  void expect_whole(const char* key) {
    const std::string content = get(key);
    const bool is_new = content == new_content;
    EXPECT_TRUE(is_new || content == old_content || content == "error not-found")
        << content.substr(0, 30);
    EXPECT_EQ(list(), content == "error not-found" ? Keys{} : Keys{key});
  }
};

std::size_t descriptors() {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), {}));
}

TEST_F(FilesystemStoreFaults, AreReportedForEachSystemCall) {
  for (const char* key : {"key", "in/a/directory"}) {
    const auto all = requests(key);
    ASSERT_GT(all.size(), 10u);
    ASSERT_TRUE(store().delete_object("b", key));
    const std::size_t before = descriptors();
    for (const int how : {ENOSPC, EIO, EMFILE, EINTR, static_cast<int>(FAULTY_SHORT)}) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        SCOPED_TRACE(all[i].name + " " + all[i].path + ": " + std::to_string(how));
        begin(static_cast<long>(i) + 1, how);
        const auto done = put(key, new_content);
        faulty_end();
        if (how == FAULTY_SHORT) {
          EXPECT_TRUE(done);
        } else if (how != EINTR && all[i].name != "open") {  // abandoned files may stay
          EXPECT_FALSE(done);
        }
        if (!done && how == ENOSPC) {
          EXPECT_EQ(code_of(done), "resource-exhausted");
        }
        if (!done && all[i].name == "rename") {
          EXPECT_FALSE(fs::exists(in_bucket("in")));
        }
        EXPECT_TRUE(!done || get(key) == new_content);
        expect_whole(key);
        EXPECT_EQ(partial_files(), 0u);
        EXPECT_EQ(descriptors(), before);
        ASSERT_TRUE(store().delete_object("b", key));
      }
    }
  }
}

TEST_F(FilesystemStoreFaults, TolerateConcurrentRemovalOfDirectories) {
  const auto all = requests("in/a/directory");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& name = all[i].name;
    if (name != "rename" && (name != "mkdir" || !all[i].path.starts_with("b/"))) continue;
    SCOPED_TRACE(name + " " + all[i].path);
    ASSERT_TRUE(store().delete_object("b", "in/a/directory"));
    begin(static_cast<long>(i) + 1, ENOENT);
    const auto done = put("in/a/directory", new_content);
    faulty_end();
    EXPECT_TRUE(done) << done.error().to_string();
  }
  for (long at = 2; at < 12; ++at) {  // the first system call opens the directory
    begin(at, ENOENT);
    const auto page = store().list_objects("b", "", "", 0);
    faulty_end();
    EXPECT_TRUE(page) << at << " " << page.error().to_string();
  }
}

TEST_F(FilesystemStoreFaults, LeaveTheOldOrTheNewObject) {
  const auto count = static_cast<long>(requests("k").size());
  bool was_old = false;
  for (long at = 1; at <= count; ++at) {
    ASSERT_TRUE(put("k", old_content));
    begin(at, ENOSPC);
    const auto done = put("k", new_content);
    faulty_end();
    expect_whole("k");
    EXPECT_NE(get("k"), "error not-found");
    was_old = was_old || get("k") == old_content;
    EXPECT_TRUE(!done || get("k") == new_content);
  }
  EXPECT_TRUE(was_old);
}

TEST_F(FilesystemStoreFaults, LeaveNothingListedAfterAKilledPut) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer allows no new thread in a forked child";
#endif
  long at = 0;
  std::size_t most_left = 0;
  bool killed = true;
  while (killed) {
    ++at;
    SCOPED_TRACE(at);
    killed = is_killed_in([&] {
      Host host({.app = "", .builtins = {builtins()}});
      auto own =
          host.create<ObjectStore>("tenon.dev/filesystem", {{"directory", directory().string()}});
      begin(at, FAULTY_KILL);
      if (!(*own)->put_object("b", "in/a/directory", std::make_unique<TextReader>(new_content))) {
        _exit(1);
      }
    });
    expect_whole("in/a/directory");
    most_left = std::max(most_left, partial_files());
    ASSERT_TRUE(store().delete_object("b", "in/a/directory"));
    ASSERT_TRUE(put("in", "in the place of directories that were left"));
    EXPECT_EQ(partial_files(), 0u);
    ASSERT_TRUE(store().delete_object("b", "in"));
  }
  EXPECT_GT(at, 10);
  EXPECT_EQ(most_left, 1u);
}

TEST_F(FilesystemStoreFaults, RemoveOnlyAbandonedPartialFiles) {
  ASSERT_TRUE(put("k"));
  const fs::path partial = directory() / ".tenon-partial";
  for (int i = 0; i < 250; ++i) std::ofstream(partial / ("dead-" + std::to_string(i)));
  const int alive = open((partial / "alive").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  ASSERT_EQ(flock(alive, LOCK_EX), 0);
  ASSERT_TRUE(put("k"));
  EXPECT_GE(partial_files(), 150u);  // each put removes a bounded number
  ASSERT_TRUE(put("k"));
  ASSERT_TRUE(put("k"));
  EXPECT_EQ(partial_files(), 1u);
  EXPECT_TRUE(fs::exists(partial / "alive"));
  close(alive);
}

}}  // namespace tenon::tests
