// SPDX-License-Identifier: BSL-1.0
//
// The example of an object store in C, a plugin of version 1, in a host that knows version 2.
#include <tenon/host.hpp>
#include <tenon/object_store.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "framework/world.hpp"
#include "unit/object_stores.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

class FlatStore : public testing::Test {
 protected:
  FlatStore() {
    world_.place(FLAT_STORE);
    fs::create_directory(directory());
    host_.emplace(HostOptions{.app = "", .plugin_path = {world_.plugins()}, .check_calls = true});
    store_.emplace(create({{"directory", directory().string()}}).value());
  }

  fs::path directory() const { return world_.path("objects"); }
  Result<Handle<ObjectStore>> create(const TextMap& config) {
    return host_->create<ObjectStore>("example.io/flat-store", config);
  }
  ObjectStore& store() { return **store_; }
  std::string put(std::string_view key, std::string content = "content") {
    return code_of(store().put_object("b", key, std::make_unique<TextReader>(std::move(content))));
  }
  std::string get(std::string_view key) {
    auto reader = store().get_object("b", key);
    return reader ? read_rest(*reader) : "error " + std::string(reader.error().code());
  }
  Keys list(std::string_view prefix = "") {
    return store().list_objects("b", prefix, "", 0).value().keys;
  }
  Keys files() const {
    Keys names;
    for (const auto& entry : fs::directory_iterator(directory())) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  World world_;

 private:
  std::optional<Host> host_;
  std::optional<Handle<ObjectStore>> store_;
};

TEST_F(FlatStore, NeedsADirectoryThatExists) {
  EXPECT_EQ(code_of(create({})), "invalid-argument");
  EXPECT_EQ(code_of(create({{"directory", world_.path("none").string()}})), "invalid-argument");
}

TEST_F(FlatStore, KeepsItsDirectoryAfterAFailedConfigure) {
  put("k");
  EXPECT_EQ(code_of(store().configure({{"directory", world_.path("none").string()}})),
            "invalid-argument");
  EXPECT_EQ(get("k"), "content");
  fs::create_directory(world_.path("others"));
  EXPECT_EQ(code_of(store().configure({{"directory", world_.path("others").string()}})), "ok");
  EXPECT_EQ(get("k"), "error not-found");
}

TEST_F(FlatStore, KeepsObjects) {
  const std::string large(300'000, 'x');
  EXPECT_EQ(put("web/contents.tar.gz", large), "ok");
  EXPECT_EQ(files(), Keys{"b%2Fweb%2Fcontents.tar.gz"});
  EXPECT_EQ(get("web/contents.tar.gz"), large);
  auto reader = store().get_object("b", "web/contents.tar.gz").value();
  EXPECT_EQ(put("web/contents.tar.gz", "new"), "ok");
  EXPECT_EQ(get("web/contents.tar.gz"), "new");
  EXPECT_EQ(code_of(store().object_info("b", "web/contents.tar.gz")), "ok");
  EXPECT_EQ(code_of(store().delete_object("b", "web/contents.tar.gz")), "ok");
  EXPECT_EQ(code_of(store().delete_object("b", "web/contents.tar.gz")), "ok");
  EXPECT_EQ(read_rest(reader), large);
  EXPECT_EQ(get("web/contents.tar.gz"), "error not-found");
  EXPECT_EQ(code_of(store().object_info("b", "web/contents.tar.gz")), "not-found");
  EXPECT_EQ(code_of(store().create_signed_url("b", "k", Duration(1))), "unimplemented");
  EXPECT_EQ(files(), Keys{});
}

TEST_F(FlatStore, AcceptsAnyKey) {
  const Keys keys = {"..", "../x", "/", "a", "a b", "a%2Fb", "a/", "a/b", "a/b/", "\xc3\xa4"};
  for (const std::string& key : keys) EXPECT_EQ(put(key, "of " + key), "ok") << key;
  EXPECT_EQ(list(), keys);
  for (const std::string& key : keys) EXPECT_EQ(get(key), "of " + key);
  EXPECT_EQ(files().size(), keys.size());
  EXPECT_EQ(put(""), "invalid-argument");
  EXPECT_EQ(put(std::string(252, 'x')), "invalid-argument");
  EXPECT_EQ(put(std::string(251, 'x')), "ok");
  EXPECT_EQ(code_of(store().list_objects("b/a", "", "", 0)), "invalid-argument");
  EXPECT_EQ(code_of(store().get_object("b/a", "b")), "invalid-argument");
}

TEST_F(FlatStore, ListsInOrderAndByPrefix) {
  for (const char* key : {"a/f-2/z", "a/f-1/y", "b/q", "a/f-1/x", "a-", "a.b"}) put(key);
  ASSERT_TRUE(store().put_object("bb", "a/other", std::make_unique<TextReader>("")));
  EXPECT_EQ(list(), (Keys{"a-", "a.b", "a/f-1/x", "a/f-1/y", "a/f-2/z", "b/q"}));
  EXPECT_EQ(list("a/f-1"), (Keys{"a/f-1/x", "a/f-1/y"}));
  const auto page = store().list_objects("b", "a", "a.b", 2).value();
  EXPECT_EQ(page.keys, (Keys{"a/f-1/x", "a/f-1/y"}));
  EXPECT_TRUE(page.more);
  EXPECT_EQ(store().list_common_prefixes("b", "a/", "/").value(), (Keys{"a/f-1/", "a/f-2/"}));
  EXPECT_EQ(store().list_common_prefixes("b", "", "/").value(), (Keys{"a/", "b/"}));
  EXPECT_EQ(store().list_common_prefixes("none", "", "/").value(), Keys{});
  EXPECT_EQ(code_of(store().list_common_prefixes("b", "", "")), "invalid-argument");
}

TEST_F(FlatStore, IgnoresForeignFiles) {
  put("k");
  for (const char* name : {".partial-abc", "b%2fx", "b%2", "b%2F%", "c", "b%2F%41"}) {
    std::ofstream(directory() / name) << "x";
  }
  EXPECT_EQ(list(), Keys{"k"});
}

TEST_F(FlatStore, RemovesAbandonedFiles) {
  std::ofstream(directory() / ".partial-old") << "x";
  std::ofstream(directory() / ".partial-new") << "x";
  fs::last_write_time(directory() / ".partial-old",
                      fs::file_time_type::clock::now() - std::chrono::hours(25));
  ASSERT_TRUE(create({{"directory", directory().string()}}));
  EXPECT_EQ(files(), Keys{".partial-new"});
}

TEST_F(FlatStore, IsUnavailableWithoutItsDisk) {
  put("k");
  fs::rename(directory(), world_.path("unmounted"));
  EXPECT_EQ(get("k"), "error unavailable");
  EXPECT_EQ(put("k"), "unavailable");
  EXPECT_EQ(code_of(store().object_info("b", "k")), "unavailable");
  EXPECT_EQ(code_of(store().delete_object("b", "k")), "unavailable");
  EXPECT_EQ(code_of(store().list_objects("b", "", "", 0)), "unavailable");
}

TEST_F(FlatStore, NeedsABody) {
  EXPECT_EQ(code_of(store().put_object("b", "k", Reader())), "invalid-argument");
}

TEST_F(FlatStore, KeepsTheOldObjectAfterAFailedPut) {
  put("k", "old");
  EXPECT_EQ(code_of(store().put_object("b", "k", std::make_unique<BrokenReader>())), "data-loss");
  EXPECT_EQ(get("k"), "old");
  EXPECT_EQ(files().size(), 1u);
}

}}  // namespace tenon::tests
