// SPDX-License-Identifier: BSL-1.0
//
// Plugins that use other plugins, including builtins.
#include <gtest/gtest.h>
#include <test/echo.hpp>
#include <test/probe.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

class Services : public Hosting {
 protected:
  Services() {
    place("probe-of-echo.so", "probe.so");
    place_fault("good", "echo.so");
    host_echo_says = [](std::string_view text) { return "host: " + std::string(text); };
  }
};

TEST_F(Services, AreFoundByKind) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_EQ(probe->names().value(), (Texts{"test.example/echo", "test.example/host-echo"}));
}

TEST_F(Services, AreUsedAndReleased) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_EQ(probe->ask("builtin:host-echo", "hello").value(), "host: hello");
  EXPECT_EQ(host_echo_count(), 0);
}

TEST_F(Services, LoadAndUnloadAStandaloneModule) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_EQ(probe->ask("echo", "hello").value(), "1: hello");
  EXPECT_FALSE(is_mapped("echo.g"));
}

TEST_F(Services, EndWithTheModuleIfNotReleased) {
  Host host(options());
  {
    auto probe = host.create<test::Probe>("probe").value();
    ASSERT_TRUE(probe->keep("builtin:host-echo"));
    ASSERT_TRUE(probe->keep("echo"));
    EXPECT_EQ(host_echo_count(), 1);
    EXPECT_TRUE(is_mapped("echo.g"));
  }
  EXPECT_EQ(host_echo_count(), 0);
  EXPECT_FALSE(is_mapped("echo.g"));
  EXPECT_FALSE(is_mapped("probe.g"));
}

TEST_F(Services, EndWithTheGenerationIfNotReleased) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  ASSERT_TRUE(probe->keep("builtin:host-echo"));
  ASSERT_TRUE(host.restart(probes));
  EXPECT_EQ(host_echo_count(), 0);
}

// A plugin gets the version of a kind that it was compiled for.
TEST_F(Services, AreAdaptedFromAnOlderVersion) {
  place("user-of-v2.so", "user.so");
  Host host(options());
  auto user = host.create<test::Echo>("user").value();
  EXPECT_EQ(user->say("probe").value(), "edition 1 without extra");
  place("probe-v2.so", "probe.so");
  ASSERT_TRUE(host.restart(probes));
  EXPECT_EQ(user->say("probe").value(), "edition 3 with extra");
}

TEST_F(Services, AreRefusedInANewerVersion) {
  place("user-of-v1.so", "user.so");
  Host host(options());
  auto user = host.create<test::Echo>("user").value();
  EXPECT_EQ(user->say("probe").value(), "edition 1");
  place("probe-v2.so", "probe.so");
  host.rescan();
  const auto refused = user->say("probe");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status(), TENON_NOT_FOUND);
  EXPECT_NE(refused.error().message().find("version 2 of the kind, newer than requested"),
            std::string_view::npos)
      << refused.error().message();
}

TEST_F(Services, ListAvailablePluginsIfNoneMatches) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  const auto missing = probe->ask("nobody", "hello");
  EXPECT_EQ(missing.error().code(), "not-found");
  EXPECT_NE(missing.error().message().find("test.example/host-echo"), std::string_view::npos)
      << missing.error().message();
}

TEST_F(Services, SurviveARestartOfTheirModule) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  ASSERT_TRUE(probe->keep("echo"));
  ASSERT_TRUE(host.restart("test.example/faults"));
  EXPECT_TRUE(is_mapped("echo.g"));
  EXPECT_EQ(module(host, "test.example/faults").generation, 2u);
  EXPECT_EQ(module(host, "test.example/faults").instances, 1u);
}

TEST_F(Services, InheritTheDeadlineOfTheCaller) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  for (const bool in_child : {false, true}) {
    Call call;
    call.set_timeout(5ms);
    EXPECT_EQ(probe->pause(call, 1h, in_child).value(), TENON_CANCELLED_BY_DEADLINE);
  }
}

TEST_F(Services, AreCancelledWithTheCaller) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  for (const bool in_child : {false, true}) {
    Call call;
    std::int32_t reason = TENON_NOT_CANCELLED;
    std::thread waiting([&] { reason = probe->pause(call, 1h, in_child).value(); });
    call.cancel();
    waiting.join();
    EXPECT_EQ(reason, TENON_CANCELLED_BY_CALLER);
  }
}

class ModuleFile : public Services {};

TEST_F(ModuleFile, NamesTheInstalledFile) {
  place("sdk-talker.so");
  world_.write("plugins/greeting.txt", "good morning\n");
  Host host(options());
  auto talker = host.create<test::Echo>("sdk-talker").value();
  EXPECT_EQ(talker->say("beside").value(), "good morning");
}

TEST_F(ModuleFile, IsAbsoluteInARelativeDirectory) {
  place("sdk-talker.so");
  world_.write("plugins/greeting.txt", "good morning\n");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(world_.root());
  HostOptions relative = options();
  relative.plugin_path = {"plugins"};
  Host host(relative);
  auto talker = host.create<test::Echo>("sdk-talker").value();
  std::filesystem::current_path("/");
  EXPECT_EQ(talker->say("beside").value(), "good morning");
  std::filesystem::current_path(before);
}

TEST_F(ModuleFile, IsAbsentForABuiltin) {
  Host host(options());
  auto echo = host.create<test::Echo>("builtin:host-echo").value();
  EXPECT_EQ(host_echo_file(), nullptr);
}

}}  // namespace tenon::tests
