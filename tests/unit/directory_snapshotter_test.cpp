// SPDX-License-Identifier: BSL-1.0
//
// The builtin volume snapshotter in a host on a real file system, also with failing system calls
// and with a killed process.
#include <tenon/builtins.hpp>
#include <tenon/host.hpp>
#include <tenon/volume_snapshotter.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "framework/faulty.h"
#include "framework/faulty.hpp"
#include "framework/world.hpp"
#include "unit/killed.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

template <class T>
std::string code_of(const Result<T>& result) {
  return result ? "ok" : std::string(result.error().code());
}

/// Returns the type, mode, time, and content or target of each entry below a directory, by path.
std::map<std::string, std::string> describe(const fs::path& directory) {
  std::map<std::string, std::string> all;
  const auto add = [&](const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
    std::string text =
        std::to_string(status.st_mode) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
        std::to_string(status.st_mtim.tv_nsec) + " " + std::to_string(status.st_uid) + " ";
    if (S_ISREG(status.st_mode)) text += read_file(path);
    if (S_ISLNK(status.st_mode)) text += fs::read_symlink(path);
    all[path.lexically_relative(directory)] = text;
  };
  add(directory);
  for (const auto& entry : fs::recursive_directory_iterator(directory)) add(entry.path());
  return all;
}

class DirectorySnapshotter : public testing::Test {
 protected:
  DirectorySnapshotter() {
    fs::create_directories(root() / "volumes");
    fs::create_directories(root() / "snapshots");
    snapshotter_.emplace(create(config()).value());
  }

  fs::path root() const { return world_.root() / "disk"; }
  TextMap config() const {
    return {{"volumes", (root() / "volumes").string()},
            {"snapshots", (root() / "snapshots").string()}};
  }
  Result<Handle<VolumeSnapshotter>> create(const TextMap& config) {
    return host_.create<VolumeSnapshotter>("tenon.dev/directory", config);
  }
  VolumeSnapshotter& snapshotter() { return **snapshotter_; }

  fs::path volume(std::string_view id) const { return root() / "volumes" / std::string(id); }
  void write(std::string_view path, std::string_view content) const {
    world_.write("disk/volumes/" + std::string(path), content);
  }
  /// Creates a volume with entries of all types.
  void make_volume(const std::string& id) const {
    write(id + "/data/table", std::string(100'000, 't'));
    write(id + "/data/empty", "");
    write(id + "/config", "port=1");
    write(id + "/read-only/file", "x");
    fs::create_directories(volume(id) / "no-files");
    fs::create_symlink("/nowhere/else", volume(id) / "dangling");
    fs::create_directory_symlink("data", volume(id) / "to-data");
    fs::permissions(volume(id) / "config", fs::perms(0640));
    const timespec times[] = {{1'000'000'000, 1}, {1'100'000'000, 123'456'789}};
    for (const char* path : {"config", "dangling", "data", "no-files"}) {
      EXPECT_EQ(utimensat(AT_FDCWD, (volume(id) / path).c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
    }
    fs::permissions(volume(id) / "read-only", fs::perms(0555));
    fs::permissions(volume(id), fs::perms(0550));
  }
  Result<std::string> snapshot(std::string_view id, const TextMap& tags = {}) {
    return snapshotter().create_snapshot(id, "", tags);
  }
  Result<std::string> restore(std::string_view snapshot_id) {
    return snapshotter().create_volume_from_snapshot(snapshot_id, "directory", "", std::nullopt);
  }
  Names names_in(std::string_view directory) const {
    Names names;
    for (const auto& entry : fs::directory_iterator(root() / std::string(directory))) {
      if (entry.path().filename() != ".tenon-partial") names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::size_t partial(std::string_view directory) const {
    const fs::path path = root() / std::string(directory) / ".tenon-partial";
    if (!fs::exists(path)) return 0;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), {}));
  }

  World world_;

 private:
  Host host_{{.app = "", .builtins = {builtins()}, .check_calls = true}};
  std::optional<Handle<VolumeSnapshotter>> snapshotter_;
};

TEST_F(DirectorySnapshotter, RequiresTwoSeparateExistingDirectories) {
  fs::create_directories(root() / "volumes/inside");
  const std::string volumes = (root() / "volumes").string();
  for (const std::string snapshots :
       {"none", "volumes", "volumes/inside", "../disk", "volumes/."}) {
    const auto made = create({{"volumes", volumes}, {"snapshots", (root() / snapshots).string()}});
    EXPECT_EQ(code_of(made), "invalid-argument") << snapshots;
  }
  EXPECT_EQ(code_of(create({{"volumes", volumes}})), "invalid-argument");
  EXPECT_EQ(code_of(create({{"snapshots", volumes}})), "invalid-argument");
}

TEST_F(DirectorySnapshotter, RestoresAVolumeUnchanged) {
  make_volume("team/database");
  const auto before = describe(volume("team/database"));
  const std::string id = snapshot("team/database", {{"backup", "nightly"}}).value();
  EXPECT_EQ(names_in("snapshots"), Names{id});
  EXPECT_EQ(read_file(root() / "snapshots" / id / "snapshot.json"),
            R"({"volume":"team/database","files":6,"tags":{"backup":"nightly"}})");
  fs::permissions(volume("team/database/config"), fs::perms(0600));
  write("team/database/config", "changed");

  const std::string made = restore(id).value();
  EXPECT_EQ(made.substr(0, 9), "database-");
  EXPECT_EQ(describe(volume(made)), before);
  EXPECT_EQ(partial("snapshots") + partial("volumes"), 0u);
  EXPECT_EQ(read_file(volume("team/database/config")), "changed");
  EXPECT_EQ(snapshotter().get_volume_info(made, "").value().volume_type, "directory");
  EXPECT_EQ(snapshotter().get_volume_info(made, "").value().iops, std::nullopt);
}

TEST_F(DirectorySnapshotter, ReportsSnapshotsAsCompleted) {
  make_volume("v");
  const std::string id = snapshot("v").value();
  const auto progress = snapshotter().progress(id).value();
  EXPECT_TRUE(progress.completed);
  EXPECT_EQ(progress.error, std::nullopt);
  EXPECT_EQ(progress.n_completed, 6);
  EXPECT_EQ(progress.n_total, 6);
  EXPECT_EQ(progress.units, "files");
  EXPECT_EQ(code_of(snapshotter().progress("none")), "not-found");
  EXPECT_TRUE(snapshotter().cancel(id));
  EXPECT_TRUE(snapshotter().cancel("none"));
}

TEST_F(DirectorySnapshotter, DeletesSnapshots) {
  make_volume("v");
  const std::string id = snapshot("v").value();
  EXPECT_TRUE(snapshotter().delete_snapshot(id));
  EXPECT_EQ(names_in("snapshots"), Names{});
  EXPECT_EQ(partial("snapshots"), 0u);
  EXPECT_TRUE(snapshotter().delete_snapshot(id));
  EXPECT_EQ(code_of(restore(id)), "not-found");
  EXPECT_TRUE(fs::exists(volume("v/config")));
}

TEST_F(DirectorySnapshotter, IsUnavailableWithoutItsDirectories) {
  make_volume("v");
  const std::string id = snapshot("v").value();
  fs::rename(root(), world_.path("unmounted"));
  EXPECT_EQ(code_of(snapshot("v")), "unavailable");
  EXPECT_EQ(code_of(restore(id)), "unavailable");
  EXPECT_EQ(code_of(snapshotter().delete_snapshot(id)), "unavailable");
  EXPECT_EQ(code_of(snapshotter().progress(id)), "unavailable");
  EXPECT_EQ(code_of(snapshotter().get_volume_info("v", "")), "unavailable");
}

// -- Ids ------------------------------------------------------------------------

TEST_F(DirectorySnapshotter, FindsTheVolumeOfAResource) {
  const std::string volumes = (root() / "volumes").string();
  const auto expect = [&](const std::string& resource, const std::string& id) {
    EXPECT_EQ(snapshotter().get_volume_id(resource).value(), id) << resource;
  };
  const auto host_path = [](const std::string& path) {
    return R"({"spec":{"hostPath":{"path":")" + path + R"("}}})";
  };
  expect(host_path(volumes + "/a"), "a");
  expect(host_path(volumes + "/team/a/"), "team/a");
  expect(host_path(volumes + "//team/./b/../a"), "team/a");
  expect(R"({"spec":{"local":{"path":")" + volumes + R"(/a"},"capacity":1}})", "a");
  for (const std::string& path :
       {volumes, volumes + "/", volumes + "/..", volumes + "/../snapshots", volumes + "-2/a",
        volumes + "/.tenon-partial/a", std::string("/etc"), std::string("a"), std::string()}) {
    expect(host_path(path), "");
  }
  for (const char* other :
       {"{}", R"({"spec":1})", R"({"spec":{"hostPath":{}}})", R"({"spec":{"hostPath":{"path":7}}})",
        R"({"spec":{"nfs":{"path":"/x"}}})"}) {
    expect(other, "");
  }
  for (const char* no_resource : {"{", "[]", "1"}) {
    EXPECT_EQ(code_of(snapshotter().get_volume_id(no_resource)), "invalid-argument");
  }
}

TEST_F(DirectorySnapshotter, ChangesTheVolumeOfAResource) {
  const std::string before =
      R"({"kind":"PersistentVolume","spec":{"capacity":1.50,"local":{"path":"/a","fsType":"x"}}})";
  const std::string after =
      R"({"kind":"PersistentVolume","spec":{"capacity":1.50,"local":{"path":")" +
      volume("team/b").string() + R"(","fsType":"x"}}})";
  EXPECT_EQ(snapshotter().set_volume_id(before, "team/b").value().text, after);
  EXPECT_EQ(snapshotter().get_volume_id(after).value(), "team/b");
  EXPECT_EQ(code_of(snapshotter().set_volume_id("{}", "b")), "invalid-argument");
  EXPECT_EQ(code_of(snapshotter().set_volume_id(before, "../b")), "invalid-argument");
}

TEST_F(DirectorySnapshotter, RefusesIdsOutsideItsDirectory) {
  world_.write("disk/outside/secret", "secret");
  fs::create_directory_symlink(root() / "outside", volume("link"));
  fs::create_directory_symlink(root() / "outside", root() / "snapshots/link");
  for (const char* id : {"", ".", "..", "../outside", "/etc", "a/../../outside", "a//b", "a/",
                         ".tenon-partial", ".tenon-partial/x"}) {
    EXPECT_EQ(code_of(snapshot(id)), "invalid-argument") << id;
    EXPECT_EQ(code_of(snapshotter().get_volume_info(id, "")), "invalid-argument") << id;
    EXPECT_EQ(code_of(restore(id)), "invalid-argument") << id;
    EXPECT_EQ(code_of(snapshotter().delete_snapshot(id)), "invalid-argument") << id;
    EXPECT_EQ(code_of(snapshotter().progress(id)), "invalid-argument") << id;
  }
  EXPECT_EQ(code_of(snapshot("link")), "failed-precondition");
  EXPECT_EQ(code_of(snapshot("none")), "not-found");
  EXPECT_EQ(code_of(restore("link")), "failed-precondition");
  EXPECT_TRUE(snapshotter().delete_snapshot("link"));
  EXPECT_TRUE(fs::exists(root() / "outside/secret"));
  EXPECT_EQ(names_in("snapshots"), Names{});
  const auto other_type = snapshotter().create_volume_from_snapshot("s", "ssd", "", 0);
  EXPECT_EQ(code_of(other_type), "invalid-argument");
}

// -- Content --------------------------------------------------------------------

TEST_F(DirectorySnapshotter, SkipsSpecialFiles) {
  write("v/file", "x");
  ASSERT_EQ(mkfifo(volume("v/fifo").c_str(), 0600), 0);
  testing::internal::CaptureStderr();
  const std::string id = snapshot("v").value();
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("skipped " + volume("v/fifo").string()), std::string::npos) << log;
  const std::string made = restore(id).value();
  EXPECT_TRUE(fs::exists(volume(made) / "file"));
  EXPECT_FALSE(fs::exists(volume(made) / "fifo"));
}

TEST_F(DirectorySnapshotter, PreservesHolesOfSparseFiles) {
  constexpr off_t size = off_t{1} << 30;
  write("v/sparse", "begin");
  const int file = open(volume("v/sparse").c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(pwrite(file, "middle", 6, size / 2), 6);
  ASSERT_EQ(ftruncate(file, size), 0);
  close(file);
  const std::string made = restore(snapshot("v").value()).value();
  struct stat status {};
  ASSERT_EQ(stat((volume(made) / "sparse").c_str(), &status), 0);
  EXPECT_EQ(status.st_size, size);
  EXPECT_LT(status.st_blocks * 512, 1 << 20);
  std::ifstream copy(volume(made) / "sparse");
  copy.seekg(size / 2);
  std::string middle(6, ' ');
  copy.read(middle.data(), 6);
  EXPECT_EQ(middle, "middle");
}

TEST_F(DirectorySnapshotter, ReportsASnapshotWithMissingFiles) {
  make_volume("v");
  const std::string id = snapshot("v").value();
  fs::remove(root() / "snapshots" / id / "content/data/table");
  EXPECT_EQ(code_of(restore(id)), "data-loss");
  fs::remove(root() / "snapshots" / id / "snapshot.json");
  EXPECT_EQ(code_of(restore(id)), "data-loss");
  EXPECT_EQ(code_of(snapshotter().progress(id)), "data-loss");
  EXPECT_EQ(names_in("volumes"), Names{"v"});
  EXPECT_EQ(partial("volumes"), 0u);
}

TEST_F(DirectorySnapshotter, ReadsDescriptionsOfSixteenMegabytes) {
  make_volume("v");
  const std::string id = snapshot("v").value();
  const std::string path = "disk/snapshots/" + id + "/snapshot.json";
  std::string text = world_.read(path);
  text.resize(16 << 20, ' ');
  world_.write(path, text);
  EXPECT_TRUE(restore(id));
  for (const std::size_t size : {(16 << 20) + 1, 160 << 20}) {
    text.resize(size, ' ');
    world_.write(path, text);
    EXPECT_EQ(code_of(restore(id)), "data-loss") << size;
  }
}

TEST_F(DirectorySnapshotter, WritesNoDescriptionThatItCannotRead) {
  make_volume("v");
  const auto with_tag = [&](std::size_t size) {
    return snapshot("v", {{"tag", std::string(size, 'x')}});
  };
  const std::string id = with_tag(0).value();
  const std::size_t rest = fs::file_size(root() / "snapshots" / id / "snapshot.json");
  const auto largest = with_tag((16 << 20) - rest);
  ASSERT_TRUE(largest);
  EXPECT_TRUE(restore(*largest));
  EXPECT_EQ(code_of(with_tag((16 << 20) - rest + 1)), "invalid-argument");
  EXPECT_EQ(names_in("snapshots").size(), 2u);
  EXPECT_EQ(partial("snapshots"), 0u);
}

TEST_F(DirectorySnapshotter, CopiesFourHundredLevels) {
  // Made from the inside: the path of the last of 4,000 is longer than the system accepts.
  const auto make = [&](const char* id, int levels) {
    fs::create_directory(volume(id));
    int at = open(volume(id).c_str(), O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < levels; ++i) {
      ASSERT_EQ(mkdirat(at, "d", 0700), 0);
      const int next = openat(at, "d", O_RDONLY | O_DIRECTORY);
      close(at);
      at = next;
    }
    close(at);
  };
  make("deep", 400);
  const auto id = snapshot("deep");
  ASSERT_TRUE(id) << id.error().to_string();
  EXPECT_EQ(describe(volume(restore(*id).value())), describe(volume("deep")));
  make("deeper", 401);
  EXPECT_EQ(code_of(snapshot("deeper")), "failed-precondition");
  make("deepest", 4'000);
  EXPECT_EQ(code_of(snapshot("deepest")), "failed-precondition");
  EXPECT_EQ(names_in("snapshots").size(), 1u);
}

TEST_F(DirectorySnapshotter, StopsCopyingIfCancelled) {
  for (int i = 0; i < 100; ++i) write("v/" + std::to_string(i), "");
  Call call;
  call.cancel();
  EXPECT_EQ(code_of(snapshotter().create_snapshot(call, "v", "", TextMap{})), "cancelled");
  EXPECT_EQ(names_in("snapshots"), Names{});
  EXPECT_EQ(partial("snapshots"), 0u);
}

TEST_F(DirectorySnapshotter, CopiesAVolumeWhileItChanges) {
  make_volume("v");
  fs::permissions(volume("v"), fs::perms(0750));
  std::atomic<bool> done = false;
  std::thread writer([&] {
    while (!done) {
      write("v/data/comes/and-goes", "x");
      fs::remove_all(volume("v/data/comes"));
    }
  });
  for (int i = 0; i < 50; ++i) {
    const auto made = snapshot("v");
    EXPECT_TRUE(made) << made.error().to_string();
    EXPECT_TRUE(restore(*made));
  }
  done = true;
  writer.join();
}

TEST_F(DirectorySnapshotter, NeverRestoresAPartOfADeletedSnapshot) {
  for (int i = 0; i < 200; ++i) write("v/" + std::to_string(i), "x");
  for (int i = 0; i < 20; ++i) {
    const std::string id = snapshot("v").value();
    std::thread other([&] { EXPECT_TRUE(snapshotter().delete_snapshot(id)); });
    const auto made = restore(id);
    other.join();
    if (made) {
      EXPECT_EQ(std::distance(fs::directory_iterator(volume(*made)), {}), 200);
    } else {
      EXPECT_EQ(made.error().code(), "not-found") << made.error().to_string();
    }
  }
}

// -- Failures -------------------------------------------------------------------

class DirectorySnapshotterFaults : public DirectorySnapshotter {
 protected:
  DirectorySnapshotterFaults() { make_volume("v"); }

  /// Returns the system calls that a function makes.
  template <class Body>
  std::vector<Request> requests(Body&& body) {
    const fs::path log = world_.path("log");
    faulty_begin(root().c_str(), "", log.c_str(), 0, 0);
    body();
    faulty_end();
    auto requests = read_requests(log, root());
    fs::remove(log);
    return requests;
  }
};

TEST_F(DirectorySnapshotterFaults, LeaveCompleteSnapshotsOrNone) {
  const auto whole = describe(volume("v"));
  const auto all = requests([&] { ASSERT_TRUE(snapshot("v")); });
  ASSERT_GT(all.size(), 20u);
  ASSERT_TRUE(snapshotter().delete_snapshot(names_in("snapshots").at(0)));
  for (const int how : {ENOSPC, EIO, EINTR, static_cast<int>(FAULTY_SHORT)}) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      SCOPED_TRACE(all[i].name + " " + all[i].path + ": " + std::to_string(how));
      faulty_begin(root().c_str(), "", nullptr, static_cast<long>(i) + 1, how);
      const auto made = snapshot("v");
      faulty_end();
      if (how == FAULTY_SHORT) {
        EXPECT_TRUE(made);
      } else if (how != EINTR && all[i].name != "open") {  // abandoned files may stay
        EXPECT_FALSE(made);
      }
      if (!made && how == ENOSPC) {
        EXPECT_EQ(code_of(made), "resource-exhausted");
      }
      for (const std::string& id : names_in("snapshots")) {
        EXPECT_EQ(describe(root() / "snapshots" / id / "content"), whole);
        EXPECT_TRUE(snapshotter().delete_snapshot(id));
      }
      EXPECT_EQ(partial("snapshots"), 0u);
    }
  }
}

TEST_F(DirectorySnapshotterFaults, LeaveCompleteVolumesOrNone) {
  const auto whole = describe(volume("v"));
  const std::string id = snapshot("v").value();
  const auto all = requests([&] { ASSERT_TRUE(restore(id)); });
  ASSERT_GT(all.size(), 20u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(all[i].name + " " + all[i].path);
    faulty_begin(root().c_str(), "", nullptr, static_cast<long>(i) + 1, ENOSPC);
    const auto made = restore(id);
    faulty_end();
    EXPECT_TRUE(made ? all[i].name == "open" : code_of(made) == "resource-exhausted");
    for (const std::string& name : names_in("volumes")) EXPECT_EQ(describe(volume(name)), whole);
    EXPECT_EQ(partial("volumes"), 0u);
  }
}

TEST_F(DirectorySnapshotterFaults, AreReportedByDeletions) {
  std::string id = snapshot("v").value();
  const auto all = requests([&] { ASSERT_TRUE(snapshotter().delete_snapshot(id)); });
  ASSERT_GT(all.size(), 8u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(all[i].name + " " + all[i].path);
    id = snapshot("v").value();
    EXPECT_EQ(partial("snapshots"), 0u);  // also removes files of the previous deletion
    faulty_begin(root().c_str(), "", nullptr, static_cast<long>(i) + 1, EIO);
    const auto deleted = snapshotter().delete_snapshot(id);
    faulty_end();
    EXPECT_FALSE(deleted);
    EXPECT_TRUE(snapshotter().delete_snapshot(id));
    EXPECT_EQ(names_in("snapshots"), Names{});
  }
}

TEST_F(DirectorySnapshotterFaults, LeaveNothingInUseAfterAKill) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer allows no new thread in a forked child";
#endif
  const auto whole = describe(volume("v"));
  std::size_t most_left = 0;
  long at = 0;
  for (bool killed = true; killed;) {
    ++at;
    SCOPED_TRACE(at);
    killed = is_killed_in([&] {
      Host host({.app = "", .builtins = {builtins()}});
      auto own = host.create<VolumeSnapshotter>("tenon.dev/directory", config());
      faulty_begin(root().c_str(), "", nullptr, at, FAULTY_KILL);
      if (!(*own)->create_snapshot("v", "", {})) _exit(1);
    });
    most_left = std::max(most_left, partial("snapshots"));
    const std::string next = snapshot("v").value();
    EXPECT_EQ(partial("snapshots"), 0u);
    for (const std::string& id : names_in("snapshots")) {
      EXPECT_EQ(describe(root() / "snapshots" / id / "content"), whole);
      EXPECT_TRUE(snapshotter().delete_snapshot(id));
    }
  }
  EXPECT_GT(at, 20);
  EXPECT_EQ(most_left, 1u);
}

class DirectorySnapshotterWithoutPower : public DirectorySnapshotterFaults {
 protected:
  void SetUp() override {
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "ThreadSanitizer allows no new thread in a forked child";
#endif
  }

  /// The machine loses power at the request, or after the last one. Returns whether `body` returned
  /// before.
  bool power_is_lost_after(long request, void (*body)(VolumeSnapshotter&, const std::string&),
                           const std::string& id) {
    const fs::path aside = world_.path("aside/here").parent_path();
    const fs::path returned = world_.path("returned");
    EXPECT_TRUE(is_killed_in([&] {
      Host host({.app = "", .builtins = {builtins()}});
      auto own = host.create<VolumeSnapshotter>("tenon.dev/directory", config());
      faulty_keep_in(aside.c_str());
      faulty_begin(root().c_str(), "", nullptr, request, FAULTY_FORGET);
      body(**own, id);
      std::ofstream{returned};
      faulty_lose_power();
    }));
    fs::remove_all(aside);
    return fs::remove(returned);
  }
};

TEST_F(DirectorySnapshotterWithoutPower, LeavesCompleteSnapshotsOrNone) {
  const auto whole = describe(volume("v"));
  long request = 0;
  for (bool returned = false; !returned;) {
    SCOPED_TRACE(++request);
    returned = power_is_lost_after(
        request,
        [](VolumeSnapshotter& own, const std::string& id) {
          EXPECT_TRUE(own.create_snapshot(id, "", {}));
        },
        "v");
    const Names made = names_in("snapshots");
    EXPECT_TRUE(made.size() == 1 || !returned);
    for (const std::string& id : made) {
      EXPECT_EQ(describe(root() / "snapshots" / id / "content"), whole);
      EXPECT_TRUE(snapshotter().delete_snapshot(id));
    }
  }
  EXPECT_GT(request, 20);
}

TEST_F(DirectorySnapshotterWithoutPower, LeavesCompleteVolumesOrNone) {
  const auto whole = describe(volume("v"));
  const std::string snapshot_id = snapshot("v").value();
  long request = 0;
  for (bool returned = false; !returned;) {
    SCOPED_TRACE(++request);
    returned = power_is_lost_after(
        request,
        [](VolumeSnapshotter& own, const std::string& id) {
          EXPECT_TRUE(own.create_volume_from_snapshot(id, "directory", "", std::nullopt));
        },
        snapshot_id);
    const Names volumes = names_in("volumes");
    EXPECT_TRUE(volumes.size() == 2 || !returned);
    for (const std::string& name : volumes) {
      EXPECT_EQ(describe(volume(name)), whole);
      if (name != "v") fs::remove_all(volume(name));
    }
  }
  EXPECT_GT(request, 20);
}

TEST_F(DirectorySnapshotterWithoutPower, LeavesADeletedSnapshotCompleteOrNone) {
  const auto whole = describe(volume("v"));
  long request = 0;
  for (bool returned = false; !returned;) {
    SCOPED_TRACE(++request);
    returned = power_is_lost_after(
        request,
        [](VolumeSnapshotter& own, const std::string& id) { EXPECT_TRUE(own.delete_snapshot(id)); },
        snapshot("v").value());
    const Names left = names_in("snapshots");
    EXPECT_TRUE(left.empty() || !returned);
    for (const std::string& id : left) {
      EXPECT_EQ(describe(root() / "snapshots" / id / "content"), whole);
      EXPECT_TRUE(snapshotter().delete_snapshot(id));
    }
  }
  EXPECT_GT(request, 8);
}

}}  // namespace tenon::tests
