// SPDX-License-Identifier: BSL-1.0
//
// The store with a real server.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "server.hpp"
#include "storing.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

class Store : public Storing {
 protected:
  static constexpr const char* bucket = Server::bucket;

  /// Starts the server before the first test creates its world, so that the worlds are not nested.
  static void SetUpTestSuite() { Server::running(); }

  void SetUp() override {
    server_ = Server::running();
    if (server_ == nullptr) {
      GTEST_SKIP() << "there is no S3 server: python3-swift is not installed";
    }
    ASSERT_NE(server_->endpoint(), "") << "the S3 server did not start";
    store_.emplace(create(server_->config()));
    empty_bucket();
  }

  void empty_bucket() {
    for (bool more = true; more;) {
      auto page = store()->list_objects(bucket, "", "", 0).value();
      for (const std::string& key : page.keys) ASSERT_TRUE(store()->delete_object(bucket, key));
      more = page.more;
    }
  }
  Handle<ObjectStore>& store() { return *store_; }

  void put(std::string_view key, std::string content = "") {
    const auto done = store()->put_object(bucket, key, body(std::move(content)));
    ASSERT_TRUE(done) << key << ": " << done.error().to_string();
  }
  Result<std::string> content(std::string_view key) {
    auto reader = store()->get_object(bucket, key);
    if (!reader) return reader.error();
    return all(*reader);
  }
  Texts keys(std::string_view prefix = "") {
    Texts all;
    for (bool more = true; more;) {
      auto page = store()->list_objects(bucket, prefix, all.empty() ? "" : all.back(), 0).value();
      all.insert(all.end(), page.keys.begin(), page.keys.end());
      more = page.more;
    }
    return all;
  }

  Server* server_ = nullptr;
  std::optional<Handle<ObjectStore>> store_;
};

TEST_F(Store, KeepsObjects) {
  put("a/1", "the content");
  EXPECT_EQ(content("a/1").value(), "the content");
  put("a/1", "other content");
  EXPECT_EQ(content("a/1").value(), "other content");
  put("empty");
  EXPECT_EQ(content("empty").value(), "");
  ASSERT_TRUE(store()->delete_object(bucket, "a/1"));
  EXPECT_EQ(content("a/1").error().code(), "not-found");
  EXPECT_EQ(keys(), Texts{"empty"});
}

TEST_F(Store, DeletesMissingObjects) {
  EXPECT_TRUE(store()->delete_object(bucket, "never"));
  EXPECT_EQ(store()->delete_object("no-bucket", "never").error().code(), "not-found");
}

TEST_F(Store, ReturnsSizeTimeAndTag) {
  const auto before = std::chrono::system_clock::now() - 2s;
  put("k", "the content");
  const ObjectInfoV1 info = store()->object_info(bucket, "k").value();
  EXPECT_EQ(info.size, 11u);
  ASSERT_TRUE(info.modified);
  EXPECT_GE(*info.modified, before);
  EXPECT_LE(*info.modified, std::chrono::system_clock::now() + 2s);
  EXPECT_EQ(info.etag, "da619dfbf5572fc749b1496b0fffd76a");
  put("k", "other content");
  EXPECT_NE(store()->object_info(bucket, "k").value().etag, info.etag);
  EXPECT_EQ(store()->object_info(bucket, "l").error().code(), "not-found");
}

TEST_F(Store, ReportsAMissingBucket) {
  for (const Error& error : {store()->put_object("no-bucket", "k", body("x")).error(),
                             store()->put_object("no-bucket", "k", body(bytes(6 << 20))).error(),
                             store()->get_object("no-bucket", "k").error(),
                             store()->list_objects("no-bucket", "", "", 0).error(),
                             store()->list_common_prefixes("no-bucket", "", "/").error()}) {
    EXPECT_EQ(error.code(), "not-found") << error.to_string();
    EXPECT_NE(error.message().find("NoSuchBucket: "), std::string::npos) << error.message();
  }
}

TEST_F(Store, AcceptsUnusualKeys) {
  Texts all = {"a b",
               "a+b",
               "a%20b",
               "a%b",
               "\xc3\xbc/\xe2\x82\xac",
               "a//b",
               "/a",
               "a/",
               "./a",
               "a/../b",
               "?x=1&y",
               "a#b",
               "a\"<&>'b",
               "a\tb",
               "~a*b()!",
               "a\xf0\x9f\x98\x80"};
  for (const std::string& key : all) put(key, "of " + key);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(keys(), all);
  for (const std::string& key : all) {
    EXPECT_EQ(content(key).value(), "of " + key);
    EXPECT_EQ(store()->object_info(bucket, key).value().size, key.size() + 3) << key;
    EXPECT_EQ(keys(key).front(), key);
    EXPECT_TRUE(store()->delete_object(bucket, key)) << key;
  }
  EXPECT_EQ(keys(), Texts{});
}

TEST_F(Store, ListsInPages) {
  Texts all;
  for (int i = 10; i < 35; ++i) all.push_back("n/" + std::to_string(i));
  for (const std::string& key : all) put(key);
  put("m");
  put("o");
  // The server lists at most 10 keys at once.
  const auto first = store()->list_objects(bucket, "n/", "", 0).value();
  EXPECT_EQ(first.keys, Texts(all.begin(), all.begin() + 10));
  EXPECT_TRUE(first.more);
  EXPECT_EQ(keys("n/"), all);

  const auto two = store()->list_objects(bucket, "n/", "n/19", 2).value();
  EXPECT_EQ(two.keys, (Texts{"n/20", "n/21"}));
  EXPECT_TRUE(two.more);
  const auto last = store()->list_objects(bucket, "n/", "n/33", 5).value();
  EXPECT_EQ(last.keys, Texts{"n/34"});
  EXPECT_FALSE(last.more);
  EXPECT_EQ(store()->list_objects(bucket, "n/", "", UINT32_MAX).value().keys, first.keys);
  EXPECT_EQ(store()->list_objects(bucket, "n/", "n/34", 0).value().keys, Texts{});
}

TEST_F(Store, ListsCommonPrefixes) {
  Texts all;
  for (int i = 10; i < 35; ++i) {
    const std::string directory = "a/f-" + std::to_string(i) + "/";
    all.push_back(directory);
    put(directory + "x");
  }
  put("a/f-10/y");
  put("a/z");
  put("b/q/r");
  EXPECT_EQ(store()->list_common_prefixes(bucket, "a/", "/").value(), all);
  EXPECT_EQ(store()->list_common_prefixes(bucket, "", "/").value(), (Texts{"a/", "b/"}));
  EXPECT_EQ(store()->list_common_prefixes(bucket, "b/", "q/").value(), Texts{"b/q/"});
  EXPECT_EQ(store()->list_common_prefixes(bucket, "c", "/").value(), Texts{});
}

TEST_F(Store, WritesLongObjectsInParts) {
  const std::string long_content = bytes((20 << 20) + 1);
  put("long", long_content);
  EXPECT_EQ(store()->object_info(bucket, "long").value().size, long_content.size());
  EXPECT_TRUE(content("long").value() == long_content);
  EXPECT_EQ(server_->unfinished_uploads(), Texts{});
}

TEST_F(Store, WritesObjectsOfWholeParts) {
  for (const std::size_t size : {5u << 20, (5u << 20) + 1, 10u << 20}) {
    const std::string whole = bytes(size);
    put("whole", whole);
    EXPECT_TRUE(content("whole").value() == whole) << size;
  }
}

TEST_F(Store, LeavesNothingAfterABodyFails) {
  put("k", "before");
  for (const std::size_t size : {0, 1000, 12 << 20}) {
    const Error error = store()->put_object(bucket, "k", broken_body(bytes(size))).error();
    EXPECT_EQ(error.code(), "data-loss");
    EXPECT_NE(error.message().find("a bad sector"), std::string::npos) << error.message();
    EXPECT_EQ(server_->unfinished_uploads(), Texts{}) << size;
    EXPECT_EQ(content("k").value(), "before");
  }
}

TEST_F(Store, RejectsAWrongSecret) {
  TextMap config = server_->config();
  config["secret_access_key"] = "not-the-secret";
  auto wrong = create(config);
  const Error error = wrong->list_objects(bucket, "", "", 0).error();
  EXPECT_EQ(error.code(), "permission-denied") << error.to_string();
  EXPECT_NE(error.message().find("SignatureDoesNotMatch"), std::string::npos) << error.message();
  EXPECT_EQ(error.to_string().find("not-the-secret"), std::string::npos);
  EXPECT_EQ(wrong->put_object(bucket, "k", body("x")).error().code(), "permission-denied");
  EXPECT_EQ(wrong->object_info(bucket, "k").error().code(), "permission-denied");
  EXPECT_EQ(keys(), Texts{});
}

TEST_F(Store, CreatesSignedUrls) {
  put("a b/\xc3\xbc+", "the content");
  const std::string url = store()->create_signed_url(bucket, "a b/\xc3\xbc+", 1h).value();
  const Outcome fetched = world_.run({"curl", "--silent", "--show-error", "--fail", url});
  EXPECT_EQ(fetched.out, "the content") << fetched.err;

  std::string other = url;
  other.replace(other.find("Expires=360"), 11, "Expires=960");
  EXPECT_NE(world_.run({"curl", "--silent", "--fail", other}).exit, 0) << "the URL was changed";

  const std::string brief = store()->create_signed_url(bucket, "a b/\xc3\xbc+", 1ns).value();
  EXPECT_TRUE(eventually([&] {
    return world_.run({"curl", "--silent", brief}).out.find("Request has expired") !=
           std::string::npos;
  })) << "the URL expires";
}

TEST_F(Store, ServesSeveralThreads) {
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number) {
    threads.emplace_back([&, number] {
      const std::string key = "t/" + std::to_string(number);
      for (int i = 0; i < 5; ++i) {
        const std::string text = bytes(70'000 + static_cast<std::size_t>(number));
        EXPECT_TRUE(store()->put_object(bucket, key, body(text)));
        EXPECT_TRUE(content(key).value() == text);
        EXPECT_EQ(store()->list_objects(bucket, key, "", 0).value().keys, Texts{key});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(keys().size(), 8u);
}

TEST_F(Store, ContinuesReadingAfterARestart) {
  const std::string long_content = bytes(4 << 20);
  put("long", long_content);
  auto reader = std::optional(store()->get_object(bucket, "long").value());
  std::uint8_t room[1000];
  const std::size_t count = reader->read(room).value();

  ASSERT_TRUE(host_->restart(s3));

  EXPECT_TRUE(is_mapped("s3.g1"));
  EXPECT_EQ(content("long").value().size(), long_content.size()) << "the new code is configured";
  EXPECT_TRUE(all(*reader).value() == long_content.substr(count));
  reader.reset();
  EXPECT_TRUE(eventually([&] { return !is_mapped("s3.g1"); }));
}

}}  // namespace tenon::tests
