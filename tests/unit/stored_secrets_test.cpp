// SPDX-License-Identifier: BSL-1.0
//
// The secrets of a config in a position: hashes of literal values, and references.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "common/hashed_value.hpp"
#include "common/plugin_use.hpp"

namespace tenon::tools { namespace {

TEST(HashedValue, BelongsToOneValueAndHasItsOwnKey) {
  const std::string hash = hashed_value("hunter2");
  EXPECT_NE(hash, hashed_value("hunter2"));
  EXPECT_TRUE(is_hashed_value(hash));
  EXPECT_TRUE(is_hash_of(hash, "hunter2"));
  EXPECT_FALSE(is_hash_of(hash, "hunter3"));
  EXPECT_FALSE(is_hash_of(hash, ""));
  for (const char* other : {"", "hunter2", "${hash:", "${hash:}", "${hash:00:00}", "${NAME}"}) {
    EXPECT_FALSE(is_hash_of(other, "hunter2")) << other;
  }
}

TEST(HashedValue, IsStoredForUrlsWithPasswords) {
  for (const char* url : {"https://u:p@host", "postgresql://u:p@ss@host/", "x://:p@h"}) {
    EXPECT_TRUE(is_url_with_password(url)) << url;
  }
  for (const char* text : {"", "https://host:80/", "https://u@host/", "u:p@host", "/a:b@c"}) {
    EXPECT_FALSE(is_url_with_password(text)) << text;
  }
}

class StoredSecrets : public testing::Test {
 protected:
  StoredSecrets() {
    ::setenv("STORED_SECRET", "hunter2", 1);
    set("password", "hunter2", "hunter2");
    set("token", "hunter2", "${STORED_SECRET}");
    set("table", "people", "people");
    config_["limit"] = "10";  // a default
  }
  ~StoredSecrets() override { ::unsetenv("STORED_SECRET"); }

  void set(const std::string& key, const std::string& value, const std::string& written) {
    config_[key] = use_.config[key] = value;
    use_.written[key] = written;
  }
  TextMap written() const { return written_config(config_, use_, secrets_); }

  PluginUse use_;
  TextMap config_;
  const Keys secrets_ = {"password", "token", "limit"};
};

TEST_F(StoredSecrets, AreHashesUnlessTheyAreReferencesOrDefaults) {
  const TextMap written = this->written();
  EXPECT_TRUE(is_hash_of(written.at("password"), "hunter2"));
  EXPECT_EQ(written.at("token"), "${STORED_SECRET}");
  EXPECT_EQ(written.at("table"), "people");
  EXPECT_EQ(written.at("limit"), "10");
}

TEST_F(StoredSecrets, AreEqualIfTheValuesAre) {
  const TextMap before = written();
  TextMap now = written();
  EXPECT_NE(now, before);
  keep_hashes(before, config_, now);
  EXPECT_EQ(now, before);
  set("password", "hunter3", "hunter3");
  TextMap changed = written();
  keep_hashes(before, config_, changed);
  EXPECT_NE(changed.at("password"), before.at("password"));
}

TEST_F(StoredSecrets, AreFoundInKnownConfigs) {
  const TextMap written = this->written();
  EXPECT_EQ(resolved_config(written, {&config_}).config, config_);
  EXPECT_FALSE(resolved_config(written, {&config_}).problem);
  const TextMap other = {{"password", "hunter3"}};
  const ResolvedConfig unknown = resolved_config(written, {&other});
  EXPECT_FALSE(unknown.config.contains("password"));
  ASSERT_TRUE(unknown.problem);
  EXPECT_EQ(unknown.problem->code(), "unknown-secret");
  EXPECT_EQ(unknown.problem->to_string().find("hunter"), std::string::npos);
}

}}  // namespace tenon::tools
