// SPDX-License-Identifier: BSL-1.0
//
// Valid configurations of the store, checked through its signed URLs, and invalid ones.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "storing.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

class Settings : public Storing {
 protected:
  static TextMap with(TextMap more) {
    more.insert({{"access_key_id", "KEY"}, {"secret_access_key", "very-secret"}});
    return more;
  }

  /// Returns the signed URL of an object with this configuration, without its query.
  std::string url_of(const TextMap& config, std::string_view bucket = "photos",
                     std::string_view key = "a b/c") {
    return signed_url(config, bucket, key).substr(0, query_begin_);
  }
  std::string signed_url(const TextMap& config, std::string_view bucket = "photos",
                         std::string_view key = "a b/c") {
    std::string url = create(config)->create_signed_url(bucket, key, 1h).value();
    query_begin_ = url.find('?');
    return url;
  }

  void expect_refused(const TextMap& config, std::string_view message) {
    const auto store = host_->create<ObjectStore>(s3, config);
    ASSERT_FALSE(store) << message;
    EXPECT_EQ(store.error().code(), "invalid-argument");
    EXPECT_NE(store.error().to_string().find(message), std::string::npos)
        << store.error().to_string();
    EXPECT_EQ(store.error().to_string().find("very-secret"), std::string::npos);
  }

 private:
  std::size_t query_begin_ = 0;
};

TEST_F(Settings, DefaultToAmazon) {
  EXPECT_EQ(url_of(with({})), "https://photos.s3.us-east-1.amazonaws.com/a%20b/c");
  EXPECT_EQ(url_of(with({{"region", "eu-central-1"}})),
            "https://photos.s3.eu-central-1.amazonaws.com/a%20b/c");
  EXPECT_EQ(url_of(with({{"region", "cn-north-1"}})),
            "https://photos.s3.cn-north-1.amazonaws.com.cn/a%20b/c");
  EXPECT_EQ(url_of(with({{"path_style", "true"}})),
            "https://s3.us-east-1.amazonaws.com/photos/a%20b/c");
}

TEST_F(Settings, AcceptAnotherEndpoint) {
  EXPECT_EQ(url_of(with({{"endpoint", "http://localhost:9000"}})),
            "http://localhost:9000/photos/a%20b/c");
  EXPECT_EQ(url_of(with({{"endpoint", "https://s3.example.org:443/"}})),
            "https://s3.example.org/photos/a%20b/c");
  EXPECT_EQ(url_of(with({{"endpoint", "https://s3.example.org"}, {"path_style", "false"}})),
            "https://photos.s3.example.org/a%20b/c");
  EXPECT_EQ(url_of(with({{"endpoint", "http://[::1]:9000"}})), "http://[::1]:9000/photos/a%20b/c");
}

TEST_F(Settings, WarnOfServersWithoutEncryption) {
  std::string log;
  HostOptions with_log = options();
  with_log.log_sink = [&](const LogLine& line) { log += line.to_string() + "\n"; };
  host_.emplace(std::move(with_log));
  const auto warned = [&](const std::string& endpoint) {
    log.clear();
    EXPECT_TRUE(host_->create<ObjectStore>(s3, with({{"endpoint", endpoint}})));
    EXPECT_EQ(log.find("very-secret"), std::string::npos);
    return log.find("without encryption") != std::string::npos;
  };
  EXPECT_TRUE(warned("http://s3.example.org:9000"));
  EXPECT_TRUE(warned("http://localhost.example.org"));
  EXPECT_TRUE(warned("http://127.0.0.1.example.org"));
  for (const char* endpoint :
       {"https://s3.example.org", "http://localhost", "http://localhost:9000",
        "http://127.0.0.1:9000", "http://[::1]:9000"}) {
    EXPECT_FALSE(warned(endpoint)) << endpoint;
  }
}

TEST_F(Settings, TakeCredentialsFromTheEnvironment) {
  const Variable key("AWS_ACCESS_KEY_ID", "FROM-ENVIRONMENT");
  const Variable secret("AWS_SECRET_ACCESS_KEY", "secret");
  const Variable token("AWS_SESSION_TOKEN", "token-of-environment");
  for (const TextMap& config : {TextMap{}, TextMap{{"region", "us-east-1"}}}) {
    const std::string url = signed_url(config);
    EXPECT_NE(url.find("FROM-ENVIRONMENT%2F"), std::string::npos) << url;
    EXPECT_NE(url.find("token-of-environment"), std::string::npos) << url;
  }
}

TEST_F(Settings, UseATokenOfTheEnvironmentOnlyWithItsKey) {
  const Variable token("AWS_SESSION_TOKEN", "token-of-environment");
  EXPECT_EQ(signed_url(with({})).find("token-of-environment"), std::string::npos);
  EXPECT_NE(signed_url(with({{"session_token", "own"}})).find("Token=own&"), std::string::npos);
}

TEST_F(Settings, RequireCredentials) {
  expect_refused(
      {{"region", "us-east-1"}},
      "parameter \"access_key_id\" is required, or AWS_ACCESS_KEY_ID in the environment");
  expect_refused({{"access_key_id", "KEY"}}, "parameter \"secret_access_key\" is required");
  expect_refused({{"access_key_id", "K\nhost: x"}, {"secret_access_key", "very-secret"}},
                 "parameter \"access_key_id\" has characters other than");
  expect_refused(with({{"session_token", "very-secret \x7f"}}), "parameter \"session_token\" has");
}

TEST_F(Settings, ReportWrongValuesByName) {
  expect_refused(with({{"endpoint", "s3.example.org"}}), "parameter \"endpoint\" is");
  expect_refused(with({{"endpoint", "ftp://s3.example.org"}}), "parameter \"endpoint\" is");
  expect_refused(with({{"endpoint", "http://s3.example.org/base"}}), "parameter \"endpoint\" is");
  expect_refused(with({{"endpoint", "http://s3.example.org/?a=b"}}), "parameter \"endpoint\" is");
  expect_refused(with({{"endpoint", "http://me:very-secret@s3.example.org"}}),
                 "parameter \"endpoint\" has a user");
  expect_refused(with({{"region", "Mars/1"}}), "parameter \"region\" is \"Mars/1\"");
  expect_refused(with({{"path_style", "maybe"}}), "parameter \"path_style\" is \"maybe\"");
  expect_refused(with({{"timeout", "0s"}}), "parameter \"timeout\" is less than 1ms");
}

TEST_F(Settings, LimitTheSizeOfParts) {
  EXPECT_TRUE(host_->create<ObjectStore>(s3, with({{"part_size", "5242880"}})));
  EXPECT_TRUE(host_->create<ObjectStore>(s3, with({{"part_size", "5GiB"}})));
  expect_refused(with({{"part_size", "5119KiB"}}), "expected 5MiB to 5GiB");
  expect_refused(with({{"part_size", "6GiB"}}), "expected 5MiB to 5GiB");
  expect_refused(with({{"part_size", "18446744073709551615GiB"}}), "parameter \"part_size\"");
  expect_refused(with({{"part_size", "16MB"}}), "expected a size such as 8388608 or 16MiB");
}

TEST_F(Settings, RefuseNamesThatChangeTheUrl) {
  auto store = create(with({}));
  for (const char* bucket : {"", "..", "a/b", "evil.example.org:80/x", "a?b", "-a", "a b"}) {
    EXPECT_EQ(store->create_signed_url(bucket, "k", 1h).error().code(), "invalid-argument");
    EXPECT_EQ(store->delete_object(bucket, "k").error().code(), "invalid-argument") << bucket;
    EXPECT_EQ(store->list_objects(bucket, "", "", 0).error().code(), "invalid-argument");
  }
  EXPECT_EQ(store->delete_object("photos", "").error().code(), "invalid-argument");
  EXPECT_EQ(store->put_object("photos", "", body("")).error().code(), "invalid-argument");
  EXPECT_EQ(store->list_common_prefixes("photos", "", "").error().code(), "invalid-argument");
}

TEST_F(Settings, LimitTheLifetimeOfSignedUrls) {
  auto store = create(with({}));
  EXPECT_TRUE(store->create_signed_url("photos", "k", 7 * 24h));
  EXPECT_EQ(store->create_signed_url("photos", "k", 0s).error().code(), "invalid-argument");
  EXPECT_EQ(store->create_signed_url("photos", "k", -1s).error().code(), "invalid-argument");
  EXPECT_EQ(store->create_signed_url("photos", "k", 7 * 24h + 1ns).error().code(),
            "invalid-argument");
  const std::string week = store->create_signed_url("photos", "k", 7 * 24h).value();
  EXPECT_NE(week.find("X-Amz-Expires=604800&"), std::string::npos) << week;
  const std::string brief = store->create_signed_url("photos", "k", 1001ms).value();
  const bool long_enough = brief.find("X-Amz-Expires=2&") != std::string::npos ||
                           brief.find("X-Amz-Expires=3&") != std::string::npos;
  EXPECT_TRUE(long_enough) << brief;
}

}}  // namespace tenon::tests
