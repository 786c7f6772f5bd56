// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-backup with files that others planted or may read, and with archives that someone has
// changed. The other user is `nobody`.
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "e2e/backup/host.hpp"
#include "framework/umask.hpp"

namespace tenon::tests { namespace {

constexpr uid_t nobody = 65534;

class Untrusted : public Backup {
 protected:
  struct stat status_of(const std::string& file) {
    struct stat status {};
    EXPECT_EQ(::lstat((world.root() / file).c_str(), &status), 0) << file;
    return status;
  }
  mode_t mode_of(const std::string& file) { return status_of(file).st_mode & 07777; }
  static constexpr const char* secret = "restored/resources/secrets/namespaces/web/s.json";
  static constexpr const char* map = "restored/resources/configmaps/namespaces/web/m.json";
};

// -- Modes --------------------------------------------------------------------

TEST_F(Untrusted, UsersCannotReadTheStoreWhateverTheUmask) {
  write_volume();
  configure(snapshotters);
  write_items({item("Secret", "web", "s"), volume("v")});
  const Umask umask(0);
  ASSERT_EQ(create().exit, 0);
  ASSERT_EQ(restore("restored", {"--name", "first"}).exit, 0);
  EXPECT_EQ(files("store").size(), 3u);
  for (const auto& entry : fs::recursive_directory_iterator(world.root() / "store")) {
    const std::string path = entry.path().lexically_relative(world.root());
    EXPECT_EQ(mode_of(path), entry.is_directory() ? 0700u : 0600u) << path;
  }
  for (const auto& entry : fs::directory_iterator(world.root() / "snapshots")) {
    EXPECT_EQ(mode_of(entry.path().lexically_relative(world.root())), 0700u);
  }
}

TEST_F(Untrusted, UsersCannotReadARestoredSecretWhateverTheUmask) {
  write_items({item("Secret", "web", "s"), item("ConfigMap", "web", "m")});
  ASSERT_EQ(create().exit, 0);
  const Umask umask(022);
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(mode_of(secret), 0600u);
  EXPECT_EQ(mode_of(map), 0644u);
  // A file with the right content keeps neither its mode nor its owner.
  fs::permissions(world.root() / secret, fs::perms(0666));
  fs::permissions(world.root() / map, fs::perms(0640));
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(mode_of(secret), 0600u);
  EXPECT_EQ(mode_of(map), 0640u);
  fs::permissions(world.root() / secret, fs::perms(0666));
  world.write(secret, "other");
  ASSERT_EQ(restore("restored", {"--existing", "update"}).exit, 0);
  EXPECT_EQ(mode_of(secret), 0600u);
}

// -- Planted files ------------------------------------------------------------

TEST_F(Untrusted, FilesInTheDirectoryOfARestoreChangeNothing) {
  write_items({item("Secret", "web", "s")});
  ASSERT_EQ(create().exit, 0);
  world.write("theirs", "theirs");
  const std::string directory = "restored/resources/secrets/namespaces/web/";
  for (const std::string& name :
       {directory + ".tenon-partial", std::string("restored/.tenon-partial")}) {
    for (const char* const kind : {"file", "link", "FIFO"}) {
      const std::string type = kind;
      fs::remove_all(world.root() / "restored");
      const fs::path planted = world.path(name);
      if (type == "file") {
        world.write(name, "planted");
        fs::permissions(planted, fs::perms(0666));
        if (::geteuid() == 0) {
          ASSERT_EQ(::chown(planted.c_str(), nobody, nobody), 0);
        }
      }
      if (type == "link") fs::create_symlink(world.root() / "theirs", planted);
      if (type == "FIFO") {
        ASSERT_EQ(::mkfifo(planted.c_str(), 0666), 0);
      }
      const Outcome restoring = restore();
      EXPECT_EQ(restoring.exit, 0) << type << restoring.err;
      EXPECT_EQ(mode_of(secret), 0600u) << type;
      EXPECT_EQ(status_of(secret).st_uid, ::geteuid()) << type;
      EXPECT_TRUE(fs::exists(fs::symlink_status(planted))) << type;
    }
  }
  EXPECT_EQ(world.read("theirs"), "theirs");
}

TEST_F(Untrusted, DirectoriesGetNothingOfRoot) {
  if (::geteuid() != 0) GTEST_SKIP() << "other users get a warning";
  write_items({item("Secret", "web", "s")});
  ASSERT_EQ(create().exit, 0);
  fs::create_directories(world.root() / "restored");
  fs::permissions(world.root() / "restored", fs::perms(0777));
  const Outcome restoring = restore();
  EXPECT_EQ(restoring.exit, 3) << restoring.err;
  EXPECT_NE(restoring.err.find("error[untrusted-owner]"), std::string::npos) << restoring.err;
  EXPECT_TRUE(fs::is_empty(world.root() / "restored"));
  fs::permissions(world.root() / "restored", fs::perms(01777));
  EXPECT_EQ(restore().exit, 0);
}

TEST_F(Untrusted, FilesOfAKilledRestoreAreRemoved) {
  write_items({item("Secret", "web", "s")});
  ASSERT_EQ(create().exit, 0);
  world.write("restored/.tenon-0123456789abcdef", "half");
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(files("restored"), Lines{"resources/secrets/namespaces/web/s.json"});
}

TEST_F(Untrusted, ADirectoryOfPartialObjectsIsRefused) {
  write_items({item("Pod", "web", "p")});
  const fs::path planted = world.root() / "store/.tenon-partial";
  const auto refused = [&](const std::string& why) {
    const Outcome created = create();
    EXPECT_EQ(created.exit, 3) << why;
    EXPECT_NE(created.err.find("store/.tenon-partial" + why), std::string::npos) << created.err;
    EXPECT_EQ(files("store"), Lines()) << why;
    fs::remove_all(planted);
  };
  ASSERT_EQ(::mkfifo(planted.c_str(), 0666), 0);
  refused(" is not a directory: remove it");
  fs::create_directory(world.root() / "elsewhere");
  fs::create_symlink(world.root() / "elsewhere", planted);
  refused(" is a symbolic link");
  EXPECT_TRUE(fs::is_empty(world.root() / "elsewhere"));
  fs::create_directory(planted);
  fs::permissions(planted, fs::perms(0777));
  refused(" can be changed by others");
  EXPECT_EQ(create().exit, 0);
}

TEST_F(Untrusted, ADirectoryOfPartialObjectsOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give directories away";
  write_items({item("Pod", "web", "p")});
  const fs::path planted = world.root() / "store/.tenon-partial";
  fs::create_directory(planted);
  fs::permissions(planted, fs::perms(0700));
  ASSERT_EQ(::chown(planted.c_str(), nobody, nobody), 0);
  const Outcome created = create();
  EXPECT_EQ(created.exit, 3);
  EXPECT_NE(created.err.find(".tenon-partial is a directory of another user; needed: "),
            std::string::npos)
      << created.err;
}

// -- Changed archives ---------------------------------------------------------

class ChangedArchive : public Untrusted {
 protected:
  /// Unpacks the archive into the directory `t`, runs a command there, and packs it again.
  void change(const std::string& command) {
    const Outcome done = world.run(
        {"sh", "-ec",
         "a=$(echo $PWD/store/tenon/backups/nightly/contents-*.tar.zst); rm -rf t; mkdir t; cd t; "
         "tar xf $a; " +
             command + "; tar caf $a *"});
    ASSERT_EQ(done.exit, 0) << done.err;
  }
  /// Writes the hash of the changed archive into the record, as someone can who may write there.
  void update_record() {
    const std::string sum =
        world.run({"sh", "-c", "sha256sum store/tenon/backups/nightly/contents-*"}).out;
    const std::string file = "store/tenon/backups/nightly/backup.json";
    auto record = boost::json::parse(world.read(file)).as_object();
    record.at("value").as_object()["sha256"] = sum.substr(0, 64);
    world.write(file, boost::json::serialize(record));
  }
};

TEST_F(ChangedArchive, IsRefusedByItsHash) {
  world.write("files/web/data", "");
  configure(
      R"("delete_actions": [{"plugin": "external-artifacts", "config": {"directory": "files"}}])");
  write_items({R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"web",)"
               R"("annotations":{"tenon.dev/external-artifact":"data"}}})"});
  ASSERT_EQ(create().exit, 0);
  const std::string archive =
      world.run({"sh", "-c", "sha256sum store/tenon/backups/nightly/contents-*"}).out.substr(0, 64);
  const Outcome described = run({"describe", "nightly", "--json"});
  EXPECT_EQ(json(described).at("backup").at("sha256").as_string(), archive.c_str());
  change("sed -i s/Pod/Pot/ resources/pods/namespaces/web/p.json");
  const Outcome restoring = restore();
  EXPECT_EQ(restoring.exit, 3);
  EXPECT_NE(restoring.err.find("error[archive-differs] "), std::string::npos) << restoring.err;
  EXPECT_NE(restoring.err.find("needed  the SHA-256 " + archive), std::string::npos)
      << restoring.err;
  EXPECT_EQ(restored(), Lines());
  EXPECT_EQ(run({"delete", "nightly"}).exit, 1);
  EXPECT_TRUE(fs::exists(world.root() / "files/web/data"));
}

TEST_F(ChangedArchive, CannotPassAnItemUnderThePathOfAnother) {
  write_items({item("ConfigMap", "web", "a"), item("ConfigMap", "web", "b")});
  const std::string path = "resources/configmaps/namespaces/web/a.json";
  const auto put = [&](const std::string& document) {
    ASSERT_EQ(create().exit, 0);
    world.write("planted.json", document);
    change("cp ../planted.json " + path);
    update_record();
  };
  const struct {
    std::string document, found;
  } rows[] = {
      {R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",)"
       R"("metadata":{"name":"a"}})",
       "clusterrolebindings.rbac.authorization.k8s.io a"},
      {item("Secret", "web", "a"), "secrets web/a"},
      {R"({"apiVersion":"other.example/v1","kind":"ConfigMap",)"
       R"("metadata":{"name":"a","namespace":"web"}})",
       "configmaps.other.example web/a"},
      {item("ConfigMap", "kube-system", "a"), "configmaps kube-system/a"},
      {item("ConfigMap", "", "a"), "configmaps a"},
      {item("ConfigMap", "web", "other"), "configmaps web/other"},
      {R"({"metadata":{"name":"a","namespace":"web"}})", " web/a"},
  };
  for (const auto& row : rows) {
    put(row.document);
    const Outcome restoring =
        restore("restored", {"--include-namespaces", "web", "--include-resources", "configmaps"});
    EXPECT_EQ(restoring.exit, 1) << row.found;
    EXPECT_NE(restoring.err.find("error[entry-differs] configmaps web/a: " + path),
              std::string::npos)
        << restoring.err;
    EXPECT_NE(restoring.err.find("; found " + row.found + "; needed configmaps web/a"),
              std::string::npos)
        << restoring.err;
    EXPECT_EQ(restored(), Lines{"configmaps/namespaces/web/b"}) << row.found;
    fs::remove_all(world.root() / "restored");
    ASSERT_EQ(run({"delete", "nightly", "--without-actions"}).exit, 0);
  }
  // Another version of the API is the same item.
  put(R"({"apiVersion":"v1beta1","kind":"ConfigMap","metadata":{"name":"a","namespace":"web"}})");
  EXPECT_EQ(restore().exit, 0);
  EXPECT_EQ(restored().size(), 2u);
}

}}  // namespace tenon::tests
