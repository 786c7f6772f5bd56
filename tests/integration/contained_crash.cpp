// SPDX-License-Identifier: BSL-1.0
#include "integration/contained_crash.hpp"

#include <string>
#include <thread>

namespace tenon::tests { namespace {

TEST_P(ContainedCrash, FailsTheCall) {
  Host host(containing());
  EXPECT_TRUE(host.problems().empty());
  auto unruly = host.create<test::Echo>("unruly").value();

  const auto failed = unruly->say(GetParam().text);

  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().status(), TENON_CRASHED | TENON_RESTARTED);
  EXPECT_EQ(failed.error().code(), "crashed");
  EXPECT_EQ(failed.error().plugin(), unruly_package);
  EXPECT_EQ(failed.error().method(), "say");
  EXPECT_EQ(failed.error().message().find(GetParam().message), 0u) << failed.error().message();
  EXPECT_TRUE(serves_again(unruly));
  EXPECT_EQ(module(host, unruly_package).generation, 2u);
  EXPECT_TRUE(is_mapped("unruly.g1")) << "crashed code stays mapped";
}

TEST_P(ContainedCrash, FailsTheCallOnAnyThread) {
  Host host(containing());
  auto unruly = host.create<test::Echo>("unruly").value();
  std::string code;
  std::thread([&] { code = unruly->say(GetParam().text).error().code(); }).join();
  EXPECT_EQ(code, "crashed");
  EXPECT_TRUE(serves_again(unruly));
}

}}  // namespace tenon::tests
