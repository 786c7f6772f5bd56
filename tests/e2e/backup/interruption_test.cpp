// SPDX-License-Identifier: BSL-1.0
//
// Interrupts and kills tenon-backup, and runs it concurrently.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <tuple>

#include "e2e/backup/host.hpp"
#include "framework/control_socket.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

/// Returns text that hardly shrinks when it is compressed.
std::string noise(std::mt19937& random, std::size_t size) {
  std::string text(size, ' ');
  for (char& c : text) c = "0123456789abcdef"[random() % 16];
  return text;
}

TEST_F(Backup, IsNotStoredIfItIsInterrupted) {
  play();
  write_volume();
  configure(actions("backup") + ", " + snapshotters);
  write_items({volume("v"), item("Pod", "web", "p", told("backup-a", "operation=never"))});
  Child child = world.start({TENON_BACKUP, "create", "nightly", "--from", "items.json"});
  ASSERT_TRUE(eventually([&] { return !journal("backup a progress ").empty(); }));
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_NE(outcome.err.find("the run was interrupted"), std::string::npos) << outcome.err;
  EXPECT_EQ(files("store"), Lines());
  EXPECT_EQ(files("snapshots"), Lines());
  EXPECT_EQ(journal("backup a cancel "), Lines{"p:never"});
}

TEST_F(Backup, ReportsItsFigures) {
  fs::permissions(world.root(), fs::perms::owner_all);
  world.set("XDG_RUNTIME_DIR", world.root().string());
  play();
  configure(actions("backup"));
  write_items({item("Pod", "web", "q", told("backup-a", "fail")),
               item("Pod", "web", "p", told("backup-a", "operation=never"))});
  Child child = world.start(
      {TENON_BACKUP, "create", "nightly", "--from", "items.json", "--control", "--trace", "trace"});
  ASSERT_TRUE(eventually([&] { return !journal("backup a progress ").empty(); }));
  const fs::path directory = world.root() / "tenon";
  const std::string status = ControlSocket(directory / ControlSocket::names_in(directory).at(0))
                                 .ask(R"({"control":1,"request":"status"})");
  for (const char* figure : {R"("name":"read","unit":"items","total":true,"value":2.0)",
                             R"("name":"failed","unit":"items","total":true,"value":1.0)",
                             R"("name":"calls","unit":"seconds")", R"("works":false)"}) {
    EXPECT_NE(status.find(figure), std::string::npos) << figure << status;
  }
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().exit, 1);
  const std::string trace = world.read("trace");
  EXPECT_NE(trace.find(R"("ph":"X","name":"loaded")"), std::string::npos);
  EXPECT_EQ(trace.substr(trace.size() - 3), "\n]\n");
}

TEST_F(Backup, IsNotStoredIfItIsInterruptedAtItsEnd) {
  world.place(PLAYER, "player.so");
  write_volume();
  world.write(
      "tenon-backup.json",
      R"({"store": {"plugin": "test.example/pondering", "config": {"journal": "journal"}}, )" +
          std::string(snapshotters) + "}");
  write_items({volume("v")});
  Child child = world.start({TENON_BACKUP, "create", "nightly", "--from", "items.json"});
  ASSERT_TRUE(eventually([&] { return !journal("found backups/nightly/contents-").empty(); }));
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 1) << outcome.err;
  EXPECT_EQ(journal("deleted backups/nightly/backup.json").size(), 1u);
  EXPECT_EQ(journal("deleted backups/nightly/contents-").size(), 1u);
  EXPECT_EQ(files("snapshots"), Lines());
}

TEST_F(Backup, KeepsItsSnapshotsIfItMayBeStored) {
  world.place(PLAYER, "player.so");
  write_volume();
  world.write("tenon-backup.json",
              R"({"store": {"plugin": "test.example/small"}, )" + std::string(snapshotters) + "}");
  write_items({volume("v")});
  world.write("loses-reply", "");
  const Outcome made = create();
  EXPECT_EQ(made.exit, 3);
  EXPECT_NE(made.err.find("error[backup-unconfirmed] nightly: "), std::string::npos) << made.err;
  EXPECT_NE(made.err.find("no connection"), std::string::npos) << made.err;
  EXPECT_NE(made.err.find("snapshots are kept"), std::string::npos) << made.err;
  const Outcome again = create();
  EXPECT_EQ(again.exit, 3) << "the store cannot be reached: " << again.err;
  EXPECT_EQ(again.err.find("backup-unconfirmed"), std::string::npos) << again.err;
  fs::remove(world.root() / "loses-reply");
  EXPECT_FALSE(files("snapshots").empty());
  EXPECT_NE(run({"list"}).out.find("nightly"), std::string::npos);
  fs::remove_all(world.root() / "volumes/v");
  EXPECT_EQ(restore().exit, 0);
  EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
  EXPECT_EQ(files("snapshots"), Lines());
  EXPECT_EQ(files("objects"), Lines());
}

TEST_F(Backup, IsInterruptedWhileAnActionAddsItems) {
  play();
  write_items({item("Secret", "web", "s", told("backup-a", "wait also=secrets/web/t")),
               item("Secret", "web", "t")});
  Child child = world.start({TENON_BACKUP, "create", "nightly", "--from", "items.json"});
  ASSERT_TRUE(eventually([&] { return !journal("backup a execute ").empty(); }));
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("the run was interrupted"), std::string::npos) << outcome.err;
  EXPECT_EQ(journal("backup a execute "), Lines{"s of nightly"});
  EXPECT_EQ(files("store"), Lines());
}

/// Backups to a store that reads nothing: how it blocks, and the size of the backup in megabytes.
class StuckStore : public Backup,
                   public testing::WithParamInterface<std::tuple<const char*, std::size_t>> {
 protected:
  StuckStore() {
    world.place(PLAYER, "player.so");
    Lines items;
    for (std::size_t i = 0; i < std::get<1>(GetParam()); ++i) {
      items.push_back(item("ConfigMap", "web", "c" + std::to_string(i),
                           "\"data\":\"" + std::string(1'000'000, 'x') + "\""));
    }
    write_items(items);
  }
  void configure_store(const std::string& more = {}) {
    world.write("tenon-backup.json",
                R"({"store": {"plugin": "test.example/stuck", "config": {"journal": "journal", )"
                R"("how": ")" +
                    std::string(std::get<0>(GetParam())) + "\"}}" + more + "}");
  }
  static bool is_deaf() { return std::get<0>(GetParam()) == std::string_view("deaf"); }
};

TEST_P(StuckStore, IsAbandonedIfTheRunIsInterrupted) {
  configure_store();
  Child child = world.start({TENON_BACKUP, "create", "nightly", "--from", "items.json"});
  ASSERT_TRUE(eventually([&] { return !journal().empty(); }));
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("cancelled"), std::string::npos) << outcome.err;
  EXPECT_EQ(
      outcome.err.find("error[deadline-exceeded] test.example/stuck: put_object: the call did "
                       "not return when it was cancelled and was abandoned") != std::string::npos,
      is_deaf())
      << outcome.err;
}

TEST_P(StuckStore, IsAbandonedAfterTheTimeoutOfTheStore) {
  configure_store(R"(, "timeouts": {"store": "300ms"})");
  const Outcome outcome = create();
  EXPECT_EQ(outcome.exit, 3) << outcome.err;
  EXPECT_NE(outcome.err.find("test.example/stuck: put_object: deadline-exceeded: the store read "
                             "nothing for 300ms"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(
      outcome.err.find("\n   fix     allow more time under \"timeouts\": {\"store\": ...}\n") !=
          std::string::npos,
      !is_deaf())
      << outcome.err;
  EXPECT_EQ(outcome.err.find("was abandoned") != std::string::npos, is_deaf()) << outcome.err;
}

// The smaller size fits into the queue of the archive, the larger one does not.
INSTANTIATE_TEST_SUITE_P(Megabytes, StuckStore,
                         testing::Combine(testing::Values("waits", "deaf"),
                                          testing::Values(1, 20)));

TEST_F(Backup, CancelsOperationsIfTheStoreRefuses) {
  world.place(PLAYER, "player.so");
  world.write("tenon-backup.json",
              R"({"store": {"plugin": "test.example/stuck", "config": {"how": "refuses"}}, )" +
                  actions("backup") + R"(, "timeouts": {"poll": "1ms"}})");
  write_items({item("Pod", "web", "p", told("backup-a", "operation=never"))});
  Child child = world.start({TENON_BACKUP, "create", "nightly", "--from", "items.json"});
  ASSERT_TRUE(eventually([&] { return !journal("backup a progress ").empty(); }));
  world.write("full", "");
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.err.find("the store is full"), std::string::npos) << outcome.err;
  EXPECT_EQ(journal("backup a cancel "), Lines{"p:never"});
}

TEST_F(Backup, IsNotCreatedIfTheStoreReadsOnlyAPart) {
  world.place(FAULTS "/backup-reads-only-a-part-of-objects.so");
  world.write("tenon-backup.json",
              R"({"store": {"plugin": "test.example/vault", "config": {"name": "memory"}}})");
  std::mt19937 random;
  write_items({item("ConfigMap", "web", "c", "\"data\":\"" + noise(random, 100'000) + "\"")});
  const Outcome outcome = create();
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find("test.example/vault: put_object: backups/nightly/contents-"),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("the store reported success without reading the whole archive\n"
                             "   fix     report the error to the author of the plugin\n"),
            std::string::npos)
      << outcome.err;
}

TEST_F(Backup, ReportsExecutedActionsOfAnInterruptedDeletion) {
  play();
  Lines items;
  for (int i = 0; i < 50; ++i) {
    items.push_back(item("Pod", "web", "p" + std::to_string(100 + i),
                         i == 40 ? told("delete-b", "hang") : std::string()));
  }
  write_items(items);
  ASSERT_EQ(create().exit, 0);
  Child child = world.start({TENON_BACKUP, "delete", "nightly"});
  ASSERT_TRUE(eventually([&] { return journal("delete b execute ").size() == 41; }));
  child.signal(SIGINT);
  const Outcome outcome = child.wait();
  EXPECT_EQ(outcome.exit, 1) << outcome.err;
  EXPECT_NE(outcome.out.find("test.example/a: executed for 41 items"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("test.example/b: executed for 40 items"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(journal("delete a execute ").size(), 41u);
  const Outcome described = run({"describe", "nightly"});
  EXPECT_NE(described.out.find("the run was interrupted"), std::string::npos) << described.out;
}

TEST_F(Backup, IsNotStoredIfAPluginEndsTheProcessWithSuccess) {
  play();
  const std::string ended_early =
      "tenon-backup: a plugin, or a library that it uses, ended the process with status 0 before "
      "its work was completed\n";
  for (const std::string how : {"exit", "_Exit", "quick_exit"}) {
    const std::string message = how == "_Exit" ? ended_early
                                               : "tenon: test.example/a called " + how +
                                                     "(); the process ends with status 1\n";
    write_items({item("Pod", "web", "p", told("backup-a", how))});
    const Outcome outcome = create();
    EXPECT_EQ(outcome.exit, 1) << how;
    EXPECT_EQ(outcome.err, message) << how;
    EXPECT_EQ(outcome.out, "") << how;
    EXPECT_EQ(run({"describe", "nightly"}).exit, 3) << how;

    write_items({item("Pod", "web", "p", told("delete-a", how))});
    EXPECT_EQ(create().exit, 0) << how;
    const Outcome deleted = run({"delete", "nightly"});
    EXPECT_EQ(deleted.exit, 1) << how;
    EXPECT_EQ(deleted.err, message) << how;
    EXPECT_EQ(run({"describe", "nightly"}).exit, 0) << how;
    fs::remove_all(world.root() / "store/tenon");
  }
}

TEST_F(Backup, CountsASignalOfTheTerminalOnce) {
  play();
  write_items({item("Pod", "web", "p", told("backup-a", "operation=never"))});
  Child child = world.start({TENON_BACKUP, "create", "nightly", "--from", "items.json"});
  ASSERT_TRUE(eventually([&] { return !journal("backup a progress ").empty(); }));
  const pid_t worker = child.worker();
  child.signal(SIGINT);
  ::kill(worker, SIGINT);
  EXPECT_EQ(child.wait().exit, 1) << "the second signal would end it with status 130";
  EXPECT_EQ(journal("backup a cancel "), Lines{"p:never"});
}

TEST_F(Backup, EndsWhileItWaitsForItsConfiguration) {
  const fs::path config = world.path("config.json");
  ASSERT_EQ(::mkfifo(config.c_str(), 0600), 0);
  Child child = world.start({TENON_BACKUP, "-c", "config.json", "list"});
  // Opening the FIFO for writing succeeds only after the program has opened it for reading.
  const int writer = ::open(config.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(writer, 0);
  child.signal(SIGINT);
  EXPECT_EQ(child.wait().exit, 128 + SIGINT);
  ::close(writer);
}

TEST_F(Backup, LocksTheDirectoryOfARestore) {
  write_items({item("Secret", "web", "s")});
  ASSERT_EQ(create().exit, 0);
  fs::create_directory(world.root() / "restored");
  const int directory = ::open((world.root() / "restored").c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(directory, LOCK_EX | LOCK_NB), 0);
  const Outcome outcome = restore();
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.err.find("error[in-use] restored"), std::string::npos) << outcome.err;
  ::close(directory);
  EXPECT_EQ(restore().exit, 0);
}

TEST_F(Backup, IsCreatedOnceByConcurrentRuns) {
  Lines items;
  for (int i = 0; i < 100; ++i) items.push_back(item("Secret", "web", "s" + std::to_string(i)));
  write_items(items);
  for (int i = 0; i < 5; ++i) {
    Child one = world.start({TENON_BACKUP, "create", "nightly", "--from", "items.json"});
    Child other = world.start({TENON_BACKUP, "create", "nightly", "--from", "items.json"});
    const int first = one.wait().exit;
    const int second = other.wait().exit;
    EXPECT_TRUE(first == 0 || second == 0) << first << " " << second;
    EXPECT_TRUE(first == 0 || first == 2) << first;
    EXPECT_TRUE(second == 0 || second == 2) << second;
    const std::string to = "restored-" + std::to_string(i);
    EXPECT_EQ(restore(to).exit, 0);
    EXPECT_EQ(restored(to).size(), items.size());
    EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
    EXPECT_EQ(files("store"), Lines());
  }
}

TEST_F(Backup, IsAbsentAfterAKillDuringItsUpload) {
  play();
  std::mt19937 random;
  Lines items;
  for (int i = 0; i < 20; ++i) {
    items.push_back(item("ConfigMap", "web", "c" + std::to_string(100 + i),
                         "\"data\":\"" + noise(random, 100'000) + "\""));
  }
  Lines hanging = items;
  hanging.push_back(item("Pod", "web", "p", told("backup-a", "hang")));
  write_items(hanging);
  Child child = world.start({TENON_BACKUP, "create", "nightly", "--from", "items.json"});
  ASSERT_TRUE(eventually([&] { return !journal("backup a execute p ").empty(); }));
  // The store has several items of the archive. The last one is never added.
  ASSERT_TRUE(eventually([&] {
    const Lines partial = files("store/.tenon-partial");
    return partial.size() == 1 &&
           fs::file_size(world.root() / "store/.tenon-partial" / partial.front()) > 200'000;
  }));
  child.signal(SIGKILL);
  EXPECT_EQ(child.wait().exit, 128 + SIGKILL);
  const Lines left = files("store");
  ASSERT_EQ(left.size(), 1u);
  EXPECT_TRUE(left.front().starts_with(".tenon-partial/")) << left.front();
  const Outcome listed = run({"list"});
  EXPECT_EQ(listed.exit, 0) << listed.err;
  EXPECT_EQ(listed.out, "");
  EXPECT_EQ(run({"describe", "nightly"}).exit, 3);

  write_items(items);
  ASSERT_EQ(create().exit, 0);
  EXPECT_NE(run({"list"}).out.find("nightly"), std::string::npos);
  EXPECT_EQ(restore().exit, 0);
  EXPECT_EQ(restored().size(), items.size());
  const Outcome deleted = run({"delete", "nightly"});
  EXPECT_EQ(deleted.exit, 0) << deleted.err;
  EXPECT_EQ(files("store"), Lines()) << "the next upload removes the partial object";
}

TEST_F(Backup, CanBeDeletedAfterAKillDuringItsDeletion) {
  play();
  write_items({item("Pod", "web", "p", told("delete-a", "wait"))});
  ASSERT_EQ(create().exit, 0);
  const Lines stored = files("store");
  Child child = world.start({TENON_BACKUP, "delete", "nightly"});
  ASSERT_TRUE(eventually([&] { return !journal("delete a execute ").empty(); }));
  child.signal(SIGKILL);
  EXPECT_EQ(child.wait().exit, 128 + SIGKILL);
  EXPECT_EQ(files("store"), stored);
  const Outcome listed = run({"list"});
  EXPECT_EQ(listed.exit, 0) << listed.err;
  EXPECT_NE(listed.out.find(" deleting "), std::string::npos) << listed.out;
  world.write("go", "");
  EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
  EXPECT_EQ(files("store"), Lines());
}

// -- Other processes between the steps of a create ----------------------------

class InterleavedBackup : public Backup {
 protected:
  InterleavedBackup() {
    write_items({item("Pod", "web", "first")});
    world.write("other.json", list_of({item("Pod", "web", "second")}));
  }
  /// Creates a backup while another command runs at a point. Its output is in the file `second`.
  Outcome create_while(const std::string& point, const std::string& words) {
    world.set("TENON_POINT", point);
    world.set("TENON_ACTOR", TENON_BACKUP " " + words + " > second 2>&1; echo $? > exit");
    Outcome done =
        world.run({TENON_BACKUP_WITH_POINTS, "create", "nightly", "--from", "items.json"});
    exit_of_second_ = world.read("exit");
    return done;
  }
  std::string second() { return exit_of_second_ + world.read("second"); }
  std::string items_of_backup() {
    fs::remove_all(world.root() / "restored");
    const Outcome run = restore();
    if (run.exit != 0) return run.err;
    const Lines all = restored();
    return all.size() == 1 ? all[0] : "several";
  }
  static constexpr const char* other_create = "create nightly --from other.json";

 private:
  std::string exit_of_second_;
};

TEST_F(InterleavedBackup, ACreateBeforeTheNameIsCheckedIsKept) {
  const Outcome run = create_while("backup: stored", other_create);
  EXPECT_EQ(second().substr(0, 2), "0\n") << second();
  EXPECT_NE(run.exit, 0);
  EXPECT_NE(run.err.find("error[already-exists] nightly"), std::string::npos) << run.err;
  EXPECT_EQ(files("store").size(), 2u) << "a record and an archive";
  EXPECT_EQ(items_of_backup(), "pods/namespaces/web/second");
}

TEST_F(InterleavedBackup, ACreateBetweenCheckAndRecordIsReplacedAsAWhole) {
  const Outcome run = create_while("backup: absent", other_create);
  EXPECT_EQ(second().substr(0, 2), "0\n") << second();
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(items_of_backup(), "pods/namespaces/web/first");
  EXPECT_EQ(this->run({"delete", "nightly"}).exit, 0);
  EXPECT_EQ(files("store"), Lines()) << "also the archive without a record";
}

TEST_F(InterleavedBackup, ACreateAfterTheRecordIsRefused) {
  const Outcome run = create_while("backup: recorded", other_create);
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_NE(second().find("error[already-exists] nightly"), std::string::npos) << second();
  EXPECT_EQ(files("store").size(), 2u);
  EXPECT_EQ(items_of_backup(), "pods/namespaces/web/first");
}

TEST_F(InterleavedBackup, ADeleteBesideACreateLeavesAllOrNothing) {
  for (const std::string point : {"backup: stored", "backup: absent", "backup: recorded"}) {
    const Outcome run = create_while(point, "delete nightly");
    EXPECT_EQ(run.exit, 3) << point << run.err;
    EXPECT_NE(run.err.find("nightly: aborted: the backup was deleted while it was created"),
              std::string::npos)
        << point << run.err << second();
    EXPECT_EQ(files("store"), Lines()) << point;
  }
}

TEST_F(InterleavedBackup, IsListedFromItsRecordOn) {
  for (const std::string point : {"backup: stored", "backup: absent"}) {
    EXPECT_EQ(create_while(point, "list --json").exit, 0);
    EXPECT_EQ(second().find("nightly"), std::string::npos) << point << second();
    EXPECT_EQ(run({"delete", "nightly"}).exit, 0);
  }
  EXPECT_EQ(create_while("backup: recorded", "list").exit, 0);
  EXPECT_NE(second().find("nightly"), std::string::npos) << second();
  EXPECT_NE(second().find("completed"), std::string::npos) << second();
}

}}  // namespace tenon::tests
