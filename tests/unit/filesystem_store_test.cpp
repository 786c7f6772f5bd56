// SPDX-License-Identifier: BSL-1.0
//
// The builtin object store on a real file system, used through a host.
#ifndef _WIN32
#include <sys/stat.h>
#endif

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "unit/object_stores.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

using FilesystemStore = ObjectStores;

TEST_F(FilesystemStore, RequiresAnExistingDirectory) {
  const auto without = try_create({});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().code(), "invalid-argument");
  EXPECT_NE(without.error().to_string().find("\"directory\" is required"), std::string::npos);
  const auto missing = try_create({{"directory", world_.path("none").string()}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), "invalid-argument");
  EXPECT_NE(missing.error().to_string().find("none: create it, or mount the disk"),
            std::string::npos)
      << missing.error().to_string();
  EXPECT_FALSE(fs::exists(world_.root() / "none"));
  const auto cut = try_create({{"directory", world_.root().string() + std::string("\0a", 2)}});
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().message(), "parameter \"directory\" has a NUL character");
}

TEST_F(FilesystemStore, KeepsObjectsAcrossInstances) {
  const std::string large(300'000, 'x');
  ASSERT_TRUE(put("backups/nightly/contents", large));
  ASSERT_TRUE(put("empty", ""));
  EXPECT_EQ((*create())->list_objects("b", "", "", 0).value().keys,
            (Keys{"backups/nightly/contents", "empty"}));
  EXPECT_EQ(get("backups/nightly/contents"), large);
  EXPECT_EQ(get("empty"), "");
  EXPECT_EQ(read_file(in_bucket("backups/nightly/contents")), large);
  EXPECT_EQ(partial_files(), 0u);
  ASSERT_TRUE(put("empty", "not any more"));
  EXPECT_EQ(get("empty"), "not any more");
}

TEST_F(FilesystemStore, ReportsMissingObjectsAndBuckets) {
  ASSERT_TRUE(put("a/b"));
  for (const char* key : {"a", "a/c", "b/c", "a/b/c"}) {
    EXPECT_EQ(get(key), "error not-found") << key;
    EXPECT_EQ(code_of(store().object_info("b", key)), "not-found") << key;
    EXPECT_EQ(code_of(store().delete_object("b", key)), "ok") << key;
  }
  EXPECT_EQ(code_of(store().get_object("none", "a/b")), "not-found");
  EXPECT_EQ(code_of(store().delete_object("none", "a/b")), "ok");
  EXPECT_EQ(store().list_objects("none", "", "", 0).value().keys, Keys{});
  EXPECT_EQ(store().list_common_prefixes("none", "", "/").value(), Keys{});
  EXPECT_EQ(code_of(store().create_signed_url("b", "a/b", Duration(1))), "unimplemented");
  EXPECT_EQ(get("a/b"), "content");
}

TEST_F(FilesystemStore, IsUnavailableWithoutItsDirectory) {
  ASSERT_TRUE(put("a"));
  fs::rename(directory(), world_.path("unmounted"));
  EXPECT_EQ(get("a"), "error unavailable");
  EXPECT_EQ(code_of(put("a")), "unavailable");
  EXPECT_EQ(code_of(store().object_info("b", "a")), "unavailable");
  EXPECT_EQ(code_of(store().list_objects("b", "", "", 0)), "unavailable");
  EXPECT_EQ(code_of(store().list_common_prefixes("b", "", "/")), "unavailable");
  EXPECT_EQ(code_of(store().delete_object("b", "a")), "unavailable");
  EXPECT_FALSE(fs::exists(directory()));
}

TEST_F(FilesystemStore, ReturnsSizeTimeAndTag) {
  ASSERT_TRUE(put("k", "12345"));
  const auto info = store().object_info("b", "k").value();
  EXPECT_EQ(info.size, 5u);
  EXPECT_EQ(info.modified, fs::file_time_type::clock::to_sys(fs::last_write_time(in_bucket("k"))));
  EXPECT_EQ(store().object_info("b", "k").value(), info);
  ASSERT_TRUE(put("k", "54321"));
  EXPECT_NE(store().object_info("b", "k").value().etag, info.etag);
}

// -- Lists ----------------------------------------------------------------------

TEST_F(FilesystemStore, ListsKeysInByteOrder) {
  const Keys keys = {"0",
                     "a-b",
                     "a-b.c",
                     "a.b",
                     "a/b",
                     "a/b-c",
                     "a/b0",
                     "a0",
                     "a0/",
                     "b!/x",
                     "b-/y",
                     "b/a/a",
                     "b/a.a",
                     "b",
                     "b/a",
                     "z",
                     "\xc3\xa4/\xc3\xb6",
                     "~"};
  Keys put_keys;
  for (const std::string& key : keys) {
    if (put(key)) put_keys.push_back(key);
  }
  std::sort(put_keys.begin(), put_keys.end());
  EXPECT_EQ(put_keys.size(), keys.size() - 3);  // "a0/" is invalid, "b" and "b/a" block others
  EXPECT_EQ(list(), put_keys);
  for (std::uint32_t limit = 1; limit < 6; ++limit) EXPECT_EQ(list("", limit), put_keys) << limit;
}

TEST_F(FilesystemStore, ListsFromAnyKeyWithAnyPrefix) {
  const Keys keys = {"a-b", "a.b", "a/b/c", "a/b/d", "a/c-", "a/c/d", "a0", "b"};
  for (const std::string& key : keys) ASSERT_TRUE(put(key)) << key;
  for (const std::string prefix : {"", "a", "a/", "a/b", "a/b/", "a/b/c", "a/c", "b", "a/b/c/", "c",
                                   "/", "../", "a//", "a/../"}) {
    for (const std::string after : {"", "a", "a-b", "a/", "a/b", "a/b/", "a/b/c", "a/b/c0", "a/b0",
                                    "a/c", "a/c/", "a/d", "a/\U0010ffff", "b", "c"}) {
      Keys expected;
      for (const std::string& key : keys) {
        if (key.starts_with(prefix) && key > after) expected.push_back(key);
      }
      EXPECT_EQ(list(prefix, 0, after), expected) << prefix << " after " << after;
      EXPECT_EQ(list(prefix, 1, after), expected) << prefix << " after " << after;
    }
  }
}

TEST_F(FilesystemStore, ReportsWhetherKeysFollowAPage) {
  for (const char* key : {"a/1", "a/2", "b/3"}) ASSERT_TRUE(put(key));
  fs::create_directories(in_bucket("a/empty"));
  const auto expect = [&](std::string_view prefix, std::uint32_t limit, std::string_view after,
                          const Keys& keys, bool more) {
    const auto page = store().list_objects("b", prefix, after, limit).value();
    EXPECT_EQ(page.keys, keys);
    EXPECT_EQ(page.more, more);
  };
  expect("", 2, "", {"a/1", "a/2"}, true);
  expect("", 3, "", {"a/1", "a/2", "b/3"}, false);
  expect("a/", 2, "", {"a/1", "a/2"}, false);
  expect("", 2, "a/2", {"b/3"}, false);
  expect("", 2, "b/3", {}, false);
}

TEST_F(FilesystemStore, ListsCommonPrefixes) {
  for (const char* key : {"a/f-1/x", "a/f-1/y", "a/f-2/z", "b/q", "a/file", "c--d--e", "c--f"}) {
    ASSERT_TRUE(put(key));
  }
  fs::create_directories(in_bucket("a/empty/inside"));
  const auto prefixes = [&](std::string_view prefix, std::string_view delimiter) {
    return store().list_common_prefixes("b", prefix, delimiter).value();
  };
  EXPECT_EQ(prefixes("a/", "/"), (Keys{"a/f-1/", "a/f-2/"}));
  EXPECT_EQ(prefixes("", "/"), (Keys{"a/", "b/"}));
  EXPECT_EQ(prefixes("a", "/"), (Keys{"a/"}));
  EXPECT_EQ(prefixes("a/f", "/"), (Keys{"a/f-1/", "a/f-2/"}));
  EXPECT_EQ(prefixes("", "--"), (Keys{"c--"}));
  EXPECT_EQ(prefixes("c--", "--"), (Keys{"c--d--"}));
  EXPECT_EQ(prefixes("a/", "-"), (Keys{"a/f-"}));
  EXPECT_EQ(prefixes("x", "/"), Keys{});
  EXPECT_EQ(code_of(store().list_common_prefixes("b", "", "")), "invalid-argument");
}

/// Returns the seconds needed to list all keys in pages of `limit`.
double seconds_to_list(ObjectStore& store, std::uint32_t limit, std::size_t expected) {
  const auto begin = std::chrono::steady_clock::now();
  std::size_t count = 0;
  std::string after;
  for (bool more = true; more;) {
    auto page = store.list_objects("b", "", after, limit).value();
    count += page.keys.size();
    more = page.more;
    if (more) after = page.keys.back();
  }
  EXPECT_EQ(count, expected);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST_F(FilesystemStore, ListsLaterPagesWithoutReadingEarlierKeys) {
  constexpr int directories = 200;
  for (int i = 0; i < directories; ++i) {
    const fs::path directory = in_bucket("backup-" + std::to_string(1000 + i));
    fs::create_directories(directory);
    for (int j = 0; j < 50; ++j) std::ofstream(directory / std::to_string(j));
  }
  const double at_once = seconds_to_list(store(), 0, 10'000);
  const double in_pages = seconds_to_list(store(), 50, 10'000);
  // If each page read all keys before it, each of the 200 pages would take as long as the whole
  // list.
  EXPECT_LT(in_pages, 20 * at_once + 0.5);
}

// -- Invalid keys -----------------------------------------------------------------

struct Refused {
  std::string key;
  const char* reason;
};

class RefusedKeys : public ObjectStores, public testing::WithParamInterface<Refused> {};

TEST_P(RefusedKeys, AreRefusedByEachMethod) {
  ASSERT_TRUE(put("good"));
  world_.write("outside", "secret");
  const std::string& key = GetParam().key;
  const auto failed = put(key);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), "invalid-argument");
  EXPECT_NE(failed.error().message().find(GetParam().reason), std::string::npos)
      << failed.error().message();
  EXPECT_EQ(get(key), "error invalid-argument");
  EXPECT_EQ(code_of(store().object_info("b", key)), "invalid-argument");
  EXPECT_EQ(code_of(store().delete_object("b", key)), "invalid-argument");
  EXPECT_EQ(list(key), Keys{});
  EXPECT_EQ(list(), Keys{"good"});
  EXPECT_EQ(world_.read("outside"), "secret");
}

INSTANTIATE_TEST_SUITE_P(
    Table, RefusedKeys,
    testing::Values(Refused{".", "a part \".\""}, Refused{"..", "a part \"..\""},
                    Refused{"../../outside", "a part \"..\""}, Refused{"a/../b", "a part \"..\""},
                    Refused{"a/./b", "a part \".\""}, Refused{"a/..", "a part \"..\""},
                    Refused{"/etc/passwd", "an empty part"}, Refused{"a/", "an empty part"},
                    Refused{"a//b", "an empty part"}, Refused{"/", "an empty part"},
                    Refused{std::string("a\0b", 3), "a NUL byte"},
                    Refused{"a/" + std::string(256, 'x'), "a part of 256 bytes"},
                    Refused{[] {
                              std::string key(1025, 'x');
                              for (std::size_t i = 200; i < key.size(); i += 200) key[i] = '/';
                              return key;
                            }(),
                            "has 1025 bytes"}));

TEST_F(FilesystemStore, RefusesAnEmptyKey) {
  const auto failed = put("");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), "invalid-argument");
  EXPECT_NE(failed.error().message().find("the key is empty"), std::string::npos)
      << failed.error().message();
  EXPECT_EQ(get(""), "error invalid-argument");
}

TEST_F(FilesystemStore, RefusesInvalidBuckets) {
  ASSERT_TRUE(put("k"));
  for (const std::string& bucket :
       {std::string(), std::string("."), std::string(".."), std::string("a/b"), std::string("/"),
        std::string(".tenon-partial"), std::string("a\0b", 3), std::string(300, 'x')}) {
    EXPECT_EQ(code_of(store().put_object(bucket, "k", std::make_unique<TextReader>("x"))),
              "invalid-argument")
        << bucket;
    EXPECT_EQ(code_of(store().get_object(bucket, "k")), "invalid-argument") << bucket;
    EXPECT_EQ(code_of(store().list_objects(bucket, "", "", 0)), "invalid-argument") << bucket;
    EXPECT_EQ(code_of(store().list_common_prefixes(bucket, "", "/")), "invalid-argument") << bucket;
    EXPECT_EQ(code_of(store().delete_object(bucket, "k")), "invalid-argument") << bucket;
  }
}

TEST_F(FilesystemStore, AcceptsTheLongestKey) {
  std::string key(1024, 'x');
  for (const std::size_t i : {255, 511, 767, 1000}) key[i] = '/';
  ASSERT_TRUE(put(key));
  EXPECT_EQ(get(key), "content");
  EXPECT_EQ(list(), Keys{key});
  ASSERT_TRUE(put("." + std::string(254, 'x') + "/.hidden"));
  EXPECT_EQ(list(".").size(), 1u);
}

TEST_F(FilesystemStore, RefusesAKeyThatIsADirectoryOfAnother) {
  ASSERT_TRUE(put("a"));
  const auto below = put("a/b/c");
  EXPECT_EQ(code_of(below), "failed-precondition");
  EXPECT_NE(below.error().message().find("/b/a, which is an object"), std::string::npos)
      << below.error().message();
  ASSERT_TRUE(put("d/e"));
  const auto above = put("d");
  EXPECT_EQ(code_of(above), "failed-precondition");
  EXPECT_NE(above.error().message().find("/b/d, which is a directory"), std::string::npos)
      << above.error().message();
  EXPECT_EQ(list(), (Keys{"a", "d/e"}));
  EXPECT_EQ(partial_files(), 0u);
  ASSERT_TRUE(store().delete_object("b", "d/e"));
  EXPECT_TRUE(put("d"));
}

TEST_F(FilesystemStore, ReplacesAnEmptyDirectoryByAnObject) {
  fs::create_directories(in_bucket("a/b/c"));  // like the directories of a killed put
  ASSERT_TRUE(put("a"));
  EXPECT_EQ(get("a"), "content");
}

TEST_F(FilesystemStore, RemovesEmptyDirectories) {
  for (const char* key : {"a/b/c/d", "a/e"}) ASSERT_TRUE(put(key));
  ASSERT_TRUE(store().delete_object("b", "a/b/c/d"));
  EXPECT_FALSE(fs::exists(in_bucket("a/b")));
  ASSERT_TRUE(store().delete_object("b", "a/e"));
  EXPECT_FALSE(fs::exists(in_bucket("a")));
  EXPECT_TRUE(fs::exists(in_bucket("")));
}

// -- Files of other programs ------------------------------------------------------

TEST_F(FilesystemStore, DoesNotFollowLinks) {
  ASSERT_TRUE(put("good"));
  world_.write("outside/secret", "secret");
  fs::create_directory_symlink(world_.path("outside"), in_bucket("directory"));
  fs::create_symlink(world_.path("outside/secret"), in_bucket("file"));
  for (const char* key : {"directory/secret", "file"}) {
    const auto read = store().get_object("b", key);
    ASSERT_FALSE(read) << key;
    EXPECT_EQ(read.error().code(), "failed-precondition") << key;
    EXPECT_NE(read.error().message().find("is a symbolic link"), std::string::npos);
    EXPECT_EQ(code_of(store().object_info("b", key)), "failed-precondition") << key;
  }
  EXPECT_EQ(code_of(put("directory/new")), "failed-precondition");
  EXPECT_EQ(code_of(store().delete_object("b", "directory/secret")), "failed-precondition");
  EXPECT_EQ(list(), Keys{"good"});
  EXPECT_EQ(list("directory/"), Keys{});
  EXPECT_EQ(store().list_common_prefixes("b", "", "/").value(), Keys{});
  ASSERT_TRUE(put("file", "in the place of the link"));
  EXPECT_EQ(world_.read("outside/secret"), "secret");
  EXPECT_EQ(get("file"), "in the place of the link");
  EXPECT_FALSE(fs::exists(world_.root() / "outside/new"));
}

TEST_F(FilesystemStore, DoesNotFollowALinkAsABucket) {
  world_.write("outside/secret", "secret");
  fs::create_directory_symlink(world_.path("outside"), directory() / "b");
  EXPECT_EQ(get("secret"), "error failed-precondition");
  EXPECT_EQ(code_of(put("new")), "failed-precondition");
  EXPECT_EQ(code_of(store().list_objects("b", "", "", 0)), "failed-precondition");
  EXPECT_EQ(partial_files(), 0u);
}

#ifndef _WIN32  // it has neither such files nor such names
TEST_F(FilesystemStore, ListsOnlyValidObjects) {
  ASSERT_TRUE(put("good"));
  ASSERT_EQ(mkfifo(in_bucket("fifo").c_str(), 0600), 0);
  std::ofstream(in_bucket("not-\xff-text")) << "x";
  std::ofstream(in_bucket("of-others")) << "x";
  EXPECT_EQ(list(), (Keys{"good", "of-others"}));
  EXPECT_EQ(get("fifo"), "error failed-precondition");
}
#endif

// -- Concurrency --------------------------------------------------------------------

TEST_F(FilesystemStore, ReadersFinishTheObjectThatTheyOpened) {
  const std::string old(10'000, 'o');
  ASSERT_TRUE(put("k", old));
  auto replaced = store().get_object("b", "k").value();
  auto deleted = store().get_object("b", "k").value();
  std::uint8_t first[10];
  ASSERT_EQ(replaced.read(first).value(), 10u);
  ASSERT_TRUE(put("k", "new"));
  EXPECT_EQ(read_rest(replaced), old.substr(10));
  ASSERT_TRUE(store().delete_object("b", "k"));
  EXPECT_EQ(read_rest(deleted), old);
  EXPECT_EQ(get("k"), "error not-found");
}

TEST_F(FilesystemStore, KeepsObjectsCompleteUnderConcurrentPuts) {
  std::atomic<int> writers = 2;
  const auto write = [&](char letter) {
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(put("deep/directory/k", std::string(3000, letter)));
    --writers;
  };
  std::thread first([&] { write('a'); });
  std::thread second([&] { write('b'); });
  while (writers > 0) {
    const std::string content = get("deep/directory/k");
    const bool is_whole = content == std::string(3000, 'a') || content == std::string(3000, 'b');
    EXPECT_TRUE(is_whole || content == "error not-found") << content.substr(0, 30);
    EXPECT_LE(list().size(), 1u);
  }
  first.join();
  second.join();
  EXPECT_EQ(partial_files(), 0u);
}

TEST_F(FilesystemStore, PutsWhileItsDirectoryIsDeleted) {
  std::atomic<bool> done = false;
  std::thread other([&] {
    for (int i = 0; i < 300; ++i) {
      EXPECT_TRUE(put("x/y/of-other"));
      EXPECT_TRUE(store().delete_object("b", "x/y/of-other"));
    }
    done = true;
  });
  int count = 0;
  while (!done) {
    const auto made = put("x/y/z");
    EXPECT_TRUE(made) << made.error().to_string();
    EXPECT_EQ(get("x/y/z"), "content");
    EXPECT_TRUE(store().delete_object("b", "x/y/z"));
    EXPECT_EQ(code_of(store().list_objects("b", "", "", 0)), "ok");
    ++count;
  }
  other.join();
  EXPECT_GT(count, 0);
  EXPECT_EQ(list(), Keys{});
}

TEST_F(FilesystemStore, RequiresABody) {
  EXPECT_EQ(code_of(store().put_object("b", "k", Reader())), "invalid-argument");
}

TEST_F(FilesystemStore, LeavesNothingIfTheBodyFails) {
  ASSERT_TRUE(put("k", "old"));
  for (const char* key : {"k", "new/key"}) {
    EXPECT_EQ(code_of(store().put_object("b", key, std::make_unique<BrokenReader>())), "data-loss");
  }
  EXPECT_EQ(get("k"), "old");
  EXPECT_EQ(list(), Keys{"k"});
  EXPECT_EQ(partial_files(), 0u);
  EXPECT_FALSE(fs::exists(in_bucket("new")));
}

}}  // namespace tenon::tests
