// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-backup with files that others planted or may read. The other user is `nobody`.
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "e2e/backup/host.hpp"

namespace tenon::tests {
namespace {

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

/// Sets the umask of this process, and so of the programs that it starts.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_(::umask(mask)) {}
  ~Umask() { ::umask(before_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  const mode_t before_;
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

TEST_F(Untrusted, FilesInTheFolderOfARestoreChangeNothing) {
  write_items({item("Secret", "web", "s")});
  ASSERT_EQ(create().exit, 0);
  world.write("theirs", "theirs");
  const std::string folder = "restored/resources/secrets/namespaces/web/";
  for (const std::string& name :
       {folder + ".tenon-partial", std::string("restored/.tenon-partial")}) {
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

TEST_F(Untrusted, FilesOfAKilledRestoreAreRemoved) {
  write_items({item("Secret", "web", "s")});
  ASSERT_EQ(create().exit, 0);
  world.write("restored/.tenon-0123456789abcdef", "half");
  ASSERT_EQ(restore().exit, 0);
  EXPECT_EQ(files("restored"), Lines{"resources/secrets/namespaces/web/s.json"});
}

TEST_F(Untrusted, AFolderOfPartialObjectsIsRefused) {
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
  refused(" is not a folder: remove it");
  fs::create_directory(world.root() / "elsewhere");
  fs::create_symlink(world.root() / "elsewhere", planted);
  refused(" is a symbolic link");
  EXPECT_TRUE(fs::is_empty(world.root() / "elsewhere"));
  fs::create_directory(planted);
  fs::permissions(planted, fs::perms(0777));
  refused(" can be changed by others");
  EXPECT_EQ(create().exit, 0);
}

TEST_F(Untrusted, AFolderOfPartialObjectsOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give folders away";
  write_items({item("Pod", "web", "p")});
  const fs::path planted = world.root() / "store/.tenon-partial";
  fs::create_directory(planted);
  fs::permissions(planted, fs::perms(0700));
  ASSERT_EQ(::chown(planted.c_str(), nobody, nobody), 0);
  const Outcome created = create();
  EXPECT_EQ(created.exit, 3);
  EXPECT_NE(created.err.find(".tenon-partial is a folder of another user; needed: "),
            std::string::npos)
      << created.err;
}

}  // namespace
}  // namespace tenon::tests
