// SPDX-License-Identifier: BSL-1.0
//
// The hosts and streams that the SDK has for tests of plugins. MODULES is the directory of
// the test modules.
#include <tenon/sdk/testing.hpp>

#include <gtest/gtest.h>
#include <test/answer.hpp>
#include <test/vault.hpp>

#include <cstddef>
#include <optional>
#include <set>
#include <string>

namespace tenon::tests { namespace {

using sdk::testing::failing_reader;
using sdk::testing::options;
using sdk::testing::read_all;
using sdk::testing::reader;
using sdk::testing::writer;

TEST(TestHost, HasOnlyThePluginsOfTheModule) {
  const Host host(options(MODULES "/giver-1.so"));
  std::set<std::string> names;
  for (const PluginInfo& plugin : host.registered()) names.insert(std::string(plugin.name()));
  EXPECT_EQ(names, (std::set<std::string>{"test.example/giver-tape", "test.example/giver-vault"}));
}

TEST(TestHost, ChecksCalls) {
  Host host(options(MODULES "/answers.so"));
  auto answers = host.create<test::Answer>("test.example/answers").value();
  EXPECT_TRUE(answers->give("good", {"lent"}));
  const auto given = answers->give("text-latin", {"lent"});
  ASSERT_FALSE(given);
  EXPECT_EQ(given.error().message(),
            "the response breaks the ABI: text is not valid UTF-8 from byte 2 on");
}

/// Returns options with a vault, and the packages that it requires.
HostOptions vaults() {
  HostOptions chosen = options(MODULES "/giver-1.so");
  for (const char* required : {MODULES "/stream-1.so", MODULES "/taker-1.so"}) {
    chosen.plugin_path.emplace_back(required);
  }
  return chosen;
}

TEST(TestHost, PassesStreamsToAPlugin) {
  Host host(vaults());
  auto vault = host.create<test::Vault>("test.example/giver-vault").value();
  for (const std::size_t piece : {std::size_t(1), std::size_t(5), std::string::npos}) {
    vault->put("k", reader("a longer value", piece), std::nullopt).value();
    EXPECT_EQ(read_all(vault->get("k").value().body).value(), "1: a longer value");
  }
}

TEST(TestHost, PassesAStreamThatFails) {
  Host host(vaults());
  auto vault = host.create<test::Vault>("test.example/giver-vault").value();
  const auto put = vault->put("k", failing_reader("half of"), std::nullopt);
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code(), "data-loss");
}

TEST(TestHost, KeepsWhatIsCommitted) {
  std::string committed;
  Writer stream = writer(committed);
  stream.write(BytesView("one ")).value();
  stream.write(BytesView("two")).value();
  EXPECT_EQ(committed, "");
  stream.commit().value();
  EXPECT_EQ(committed, "one two");
}

TEST(TestHost, ReadsLongStreamsToTheirEnd) {
  const std::string text(10'000, 'x');
  EXPECT_EQ(read_all(reader(text)).value(), text);
  EXPECT_EQ(read_all(reader("")).value(), "");
  EXPECT_EQ(read_all(failing_reader(text)).error().code(), "data-loss");
}

}}  // namespace tenon::tests
