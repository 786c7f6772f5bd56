// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/external-artifacts with real files: it removes the files that an annotation names, and
// nothing outside its directory. System calls may fail.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "framework/faulty.h"
#include "framework/faulty.hpp"
#include "framework/world.hpp"
#include "unit/backup_actions.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

constexpr std::string_view action_name = "tenon.dev/external-artifacts";

/// Returns an item with the annotation. The artifacts of the namespace "artifacts" are in the
/// directory of this name.
std::string annotated(std::string_view value, const std::string& space = "artifacts") {
  return R"({"kind":"ConfigMap","metadata":{)" +
         (space.empty() ? "" : R"("namespace":")" + space + "\",") +
         R"("name":"a","annotations":{"tenon.dev/external-artifact":)" + std::string(value) + "}}}";
}

class ExternalArtifactsAction : public testing::Test {
 protected:
  Result<void> run(std::string_view paths) {
    return action_->execute(annotated("\"" + std::string(paths) + "\""), BackupV2());
  }
  /// Returns the message of the failure, and checks its status.
  std::string failure(std::string_view paths, tenon_status status) {
    const Result<void> done = run(paths);
    if (done) return "no failure";
    EXPECT_EQ(done.error().status(), status) << done.error().to_string();
    return std::string(done.error().message());
  }
  void write(const std::string& name) { world_.write(name, "content"); }
  bool exists(const std::string& name) {
    return fs::exists(fs::symlink_status(world_.root() / name));
  }
  void link(const std::string& target, const std::string& name) {
    fs::create_symlink(target, world_.path(name));
  }
  std::string directory() { return (world_.root() / "artifacts").string(); }

  World world_;
  const std::string kept_ = world_.write("artifacts/kept", "content").string();
  Host host_ = host_of_builtins();
  Handle<DeleteItemAction> action_ =
      host_.create<DeleteItemAction>(action_name, {{"directory", world_.root().string()}}).value();
};

TEST_F(ExternalArtifactsAction, RemovesFiles) {
  write("artifacts/a");
  write("artifacts/b/c");
  write("artifacts/b/d");
  ASSERT_TRUE(run(" a,\\tb//./c ,,"));
  EXPECT_FALSE(exists("artifacts/a"));
  EXPECT_FALSE(exists("artifacts/b/c"));
  EXPECT_TRUE(exists("artifacts/b/d"));
  EXPECT_TRUE(exists("artifacts/kept"));
}

TEST_F(ExternalArtifactsAction, RemovesTrees) {
  write("artifacts/tree/a");
  write("artifacts/tree/b/c/d");
  fs::create_directories(world_.path("artifacts/tree/empty/e"));
  ASSERT_TRUE(run("tree/"));
  EXPECT_FALSE(exists("artifacts/tree"));
  EXPECT_TRUE(exists("artifacts/kept"));
}

TEST_F(ExternalArtifactsAction, RemovesTenThousandFiles) {
  for (int i = 0; i < 10'000; ++i) write("artifacts/many/" + std::to_string(i));
  ASSERT_TRUE(run("many"));
  EXPECT_FALSE(exists("artifacts/many"));
}

TEST_F(ExternalArtifactsAction, SucceedsIfNothingIsLeft) {
  write("artifacts/a");
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(run("a,none,none/of/it"));
  EXPECT_TRUE(run(""));
  EXPECT_TRUE(exists("artifacts/kept"));
}

TEST_F(ExternalArtifactsAction, RefusesPathsOutsideItsDirectory) {
  write("outside");
  write("artifacts/a");
  for (const char* path : {"../outside", "a/../../outside", "..", "x/.."}) {
    EXPECT_EQ(failure(path, TENON_INVALID_ARGUMENT),
              "the path \"" + std::string(path) +
                  "\" leads out of the directory; needed: a path below the directory of the "
                  "namespace, such as exports/data.bin");
  }
  EXPECT_NE(failure(world_.path("outside").string(), TENON_INVALID_ARGUMENT).find("is absolute"),
            std::string::npos);
  EXPECT_NE(failure("kept\\u0000/x", TENON_INVALID_ARGUMENT).find("has a NUL character"),
            std::string::npos);
  for (const char* path : {".", "./", "././."}) {
    EXPECT_NE(failure(path, TENON_INVALID_ARGUMENT).find("names the directory itself"),
              std::string::npos);
  }
  EXPECT_TRUE(exists("outside"));
  EXPECT_TRUE(exists("artifacts/kept"));
}

/// The deletion of the backup goes on, so nothing would remove the other files later.
TEST_F(ExternalArtifactsAction, RemovesTheOthersOfARefusedPath) {
  write("artifacts/a");
  write("artifacts/b");
  write("artifacts/tree/c");
  EXPECT_NE(failure("../x, a, kept/x, b, /y", TENON_INVALID_ARGUMENT).find("\"../x\" leads out"),
            std::string::npos);
  const std::string message = failure("kept/x,tree", TENON_FAILED_PRECONDITION);
  EXPECT_NE(message.find("cannot remove " + kept_ + "/x: "), std::string::npos) << message;
  EXPECT_FALSE(exists("artifacts/a"));
  EXPECT_FALSE(exists("artifacts/b"));
  EXPECT_FALSE(exists("artifacts/tree"));
  EXPECT_TRUE(exists("artifacts/kept"));
}

TEST_F(ExternalArtifactsAction, StaysInTheDirectoryOfTheNamespace) {
  write("web/data");
  write("_cluster/data");
  for (const char* path : {"../artifacts/kept", "artifacts/kept", "../_cluster/data"}) {
    static_cast<void>(
        action_->execute(annotated("\"" + std::string(path) + "\"", "web"), BackupV2()));
    static_cast<void>(action_->execute(annotated("\"" + std::string(path) + "\"", ""), BackupV2()));
  }
  for (const char* space : {"..", ".", "_cluster", "web/..", "a\\u0000b"}) {
    const auto done = action_->execute(annotated("\"artifacts/kept, data\"", space), BackupV2());
    ASSERT_FALSE(done) << space;
    EXPECT_EQ(done.error().status(), TENON_INVALID_ARGUMENT);
  }
  EXPECT_TRUE(exists("artifacts/kept"));
  EXPECT_TRUE(exists("web/data"));
  EXPECT_TRUE(exists("_cluster/data"));
  EXPECT_TRUE(action_->execute(annotated("\"data\"", "web"), BackupV2()));
  EXPECT_FALSE(exists("web/data"));
  EXPECT_TRUE(exists("_cluster/data"));
  EXPECT_TRUE(action_->execute(annotated("\"data\"", ""), BackupV2()));
  EXPECT_FALSE(exists("_cluster/data"));
}

TEST_F(ExternalArtifactsAction, DoesNotFollowALinkInPlaceOfANamespace) {
  link("artifacts", "web");
  const auto done = action_->execute(annotated("\"kept\"", "web"), BackupV2());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().status(), TENON_FAILED_PRECONDITION);
  EXPECT_TRUE(exists("artifacts/kept"));
}

TEST_F(ExternalArtifactsAction, DoesNotFollowSymbolicLinks) {
  write("outside/a");
  link("../outside", "artifacts/way");
  link("../../outside", "artifacts/tree/inner");
  link("../outside/a", "artifacts/file");
  for (const char* path : {"way/a", "way/none", "tree/inner/a"}) {
    EXPECT_NE(failure(path, TENON_FAILED_PRECONDITION)
                  .find("found a file or a symbolic link on the way to it"),
              std::string::npos);
  }
  ASSERT_TRUE(run("file,tree,way"));  // removes the links themselves
  EXPECT_FALSE(exists("artifacts/way"));
  EXPECT_FALSE(exists("artifacts/file"));
  EXPECT_FALSE(exists("artifacts/tree"));
  EXPECT_TRUE(exists("outside/a"));
}

TEST_F(ExternalArtifactsAction, DoesNotFollowALinkThatReplacesADirectory) {
  write("outside/a");
  write("artifacts/way/b");
  link("../outside", "artifacts/link");
  const std::string way = directory() + "/way";
  const std::string other = directory() + "/link";
  std::atomic<bool> done = false;
  std::thread exchange([&] {
    while (!done) ::renameat2(AT_FDCWD, way.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE);
  });
  for (int i = 0; i < 2000; ++i) static_cast<void>(run("way/a"));
  done = true;
  exchange.join();
  EXPECT_TRUE(exists("outside/a"));
}

TEST_F(ExternalArtifactsAction, RefusesPathsThroughAFile) {
  EXPECT_NE(failure("kept/a", TENON_FAILED_PRECONDITION).find("cannot remove " + kept_ + "/a: "),
            std::string::npos);
  EXPECT_TRUE(exists("artifacts/kept"));
}

TEST_F(ExternalArtifactsAction, NamesFilesThatItCannotRemove) {
  auto action = host_.create<DeleteItemAction>(action_name, {{"directory", "/proc"}}).value();
  const std::string self = std::to_string(getpid());
  const auto done = action->execute(annotated("\"status\"", self), BackupV2());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().status(), TENON_PERMISSION_DENIED);
  EXPECT_NE(done.error().message().find("cannot remove /proc/" + self + "/status: "),
            std::string::npos)
      << done.error().message();
}

TEST_F(ExternalArtifactsAction, DoesNotChangePermissions) {
  write("artifacts/tree/a");
  const fs::path tree = world_.path("artifacts/tree");
  fs::permissions(tree, fs::perms(0500));
  Call call;
  call.cancel();
  EXPECT_FALSE(action_->execute(call, annotated("\"tree\""), BackupV2()));
  EXPECT_EQ(fs::status(tree).permissions(), fs::perms(0500));
  if (geteuid() != 0) {
    EXPECT_NE(
        failure("tree", TENON_PERMISSION_DENIED).find("cannot remove " + tree.string() + "/a: "),
        std::string::npos);
    EXPECT_TRUE(exists("artifacts/tree/a"));
  }
  fs::permissions(tree, fs::perms(0700));
}

TEST_F(ExternalArtifactsAction, LimitsTheDepthOfTrees) {
  std::string path = "artifacts/deep";
  for (int i = 1; i < 128; ++i) path += "/d";
  fs::create_directories(world_.path(path));
  ASSERT_TRUE(run("deep"));
  EXPECT_FALSE(exists("artifacts/deep"));
  fs::create_directories(world_.path(path + "/d"));
  EXPECT_NE(failure("deep", TENON_FAILED_PRECONDITION).find("more than 128 levels"),
            std::string::npos);
  EXPECT_TRUE(exists("artifacts/deep"));
}

TEST_F(ExternalArtifactsAction, StopsIfCancelled) {
  write("artifacts/tree/a");
  Call call;
  call.cancel();
  const auto done = action_->execute(call, annotated("\"tree\""), BackupV2());
  ASSERT_FALSE(done);
  EXPECT_EQ(TENON_CODE(done.error().status()), TENON_CANCELLED);
  EXPECT_TRUE(exists("artifacts/tree/a"));
}

TEST_F(ExternalArtifactsAction, IgnoresOtherResources) {
  auto unconfigured = host_.create<DeleteItemAction>(action_name).value();
  for (const char* item :
       {R"({})", R"({"metadata":{}})", R"({"metadata":{"annotations":{"a":"b"}}})",
        R"({"tenon.dev/external-artifact":"kept"})"}) {
    EXPECT_TRUE(unconfigured->execute(item, BackupV2())) << item;
    EXPECT_TRUE(action_->execute(item, BackupV2())) << item;
  }
  EXPECT_TRUE(exists("artifacts/kept"));
}

TEST_F(ExternalArtifactsAction, RequiresADirectoryForArtifacts) {
  for (const TextMap& config : {TextMap{}, TextMap{{"directory", "  "}}}) {
    auto action = host_.create<DeleteItemAction>(action_name, config).value();
    const auto done = action->execute(annotated("\"a\""), BackupV2());
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().status(), TENON_FAILED_PRECONDITION);
    EXPECT_EQ(
        done.error().message(),
        "ConfigMap \"artifacts/a\" has external artifacts (a), but tenon.dev/external-artifacts has "
        "no directory; fix: set its parameter \"directory\"");
  }
}

TEST_F(ExternalArtifactsAction, ReportsAMissingDirectory) {
  auto action =
      host_.create<DeleteItemAction>(action_name, {{"directory", directory() + "/none"}}).value();
  const auto done = action->execute(annotated("\"a\""), BackupV2());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().status(), TENON_UNAVAILABLE);
  EXPECT_EQ(done.error().message(), "there is no directory " + directory() +
                                        "/none: create it, or mount the disk that contains it");
}

TEST_F(ExternalArtifactsAction, RefusesAnAnnotationThatIsNotText) {
  for (const char* value : {"7", "null", "[\"kept\"]"}) {
    const auto done = action_->execute(annotated(value), BackupV2());
    ASSERT_FALSE(done) << value;
    EXPECT_EQ(done.error().status(), TENON_INVALID_ARGUMENT);
    EXPECT_NE(done.error().message().find("of ConfigMap \"artifacts/a\" is not a string"),
              std::string::npos);
  }
}

TEST_F(ExternalArtifactsAction, SharesATreeBetweenThreads) {
  for (int i = 0; i < 500; ++i)
    write("artifacts/many/" + std::to_string(i % 7) + "/f" + std::to_string(i));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_TRUE(run("many")); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(exists("artifacts/many"));
}

// -- Failures -------------------------------------------------------------------

class ExternalArtifactsFaults : public ExternalArtifactsAction {
 protected:
  void make_tree() {
    write("artifacts/tree/a/b/file");
    write("artifacts/tree/other");
  }
  /// Returns the system calls that the removal of paths makes.
  std::vector<Request> requests(std::string_view paths) {
    const fs::path log = world_.path("log");
    faulty_begin(directory().c_str(), "", log.c_str(), 0, 0);
    EXPECT_TRUE(run(paths));
    faulty_end();
    auto requests = read_requests(log, directory());
    fs::remove(log);
    return requests;
  }
  /// Removes paths while system call `at`, counted from 0, fails.
  Result<void> run_failing(std::string_view paths, std::size_t at, int how) {
    faulty_begin(directory().c_str(), "", nullptr, static_cast<long>(at) + 1, how);
    auto done = run(paths);
    faulty_end();
    return done;
  }
};

std::size_t descriptors() {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), {}));
}

TEST_F(ExternalArtifactsFaults, SyncsRemovals) {
  make_tree();
  const std::pair<std::string, std::string> artifacts[] = {
      {"tree/a/b", "tree/a"}, {"tree/other", "tree"}, {"tree", "."}};
  for (const auto& [path, parent] : artifacts) {
    for (const char* state : {"there", "already removed"}) {
      SCOPED_TRACE(path + " " + state);
      const auto all = requests(path);
      EXPECT_EQ(all.back().name, "sync");
      EXPECT_EQ(all.back().path, parent);
    }
  }
}

TEST_F(ExternalArtifactsFaults, ReportsRemovalsThatAreNotDurable) {
  make_tree();
  const std::size_t sync = requests("tree").size() - 1;
  make_tree();
  const auto done = run_failing("tree", sync, EIO);
  ASSERT_FALSE(done);
  EXPECT_EQ(
      done.error().message().find("cannot make the removal of " + directory() + "/tree durable: "),
      0u)
      << done.error().message();
  make_tree();
  EXPECT_TRUE(run_failing("tree", sync, EINTR));
  EXPECT_TRUE(run_failing("none", 1, EINVAL));  // a file system that cannot sync directories
}

TEST_F(ExternalArtifactsFaults, AllowsAFailedRemovalToBeRepeated) {
  make_tree();
  const auto all = requests("tree/a,tree");
  ASSERT_GT(all.size(), 8u);
  const std::size_t before = descriptors();
  for (const int how : {EIO, EMFILE, EINTR}) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      SCOPED_TRACE(all[i].name + " " + all[i].path + ": " + std::to_string(how));
      make_tree();
      const auto done = run_failing("tree/a,tree", i, how);
      EXPECT_EQ(static_cast<bool>(done), how == EINTR);
      EXPECT_EQ(descriptors(), before);
      EXPECT_TRUE(run("tree"));
      EXPECT_FALSE(exists("artifacts/tree"));
      EXPECT_TRUE(exists("artifacts/kept"));
    }
  }
}

}}  // namespace tenon::tests
