// SPDX-License-Identifier: BSL-1.0
//
// The index of modules: its file, when a scan believes it, and what damages it. FAULTS is the
// directory of test modules, VERSION the version of the library.
#include "catalog/module_index.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.hpp"
#include "catalog/index_file.hpp"
#include "catalog/scan.hpp"
#include "framework/as_nobody.hpp"
#include "framework/faulty.h"
#include "framework/faulty_inside.hpp"
#include "framework/window.hpp"
#include "framework/world.hpp"
#include "unit/faults.hpp"
#include "unit/killed.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;
using detail::IndexFile;
using detail::IndexWriter;
using detail::Manifest;
using detail::Scan;
using platform::FileIdentity;

std::vector<std::byte> bytes_of_text(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

std::unique_ptr<const IndexFile> read(std::string_view content, std::string_view app = "photo") {
  return IndexFile::read(bytes_of_text(content), app);
}

Manifest rich_manifest() {
  return detail::parse_manifest(R"({
    "manifest": 1, "abi": "1.0", "name": "me.example/blur", "version": "1.4.0-rc.2+b7",
    "provides": [
      {"kind": "photo.example/filter", "version": 2, "spec": "0123456789abcdef", "name": "me.example/blur"},
      {"kind": "photo.example/menu", "version": 1, "spec": "fedcba9876543210", "name": "me.example/menu"}],
    "details": [{
      "summary": "Blurs", "description": "Blurs images", "author": "Ada", "license": "MIT",
      "homepage": "https://example.com", "unknown": 1,
      "requires": {"example.io/colour": "^1.4 || >=3, <4", "example.io/any": null},
      "properties": {"me.example/blur": {"menu": "Filter", "range": {"least": 1}}, "me.example/menu": {}},
      "state": {"type": "me.example/progress", "writes": 2, "reads": [1, 2]},
      "threads": "joined", "handled": ["libgomp.so.1"]}]})",
                                "blur.so")
      .value();
}

/// Returns an index with a file of each sort.
std::string small_index() {
  IndexWriter writer;
  writer.begin_directory("/plugins");
  const Manifest manifest = rich_manifest();
  writer.add("blur.so", {1, 2, 3, 4, 5}, &manifest);
  writer.add("blur/libssl.so", {6, 7, 8, 9, 10}, nullptr);
  writer.begin_directory("/more");
  writer.add("", {11, 12, 13, 14, 15}, &manifest);
  return writer.finish("photo");
}

TEST(Checksum, IsXxh64) {
  EXPECT_EQ(checksum(""), 0xef46db3751d8e999u);
  EXPECT_EQ(checksum("a"), 0xd24ec4f1a98c6e5bu);
  EXPECT_EQ(checksum("abc"), 0x44bc2cf5ad770999u);
  EXPECT_EQ(checksum("Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1u);
}

TEST(IndexFile, KeepsManifestsWithoutTheirText) {
  const auto index = read(small_index());
  ASSERT_NE(index, nullptr);
  ASSERT_EQ(index->directories().size(), 2u);
  const IndexFile::Directory* plugins = index->find("/plugins");
  ASSERT_NE(plugins, nullptr);
  ASSERT_EQ(plugins->size(), 2u);
  EXPECT_EQ(index->find("/plugin"), nullptr);
  for (const std::size_t expected : {0, 1, 2, 9}) {
    EXPECT_EQ(plugins->find("blur.so", expected), 0u);
    EXPECT_EQ(plugins->find("blur/libssl.so", expected), 1u);
    EXPECT_EQ(plugins->find("blur", expected), 2u);
  }
  const IndexFile::Entry entry = plugins->entry(0);
  EXPECT_EQ(entry.identity, (FileIdentity{1, 2, 3, 4, 5}));
  const auto manifest = index->decode(entry);
  ASSERT_NE(manifest, nullptr);
  EXPECT_TRUE(same_manifest(*manifest, rich_manifest()));
  EXPECT_EQ(manifest->requirements[1].versions.to_string(), "^1.4 || >=3, <4");
  EXPECT_EQ(manifest->text, "");
  EXPECT_TRUE(plugins->entry(1).manifest.empty());
  EXPECT_EQ(index->find("/more")->entry(0).name, "");
}

TEST(IndexFile, StatesTheVersionOfTheLibrary) {
  EXPECT_EQ(small_index().find("photo" VERSION "/plugins"), small_index().find("photo"));
}

TEST(IndexFile, IsRefusedIfCutAtAnyByte) {
  const std::string content = small_index();
  for (std::size_t size = 0; size < content.size(); ++size) {
    EXPECT_EQ(read(std::string_view(content).substr(0, size)), nullptr) << size;
  }
  EXPECT_EQ(read(content + '\0'), nullptr);
}

TEST(IndexFile, IsRefusedIfAnyByteChanged) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::minstd_rand random(seed);
  const std::string content = small_index();
  for (std::size_t i = 0; i < content.size(); ++i) {
    std::string changed = content;
    changed[i] = static_cast<char>(changed[i] ^ (1 + random() % 255));
    EXPECT_EQ(read(changed), nullptr) << i;
  }
}

/// Corrects the checksum of an index, so that only its content is wrong.
std::string with_checksum(std::string content) {
  const std::uint64_t sum = checksum(std::string_view(content).substr(32));
  std::memcpy(content.data() + 24, &sum, sizeof sum);
  return content;
}

TEST(IndexFile, IsReadWithinBoundsIfItIsForged) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::minstd_rand random(seed);
  const std::string content = small_index();
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string changed = content;
    for (int byte = 0; byte < 3; ++byte)
      changed[32 + random() % (changed.size() - 32)] = static_cast<char>(random());
    const auto index = read(with_checksum(changed));
    if (index == nullptr) continue;
    ++accepted;
    for (const IndexFile::Directory& directory : index->directories()) {
      for (std::size_t file = 0; file < directory.size(); ++file) {
        const auto manifest = index->decode(directory.entry(file));
        EXPECT_TRUE(manifest == nullptr || !manifest->provides.empty());
      }
    }
  }
  EXPECT_GT(accepted, 0);
}

TEST(IndexFile, IsRefusedFromOthers) {
  const std::string content = small_index();
  EXPECT_EQ(read(content, "blur"), nullptr);
  const auto changed = [&content](std::size_t offset) {
    std::string other = content;
    ++other[offset];
    return read(with_checksum(other));
  };
  EXPECT_EQ(changed(0), nullptr);   // another sort of file
  EXPECT_EQ(changed(8), nullptr);   // a format of the future
  EXPECT_EQ(changed(12), nullptr);  // another sort of machine
  EXPECT_NE(read(with_checksum(content)), nullptr);
  std::string newer = content;  // a version of the library of the same length
  const std::size_t version = newer.find("photo") + std::strlen("photo");
  newer[version] = '9';
  EXPECT_EQ(read(with_checksum(newer)), nullptr);
}

/// Scans the plugins of a world as hosts do, with an index in its directory `cache`.
class Index : public testing::Test {
 protected:
  Index() {
    setenv("XDG_CACHE_HOME", cache().c_str(), 1);
    fs::create_directory(cache());
  }
  ~Index() override { unsetenv("XDG_CACHE_HOME"); }

  fs::path cache() const { return world.root() / "cache"; }
  fs::path index() const { return cache() / "tenon" / "photo.index"; }

  /// Scans as a new process does, when all files are `age` old.
  Scan scan(std::chrono::seconds age = std::chrono::seconds(10),
            const std::string& app = "photo") const {
    detail::KnownFiles known(app);
    return detail::scan({{world.plugins(), true}}, {}, known,
                        std::chrono::system_clock::now() + age);
  }
  /// Returns how many files of a scan the index had.
  static std::ptrdiff_t indexed(const Scan& scan) {
    return std::ranges::count_if(scan.modules, &detail::FoundModule::is_indexed) +
           std::ranges::count_if(scan.libraries, &detail::FoundLibrary::is_indexed);
  }
  static ino_t inode_of(const fs::path& file) {
    struct stat status {};
    stat(file.c_str(), &status);
    return status.st_ino;
  }
  void place(const char* name, const std::string& module = "good") const {
    fs::create_directories((world.plugins() / name).parent_path());
    fs::copy_file(fault(module), world.plugins() / name);
  }

  const World world;
};

std::string text_of(const Scan& scan) {
  std::string text;
  for (const detail::FoundModule& module : scan.modules) {
    const Manifest& manifest = *module.manifest;
    text += module.file + " " + manifest.name + " " + manifest.version.to_string() + " " +
            manifest.version_directory + (manifest.in_development ? " dev" : "") + "\n";
    for (const detail::Provided& plugin : manifest.provides)
      text += "  " + plugin.kind + " " + plugin.name + " " + std::to_string(plugin.version) + "\n";
  }
  for (const Error& error : scan.skipped) text += error.to_string() + "\n";
  for (const auto& [name, broken] : scan.broken) text += name + "\n";
  return text;
}

TEST_F(Index, GivesTheSameScan) {
  place("a.so");
  place("broken.so", "broken-manifest");
  place("library.so", "some-library");
  place("blur/libblur.so");
  place("blur/lib.so", "some-library");
  place("tools/1.0.0/libtools.so");
  place("tools/2.0.0/libtools.so", "good-edition-2");
  place("tools/3.0.0/libtools.so");
  place("tools/dev/libtools.so");
  const Scan first = scan();
  EXPECT_EQ(indexed(first), 0);
  const ino_t written = inode_of(index());
  EXPECT_EQ(fs::status(index()).permissions(), fs::perms(0600));
  const Scan second = scan();
  EXPECT_EQ(indexed(second), 5);  // not broken files, nor those in development
  EXPECT_EQ(text_of(second), text_of(first));
  ASSERT_EQ(second.modules.size(), first.modules.size());
  for (std::size_t i = 0; i < first.modules.size(); ++i) {
    EXPECT_TRUE(same_manifest(*first.modules[i].manifest, *second.modules[i].manifest));
    EXPECT_EQ(first.modules[i].identity, second.modules[i].identity);
  }
  EXPECT_EQ(inode_of(index()), written);  // it is not written again
}

TEST_F(Index, HasEachOfAThousandFiles) {
  // Files are read in parts of 32, and known ones looked at in parts of 512.
  place("package/lib.so", "some-library");
  place("a.so");
  for (int i = 0; i < 700; ++i) {
    const std::string name = std::to_string(i) + ".so";
    fs::create_hard_link(world.plugins() / "a.so", world.plugins() / ("b" + name));
    fs::create_hard_link(world.plugins() / "package/lib.so", world.plugins() / "package" / name);
  }
  const Scan first = scan();
  EXPECT_EQ(first.modules.size(), 701u);
  EXPECT_EQ(first.libraries.size(), 701u);
  const Scan second = scan();
  EXPECT_EQ(indexed(second), 1402);
  EXPECT_EQ(text_of(second), text_of(first));
  EXPECT_TRUE(std::ranges::equal(second.libraries, first.libraries, {}, &detail::FoundLibrary::file,
                                 &detail::FoundLibrary::file));
}

// -- Other processes between two steps ----------------------------------------

/// A point of a scan that writes the index.
class InterleavedIndex : public Index, public testing::WithParamInterface<const char*> {};

TEST_P(InterleavedIndex, AReaderSeesTheOldIndexOrTheNewOne) {
  place("a.so");
  ASSERT_EQ(indexed(scan()), 0);
  place("b.so", "good-edition-2");
  std::ptrdiff_t seen = -1;
  const Window window(GetParam(), [&] {
    detail::KnownFiles known("photo");
    const auto when = std::chrono::system_clock::now() + std::chrono::seconds(10);
    seen = indexed(detail::scan({{world.plugins(), true}}, {}, known, when));
  });
  scan();
  EXPECT_TRUE(window.reached());
  EXPECT_EQ(seen, 1) << "that of the first scan";
  EXPECT_EQ(indexed(scan()), 2);
}

TEST_P(InterleavedIndex, AnotherAppWritesItsOwn) {
  place("a.so");
  const Window window(GetParam(), [&] { scan(std::chrono::seconds(10), "video"); });
  scan();
  EXPECT_TRUE(window.reached());
  EXPECT_EQ(indexed(scan()), 1);
  EXPECT_EQ(indexed(scan(std::chrono::seconds(10), "video")), 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(cache() / "tenon"), {}), 2);
}

TEST_P(InterleavedIndex, TheEndOfTheDirectoryIsNoFailure) {
  place("a.so");
  const Window window(GetParam(), [&] { fs::remove_all(cache() / "tenon"); });
  EXPECT_EQ(scan().modules.size(), 1u);
  EXPECT_TRUE(window.reached());
  scan();
  EXPECT_EQ(indexed(scan()), 1);
}

INSTANTIATE_TEST_SUITE_P(Points, InterleavedIndex, testing::Values("index: made", "cache: written"),
                         [](const auto& point) { return std::string(point.param + 7); });

TEST_F(Index, IsReadWholeIfItIsReplacedMeanwhile) {
  place("a.so");
  ASSERT_EQ(indexed(scan()), 0);
  const Window window("cache: opened", [&] {
    place("b.so", "good-edition-2");
    scan();
  });
  EXPECT_EQ(indexed(scan()), 1) << "those of the old index";
  EXPECT_TRUE(window.reached());
  EXPECT_EQ(indexed(scan()), 2);
}

TEST_F(Index, IsUpdatedWithTheFiles) {
  place("a.so");
  place("b.so", "good-edition-2");
  scan();
  fs::remove(world.plugins() / "a.so");
  place("c.so");
  EXPECT_EQ(indexed(scan()), 1);
  const Scan last = scan();
  EXPECT_EQ(indexed(last), 2);
  EXPECT_EQ(last.modules.size(), 2u);
  fs::remove(world.plugins() / "b.so");
  fs::remove(world.plugins() / "c.so");
  scan();
  EXPECT_EQ(read(read_file(index()))->directories().size(), 0u);
}

TEST_F(Index, ReadsAFileThatWasReplacedInPlace) {
  place("a.so");
  const fs::path file = world.plugins() / "a.so";
  struct stat before {};
  ASSERT_EQ(stat(file.c_str(), &before), 0);
  scan();
  std::string content = read_file(file);
  const std::size_t version = content.find("\"version\":\"1.0.0\"");
  ASSERT_NE(version, content.npos);
  content[version + 11] = '7';
  std::ofstream(file, std::ios::binary | std::ios::in) << content;
  const timespec times[] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  const Scan found = scan();
  EXPECT_EQ(indexed(found), 0);
  ASSERT_EQ(found.modules.size(), 1u);
  EXPECT_EQ(found.modules[0].manifest->version.to_string(), "7.0.0");
}

TEST_F(Index, DoesNotKeepFilesThatMayChangeUnnoticed) {
  place("a.so");
  scan(std::chrono::seconds(1));
  EXPECT_FALSE(fs::exists(index()));
  scan(std::chrono::seconds(-60));  // from the future
  EXPECT_FALSE(fs::exists(index()));
}

TEST_F(Index, MayHideOrMisdescribeButIsReadAgainByALoad) {
  place("a.so");
  const Scan first = scan();
  Manifest wrong = *first.modules[0].manifest;
  wrong.name = "me.example/other";
  IndexWriter writer;
  writer.begin_directory(first.directories[0].canonical);
  writer.add("a.so", first.modules[0].identity, &wrong);
  std::ofstream(index(), std::ios::binary) << writer.finish("photo");
  const Scan second = scan();
  ASSERT_EQ(second.modules.size(), 1u);
  EXPECT_EQ(second.modules[0].manifest->name, "me.example/other");
  EXPECT_EQ(second.modules[0].manifest->text, "");
}

TEST_F(Index, KeepsOtherDirectoriesUpToALimit) {
  for (int i = 0; i < 20; ++i) {
    const fs::path file = world.path("other/" + std::to_string(i) + "/a.so");
    fs::copy_file(fault("good"), file);
    detail::KnownFiles known("photo");
    const auto now = std::chrono::system_clock::now() + std::chrono::seconds(10);
    detail::scan({{file.parent_path(), true}}, {}, known, now);
  }
  const auto kept = read(read_file(index()));
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->directories().size(), 16u);
  EXPECT_TRUE(kept->directories()[0].path().ends_with("other/19"));
  EXPECT_TRUE(kept->directories()[15].path().ends_with("other/4"));
}

TEST_F(Index, IsMadeAgainWhateverTakesItsPlace) {
  place("a.so");
  scan();
  const std::string good = read_file(index());
  const auto expect_again = [&](const char* what) {
    SCOPED_TRACE(what);
    const Scan found = scan();
    EXPECT_EQ(indexed(found), 0);
    EXPECT_EQ(found.modules.size(), 1u);
    EXPECT_EQ(indexed(scan()), 1);
    fs::remove(index());
  };
  std::ofstream(index()) << "no index";
  expect_again("another file");
  std::ofstream(index()) << "";
  expect_again("an empty file");
  fs::create_symlink(world.write("elsewhere", good), index());
  expect_again("a link");
  EXPECT_EQ(world.read("elsewhere"), good);
  ASSERT_EQ(mkfifo(index().c_str(), 0600), 0);
  expect_again("a pipe");
  std::ofstream(index()) << good;
  fs::permissions(index(), fs::perms(0620));
  expect_again("a file of a group");
  std::ofstream(index()) << good;
  fs::permissions(index(), fs::perms(0602));
  expect_again("a file of everybody");
  if (geteuid() == 0) {
    std::ofstream(index()) << good;
    ASSERT_EQ(chown(index().c_str(), 65534, 0), 0);
    expect_again("a file of another user");
  }
}

TEST_F(Index, IsNotUsedInADirectoryOfOthers) {
  place("a.so");
  const auto expect_none = [&](const char* what) {
    SCOPED_TRACE(what);
    for (int i = 0; i < 2; ++i) {
      const Scan found = scan();
      EXPECT_EQ(indexed(found), 0);
      EXPECT_EQ(found.modules.size(), 1u);
      EXPECT_TRUE(found.skipped.empty());
    }
    EXPECT_FALSE(fs::exists(index()));
    fs::remove(cache() / "tenon");
  };
  fs::create_directory(cache() / "tenon");
  fs::permissions(cache() / "tenon", fs::perms::all);
  expect_none("everybody may write");
  fs::create_directory_symlink(world.path("elsewhere/x").parent_path(), cache() / "tenon");
  expect_none("a link");
  std::ofstream(cache() / "tenon") << "";
  expect_none("a file");
  ASSERT_EQ(mkfifo((cache() / "tenon").c_str(), 0600), 0);
  expect_none("a pipe");
  if (geteuid() == 0) {
    fs::create_directory(cache() / "tenon");
    fs::permissions(cache() / "tenon", fs::perms(0700));
    ASSERT_EQ(chown((cache() / "tenon").c_str(), 65534, 0), 0);
    expect_none("a directory of another user");
  }
  fs::remove(cache());
  EXPECT_EQ(indexed(scan()), 0);
  EXPECT_EQ(indexed(scan()), 1);  // missing directories are created
}

TEST_F(Index, IsOnlyReadInAReadOnlyDirectory) {
  place("a.so");
  place("b.so", "good-edition-2");
  scan();
  fs::remove(world.plugins() / "b.so");
  const std::string before = read_file(index());
  fs::permissions(cache() / "tenon", fs::perms(0500));
  // As root, the scan of another user's thread could not read the index either.
  if (geteuid() != 0) {
    EXPECT_EQ(indexed(scan()), 1);
    EXPECT_EQ(read_file(index()), before);
  }
  fs::permissions(cache() / "tenon", fs::perms(0700));
}

TEST_F(Index, BelongsToOneApp) {
  place("a.so");
  scan();
  EXPECT_EQ(indexed(scan(std::chrono::seconds(10), "blur")), 0);
  fs::copy_file(index(), cache() / "tenon" / "other.index");
  EXPECT_EQ(indexed(scan(std::chrono::seconds(10), "other")), 0);
  for (const char* name : {"", "..", "../photo", "a/b"})
    EXPECT_EQ(indexed(scan(std::chrono::seconds(10), name)), 0);
  EXPECT_FALSE(fs::exists(cache() / "photo.index"));
}

TEST_F(Index, IsWrittenByTwoProcessesAtOnce) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer allows no new thread in a forked child";
#endif
  place("a.so");
  place("b.so", "good-edition-2");
  std::vector<pid_t> children;
  for (const char* name : {"c.so", "d.so", "e.so"}) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    bool good = true;
    for (int i = 0; i < 50; ++i) {
      place(name);
      good = good && scan().modules.size() >= 3;
      fs::remove(world.plugins() / name);
      const std::string content = read_file(index());
      good = good && read(content) != nullptr;
    }
    _exit(good ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  scan();
  EXPECT_EQ(indexed(scan()), 2);
}

TEST_F(Index, LosesNothingIfTheProcessIsKilled) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer allows no new thread in a forked child";
#endif
  place("a.so");
  scan();
  const auto left = [this] {
    return std::distance(fs::directory_iterator(index().parent_path()), fs::directory_iterator());
  };
  const std::string root = cache().string();
  bool killed = true;
  long at = 0;
  std::ptrdiff_t most_left = 0;
  while (killed) {
    ++at;
    SCOPED_TRACE(at);
    const std::string name = "b" + std::to_string(at) + ".so";
    place(name.c_str(), "good-edition-2");
    killed = is_killed_in([&] {
      faulty_begin(root.c_str(), "", nullptr, at, FAULTY_KILL);
      scan();
    });
    most_left = std::max<std::ptrdiff_t>(most_left, left());
    EXPECT_NE(read(read_file(index())), nullptr);
    fs::remove(world.plugins() / name);
    EXPECT_GE(indexed(scan()), 1);
    place(name.c_str(), "good-edition-2");
    scan();  // writes the index, and removes what was left
    EXPECT_EQ(left(), 1);
    fs::remove(world.plugins() / name);
  }
  EXPECT_GT(at, 5);
  EXPECT_EQ(most_left, 2);
}

TEST_F(Index, IsNoProblemIfARequestFails) {
  place("a.so");
  std::optional<Scan> found;
  for_each_fault(cache(), {.prepare =
                               [&] {
                                 fs::remove(world.plugins() / "b.so");
                                 scan();
                                 place("b.so", "good-edition-2");
                               },
                           .run = [&] { found = scan(); },
                           .check =
                               [&](const Fault* fault) {
                                 if (!found) {
                                   EXPECT_TRUE(fault && fault->failure == Failure::no_memory);
                                   return;
                                 }
                                 EXPECT_EQ(found->modules.size(), 2u);
                                 EXPECT_TRUE(found->skipped.empty());
                                 found.reset();
                                 fs::remove_all(cache() / "tenon");
                               }});
}

}}  // namespace tenon::tests
