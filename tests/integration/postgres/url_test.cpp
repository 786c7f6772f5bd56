// SPDX-License-Identifier: BSL-1.0
//
// Connection strings are checked before anything is looked up or connected. No server is needed.
#include "url.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "databases.hpp"

namespace tenon::tests { namespace {

using postgres::exposes_password;
using postgres::is_url;

TEST(PostgresUrl, IsValid) {
  for (const char* url :
       {"postgresql://", "postgresql://host/db", "postgres://user@host", "postgresql://u:p@host/db",
        "postgresql://u:p%40s%2Fs@host:5432/db?sslmode=verify-full",
        "postgresql://u:p?x#y:z@host/db", "postgresql://u:p@[::1]:5432/db",
        "postgresql://u:p@a.example,b.example:5433/db", "postgresql://%2Fvar%2Frun/db",
        "postgresql:///db?host=/var/run&application_name=a@b", "postgresql://u@%40socket/db",
        "host=db.example password=p@ss/word", "host=/run dbname='a@b/c'", "host=@socket", ""}) {
    EXPECT_TRUE(is_url(url)) << url;
  }
}

TEST(PostgresUrl, WithAPartOfAPasswordInAnotherPlaceIsNot) {
  for (const char* url :
       {"postgresql://u:s3cret@word@host/db", "postgresql://u:s3c/ret@host/db",
        "postgresql://u:s3c@re/t@host/db", "postgresql://u:s3c/re@t@host/db",
        "postgres://u:@s3cret@host/db", "postgresql://u:s3c/ret@host", "postgresql://u:s3cret",
        "postgresql://u:s3cret/db", "postgresql://u:s3c%ret@host/db", "postgresql://u:s3c/r?e@host",
        "postgresql://host:0/db", "postgresql://host:70000/db", "postgresql://ho st/db",
        "host=db password=my s3cret", "http://host", "nonsense"}) {
    EXPECT_FALSE(is_url(url)) << url;
  }
}

TEST(PostgresUrl, ExposesAPasswordToServersThatAreNotVerified) {
  ::unsetenv("PGSSLMODE");
  for (const char* url :
       {"postgresql://u:p@db.example/x", "postgresql://u:p@10.0.0.1/x?sslmode=require",
        "postgresql://u:p@127.0.0.1.example/x", "postgresql://u:p@localhost,db.example/x",
        "host=db.example password=p sslmode=verify-ca",
        "host=localhost hostaddr=10.0.0.1 password=p"}) {
    EXPECT_TRUE(exposes_password(url)) << url;
  }
  for (const char* url :
       {"postgresql://u@db.example/x", "postgresql://u:p@db.example/x?sslmode=verify-full",
        "postgresql://u:p@localhost/x", "postgresql://u:p@127.0.0.1,[::1]/x",
        "postgresql://u:p@%2Frun/x", "host=@socket password=p", "password=p",
        "host=db.example hostaddr=127.0.0.1 password=p"}) {
    EXPECT_FALSE(exposes_password(url)) << url;
  }
  ::setenv("PGSSLMODE", "verify-full", 1);
  EXPECT_FALSE(exposes_password("postgresql://u:p@db.example/x"));
  ::unsetenv("PGSSLMODE");
}

class PostgresUrls : public Databases {
 protected:
  void SetUp() override {}  // no server
};

/// Before, libpq took a part of the password for the name of a host, looked it up and printed it,
/// again and again.
TEST_F(PostgresUrls, AreRefusedAtOnceWithoutTheirPassword) {
  const TextMap config = {{"url", "postgresql://u:s3cret@w0rd@db.invalid/x"}, {"table", "t"}};
  const auto source = host_->create<Source>(postgres, config);
  const auto destination = host_->create<Destination>(postgres, config);
  for (const Error& error : {source.error(), destination.error()}) {
    EXPECT_EQ(error.status(), TENON_INVALID_ARGUMENT) << error.to_string();
    EXPECT_NE(error.to_string().find("a password contains %40 for '@', %2F for '/'"),
              std::string::npos)
        << error.to_string();
    for (const char* part : {"s3cret", "w0rd", "db.invalid"}) {
      EXPECT_EQ((error.to_string() + log()).find(part), std::string::npos) << error.to_string();
    }
  }
}

TEST_F(PostgresUrls, WarnOfAPasswordForAServerThatIsNotVerified) {
  ::unsetenv("PGSSLMODE");
  const auto warned = [&](const std::string& url) {
    const std::size_t before = log().size();
    EXPECT_TRUE(host_->create<Destination>(postgres, {{"url", url}, {"table", "t"}}));
    const std::string lines = log().substr(before);
    EXPECT_EQ(lines.find("s3cret"), std::string::npos);
    return lines.find("add sslmode=verify-full") != std::string::npos;
  };
  EXPECT_TRUE(warned("postgresql://u:s3cret@db.invalid/x"));
  EXPECT_FALSE(warned("postgresql://u:s3cret@db.invalid/x?sslmode=verify-full"));
  EXPECT_FALSE(warned("postgresql://u:s3cret@localhost/x"));
}

}}  // namespace tenon::tests
