// SPDX-License-Identifier: BSL-1.0
//
// The basic operations of a host: finding plugins, creating instances, calling methods.
#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/echo.hpp>
#include <test/probe.hpp>
#include <test/stream.hpp>

#include <optional>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

using HostBasics = Hosting;

TEST_F(HostBasics, ReadsManifestsWithoutLoading) {
  place("probe-1.so");
  place("stream-1.so");
  const Host host(options());
  EXPECT_EQ(names(host.plugins<test::Probe>()), Texts{"test.example/probe"});
  EXPECT_EQ(names(host.plugins<test::Stream>()), Texts{"test.example/stream"});
  const PluginInfo probe = host.find<test::Probe>("probe").value();
  EXPECT_EQ(probe.version(), 1);
  EXPECT_EQ(probe.package(), "test.example/probes");
  EXPECT_EQ(probe.package_version(), "1.0.0");
  EXPECT_EQ(probe.summary(), "Shows what happens");
  EXPECT_EQ(probe.compatibility().grade, CompatibilityGrade::adapted);
  EXPECT_EQ(probe.compatibility().missing, Texts{"extra"});
  EXPECT_FALSE(is_mapped("probe-1"));
  EXPECT_EQ(copies(), Texts());
}

TEST_F(HostBasics, LoadsWithTheFirstInstanceAndUnloadsWithTheLast) {
  place("probe-1.so", "probe.so");
  Host host(options());
  {
    auto first = host.create<test::Probe>("probe").value();
    EXPECT_TRUE(is_mapped("probe.g1"));
    std::optional second = host.create<test::Probe>("probe").value();
    EXPECT_EQ(module(host, probes).instances, 2u);
    EXPECT_EQ(copies(), Texts{module_file("probe.g1.so")});
    second.reset();
    EXPECT_TRUE(is_mapped("probe.g1"));
    EXPECT_EQ(first->edition().value(), 1);
  }
  EXPECT_FALSE(is_mapped("probe.g"));
  EXPECT_EQ(copies(), Texts());
  EXPECT_FALSE(module(host, probes).loaded);
}

TEST_F(HostBasics, CallsStopOnceBeforeUnloading) {
  place("probe-says-stopped.so", "probe.so");
  Texts said;
  host_echo_says = [&](std::string_view text) {
    said.push_back(std::string(text) + (is_mapped("probe.g1") ? " while loaded" : ""));
    return "";
  };
  Host host(options());
  {
    auto probe = host.create<test::Probe>("probe").value();
    EXPECT_EQ(said, Texts());
  }
  EXPECT_EQ(said, Texts{"stopped while loaded"});
}

TEST_F(HostBasics, LoadsAReplacedFileAfterUnloading) {
  place("probe-1.so", "probe.so");
  Host host(options());
  { auto probe = host.create<test::Probe>("probe").value(); }
  place("probe-2.so", "probe.so");
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_EQ(probe->edition().value(), 2);
  EXPECT_TRUE(is_mapped("probe.g2"));
}

TEST_F(HostBasics, ServesHandlesThatOutliveIt) {
  place("probe-1.so", "probe.so");
  std::optional<Handle<test::Probe>> probe;
  {
    Host host(options());
    probe = host.create<test::Probe>("probe").value();
  }
  EXPECT_EQ((*probe)->edition().value(), 1);
  EXPECT_TRUE(is_mapped("probe.g1"));
  probe.reset();
  EXPECT_FALSE(is_mapped("probe.g"));
  EXPECT_EQ(copies(), Texts());
}

TEST_F(HostBasics, KeepsLoadedCodeIfItsFileChanges) {
  place("probe-1.so", "probe.so");
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  world_.write("plugins/probe.so", "overwritten in place");
  EXPECT_EQ(probe->edition().value(), 1);
  std::filesystem::remove(placed("probe.so"));
  host.rescan();
  EXPECT_EQ(probe->edition().value(), 1);
  EXPECT_EQ(names(host.plugins<test::Probe>()), Texts{"test.example/probe"}) << "it is in use";
}

TEST_F(HostBasics, FindsNewFilesInARescan) {
  Host host(options());
  EXPECT_EQ(host.create<test::Probe>("probe").error().code(), "not-found");
  place("probe-1.so");
  host.rescan();
  EXPECT_EQ(host.create<test::Probe>("probe").value()->edition().value(), 1);
  std::filesystem::remove(placed("probe-1.so"));
  host.rescan();
  EXPECT_EQ(names(host.plugins<test::Probe>()), Texts());
}

TEST_F(HostBasics, ListsAvailablePluginsIfNoneMatches) {
  place("probe-1.so");
  Host host(options());
  EXPECT_EQ(host.create<test::Probe>("prob").error().found(),
            "neither a standalone plugin nor a builtin; only test.example/probe");
  EXPECT_EQ(host.create<test::Stream>("stream").error().found(), "no plugin of that kind");
  EXPECT_EQ(host.create<test::Probe>("probe@3.0.0").error().found(),
            "1.0.0 (standalone, version 1 of the kind); no builtin");
  EXPECT_EQ(host.create<test::Probe>("best:probe").error().code(), "bad-reference");
}

TEST_F(HostBasics, SelectsTheReferencedVersionOrTheNewest) {
  place("probe-1.so");
  place("probe-2.so");
  Host host(options());
  EXPECT_EQ(host.create<test::Probe>("probe").value()->edition().value(), 2);
  EXPECT_EQ(host.create<test::Probe>("probe@1.0.0").value()->edition().value(), 1);
  EXPECT_EQ(host.plugins<test::Probe>().size(), 1u);
  EXPECT_EQ(host.registered().size(), 3u) << "two probes and the builtin";
}

TEST_F(HostBasics, AddsTheDefaultDomainToNames) {
  place("probe-1.so");
  HostOptions other = options();
  other.default_domain = "other.example";
  Host host(std::move(other));
  EXPECT_EQ(host.find<test::Probe>("probe").error().where(), "other.example/probe");
  EXPECT_TRUE(host.find<test::Probe>("test.example/probe"));
}

TEST_F(HostBasics, ReadsThePluginPathFromTheEnvironment) {
  place("probe-1.so");
  set_variable("INTEGRATION_TEST_PLUGIN_PATH", world_.plugins().string().c_str());
  const Host host({.app = "integration-test"});
  set_variable("INTEGRATION_TEST_PLUGIN_PATH", nullptr);
  EXPECT_TRUE(host.find<test::Probe>("probe"));
}

TEST_F(HostBasics, ReportsSkippedFiles) {
  place("probe-1.so");
  world_.write("plugins/text.so", "some text");
  HostOptions missing = options();
  missing.plugin_path.push_back(world_.root() / "nowhere");
  Host host(std::move(missing));
  EXPECT_EQ(codes(host.problems()), (Texts{"not-a-module", "not-found"}));
  EXPECT_TRUE(host.create<test::Probe>("probe"));
}

TEST_F(HostBasics, UsesBuiltinsLikeStandalonePlugins) {
  host_echo_says = [](std::string_view text) { return "host: " + std::string(text); };
  Host host(options());
  {
    auto echo = host.create<test::Echo>("builtin:host-echo").value();
    EXPECT_EQ(echo->say("hello").value(), "host: hello");
    EXPECT_EQ(echo->count().error().code(), "unimplemented");
    EXPECT_EQ(host_echo_count(), 1);
    EXPECT_TRUE(host.find<test::Echo>("host-echo").value().builtin());
  }
  EXPECT_EQ(host_echo_count(), 0);
}

TEST_F(HostBasics, ConfiguresInCreateOrLeavesNothing) {
  place("probe-1.so", "probe.so");
  Host host(options());
  EXPECT_EQ(host.create<test::Probe>("probe", {{"word", "hello"}}).value()->word().value(),
            "hello");
  const auto refused = host.create<test::Probe>("probe", {{"word", std::string(100, 'x')}});
  EXPECT_EQ(refused.error().status(), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(refused.error().to_string(),
            "test.example/probe: configure: invalid-argument: long word");
  EXPECT_FALSE(is_mapped("probe.g"));
}

TEST_F(HostBasics, ReportsTheErrorOfCreate) {
  place("probe-create-fails.so", "probe.so");
  Host host(options());
  const auto refused = host.create<test::Probe>("probe");
  EXPECT_EQ(refused.error().to_string(),
            "test.example/probe: create: resource-exhausted: no room for a probe");
  EXPECT_FALSE(is_mapped("probe.g"));
  EXPECT_EQ(module(host, probes).instances, 0u);
}

TEST_F(HostBasics, ReportsStatusFlagsAndMessageOfACall) {
  place("probe-1.so");
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  const auto failed = probe->refuse(TENON_UNAVAILABLE | TENON_RETRYABLE, "the disk is full");
  EXPECT_EQ(failed.error().code(), "unavailable");
  EXPECT_TRUE(failed.error().retryable());
  EXPECT_FALSE(failed.error().fatal());
  EXPECT_EQ(failed.error().message(), "the disk is full");
  EXPECT_EQ(failed.error().plugin(), "test.example/probe");
  EXPECT_EQ(failed.error().method(), "refuse");
  EXPECT_EQ(probe->missing().error().code(), "unimplemented");
}

TEST_F(HostBasics, ReturnsViewsThatLiveAsLongAsTheCall) {
  place("probe-1.so");
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  Call call;
  const BytesView small = probe->fill(call, 10).value();
  const BytesView large = probe->fill(call, 100000).value();
  EXPECT_EQ(small.own(), Bytes(10, 1));
  EXPECT_EQ(large.own(), Bytes(100000, 1));
}

TEST_F(HostBasics, AdaptsAnOlderVersionToTheLatest) {
  place("probe-1.so");
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_TRUE(probe.supports("edition"));
  EXPECT_FALSE(probe.supports("extra"));
  EXPECT_FALSE(probe.supports("no such method"));
  EXPECT_EQ(probe->extra().error().code(), "unimplemented");
  EXPECT_EQ(probe->edition().value(), 1);
}

TEST_F(HostBasics, HasHandlesThatMayBeEmpty) {
  place("probe-1.so");
  Host host(options());
  Handle<test::Probe> none;
  EXPECT_FALSE(none);
  none.reset();
  Handle<test::Probe> probe = host.create<test::Probe>("probe").value();
  EXPECT_TRUE(probe);
  none = std::move(probe);
  EXPECT_FALSE(probe);  // NOLINT(bugprone-use-after-move): a handle is empty after a move
  EXPECT_EQ(none->edition().value(), 1);
  none.reset();
  EXPECT_FALSE(none);
  EXPECT_EQ(module(host, probes).instances, 0U);
  probe = host.create<test::Probe>("probe").value();
  EXPECT_EQ(probe->edition().value(), 1);
}

TEST_F(HostBasics, SupportsOnlyImplementedMethods) {
  place("probe-v2.so");
  Host host(options());
  const PluginInfo info = host.plugins<test::Probe>().at(0);
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_TRUE(info.offers("extra"));
  EXPECT_TRUE(probe.supports("extra"));
  EXPECT_TRUE(info.offers("missing")) << "its version has the method";
  EXPECT_FALSE(probe.supports("missing")) << "the plugin left it out";
}

TEST_F(HostBasics, ListsMethodsOfAnOlderVersionBeforeLoading) {
  place("probe-1.so");
  Host host(options());
  const PluginInfo info = host.plugins<test::Probe>().at(0);
  EXPECT_TRUE(info.offers("edition"));
  EXPECT_FALSE(info.offers("extra"));
  EXPECT_FALSE(info.offers("no such method"));
}

TEST_F(HostBasics, RefusesAConfigurationWithoutConfigureMethod) {
  place("probe-without-configure.so");
  Host host(options());
  const auto refused = host.create<test::Probe>("probe", {{"word", "lost"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "unimplemented");
  EXPECT_EQ(refused.error().message(), "the plugin takes no configuration");
  EXPECT_EQ(refused.error().fix(), "create it without a configuration");
  auto probe = host.create<test::Probe>("probe", TextMap()).value();
  EXPECT_FALSE(probe.supports("configure"));
  EXPECT_TRUE(probe->configure({}));
  EXPECT_EQ(probe->configure({{"word", "lost"}}).error().message(),
            "the plugin takes no configuration");
}

/// Two versions of one package, in files of one name.
TEST_F(HostBasics, LoadsVersionsSideBySide) {
  for (const char* version : {"1", "2"}) {
    const auto directory = world_.plugins() / "counters" / (std::string(version) + ".0.0");
    std::filesystem::create_directories(directory);
    std::filesystem::copy_file(module_file(MODULES "/counter-" + std::string(version) + ".so"),
                               directory / module_file("libcounter.so"));
  }
  Host host(options());
  auto older = host.create<test::Counter>("counter@1.0.0").value();
  auto newer = host.create<test::Counter>("counter").value();
  EXPECT_EQ(older->edition().value(), 1);
  EXPECT_EQ(newer->edition().value(), 2);
  ASSERT_TRUE(older->add(5));
  ASSERT_TRUE(newer->add(7));
  EXPECT_EQ(older->total().value().total, 5) << "the versions share no data";
  EXPECT_EQ(newer->total().value().total, 7);
  auto next_best = host.create<test::Counter>("counter@1.0.9").value();
  EXPECT_EQ(next_best->edition().value(), 1);
  auto required = host.create<test::Counter>("counter@>=2").value();
  EXPECT_EQ(required->edition().value(), 2);
  const auto gone = host.create<test::Counter>("counter@3.0.0");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().found(),
            "2.0.0 (standalone, version 1 of the kind), 1.0.0 (standalone, version 1 of the kind); "
            "no builtin");
}

}}  // namespace tenon::tests
