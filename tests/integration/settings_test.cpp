// SPDX-License-Identifier: BSL-1.0
//
// Hosts with settings of operators. tests/unit/operator_settings_test.cpp tests the files.
#include <gtest/gtest.h>
#include <test/probe.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

class Settings : public Hosting {
 protected:
  Settings() {
    setenv("XDG_CONFIG_HOME", (world_.root() / "config").c_str(), 1);
    setenv("XDG_CONFIG_DIRS", (world_.root() / "xdg").c_str(), 1);
    place("probe-1.so", "probe.so");
  }
  ~Settings() override {
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("XDG_CONFIG_DIRS");
    unsetenv("WORLD_LOG");
  }

  HostOptions options() {
    HostOptions options = Hosting::options();
    options.app = "world";
    return options;
  }
  fs::path set(std::string_view text) const {
    return world_.write("config/tenon/world.json", text);
  }
  fs::path disable() const {
    return set(R"({"packages": {"test.example/probes": {"enabled": false}}})");
  }
  fs::path pin(std::string_view version) const {
    return set(R"({"packages": {"test.example/probes": {"version": ")" + std::string(version) +
               R"("}}})");
  }
  /// Returns the edition of the plugin that a host creates, or the code of the error.
  static std::string probe_of(Host& host, std::string_view reference = "probe") {
    auto probe = host.create<test::Probe>(reference);
    return probe ? std::to_string((*probe)->edition().value()) : std::string(probe.error().code());
  }
  /// The same of a host that is created now.
  std::string probe_of_new_host() {
    Host host(options());
    return probe_of(host);
  }
};

TEST_F(Settings, SwitchAPackageOff) {
  const fs::path file = disable();
  Host host(options());
  const auto created = host.create<test::Probe>("probe");
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code(), "disabled");
  EXPECT_EQ(created.error().where(), placed("probe.so").string());
  EXPECT_EQ(created.error().found(),
            "test.example/probes 1.0.0, which " + file.string() + " switches off");
  EXPECT_EQ(created.error().fix(), "run tenon enable -a world test.example/probes");
  EXPECT_EQ(host.registered().size(), 1u) << "only the builtin";
  ASSERT_EQ(codes(host.problems()), Texts{"disabled"});
  EXPECT_EQ(host.problems()[0].severity(), Severity::note);
}

TEST_F(Settings, AreReadByRescans) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  const fs::path file = disable();
  EXPECT_EQ(probe_of(host), "1");
  host.rescan();
  EXPECT_EQ(probe_of(host), "disabled") << "also while it is in use";
  EXPECT_EQ(probe->edition().value(), 1);
  EXPECT_EQ(module(host, probes).instances, 1u);
  fs::remove(file);
  host.rescan();
  ASSERT_TRUE(host.restart(probes));
  EXPECT_EQ(probe_of(host), "1");
  EXPECT_TRUE(host.problems().empty());
  EXPECT_EQ(host.modules().size(), 2u) << "the module is listed once";
}

TEST_F(Settings, RefuseToRestartAPackageThatIsOff) {
  Host host(options());
  const auto probe = host.create<test::Probe>("probe").value();
  const fs::path file = disable();
  host.rescan();
  place("probe-1.so", "probe.so");  // another build of the version
  const auto refused = host.restart(probes);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "disabled");
  EXPECT_EQ(refused.error().fix(), "run tenon enable -a world test.example/probes");
  const auto changed = host.restart_changed();
  EXPECT_EQ(codes(changed.failed), Texts{"disabled"});
  EXPECT_TRUE(changed.restarted.empty());
  EXPECT_EQ(module(host, probes).generation, 1u);
  fs::remove(file);
  host.rescan();
  EXPECT_TRUE(host.restart(probes));
  EXPECT_EQ(module(host, probes).generation, 2u);
}

TEST_F(Settings, PinAVersion) {
  place("probe-2.so", "probe-2.so");
  EXPECT_EQ(probe_of_new_host(), "2");
  pin("1.0.0");
  Host host(options());
  EXPECT_EQ(probe_of(host), "1");
  EXPECT_EQ(probe_of(host, "probe@=2.0.0"), "version-refused");
  EXPECT_EQ(codes(host.problems()), Texts{"version-refused"});
  pin("3.0.0");
  Host without(options());
  EXPECT_EQ(probe_of(without), "version-refused");
  EXPECT_EQ(codes(without.problems()),
            (Texts{"version-refused", "version-refused", "version-refused"}));
  EXPECT_EQ(without.problems()[0].severity(), Severity::warning);
}

TEST_F(Settings, RefuseToRestartAsAnotherVersion) {
  pin("1.0.0");
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  place("probe-2.so", "probe.so");
  const auto refused = host.restart(probes);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "version-refused");
  EXPECT_EQ(probe->edition().value(), 1);
}

TEST_F(Settings, DecideWhichOfTwoPackagesHasAPlugin) {
  place("probe-other-package.so", "second.so");
  const auto package = [&] { return Host(options()).find<test::Probe>("probe").value().package(); };
  EXPECT_EQ(package(), probes);
  set(R"({"order": ["test.example/other-probes"]})");
  EXPECT_EQ(package(), "test.example/other-probes");
  EXPECT_EQ(codes(Host(options()).problems()), Texts{"name-taken"});
}

TEST_F(Settings, OfTheUserOverrideThoseOfTheSystem) {
  world_.write("xdg/tenon/world.json",
               R"({"packages": {"test.example/probes": {"enabled": false}}})");
  EXPECT_EQ(probe_of_new_host(), "disabled");
  set(R"({"packages": {"test.example/probes": {"enabled": true}}})");
  EXPECT_EQ(probe_of_new_host(), "1");
}

TEST_F(Settings, SetTheLogLevel) {
  int lines = 0;
  HostOptions logging = options();
  logging.log_sink = [&](const LogLine&) { ++lines; };
  // A use of another version than the one that is named is a warning in the log.
  const auto lines_of = [&](const Host& host) {
    lines = 0;
    EXPECT_TRUE(host.find<test::Probe>("probe@1.0.7"));
    return lines;
  };
  Host host(logging);
  EXPECT_EQ(lines_of(host), 1);
  const fs::path file = set(R"({"log_level": "error"})");
  EXPECT_EQ(lines_of(host), 1);
  host.rescan();
  EXPECT_EQ(lines_of(host), 0);
  EXPECT_EQ(lines_of(Host(logging)), 0);
  setenv("WORLD_LOG", "warn", 1);
  EXPECT_EQ(lines_of(Host(logging)), 1) << "the environment counts more";
  fs::remove(file);
  host.rescan();
  EXPECT_EQ(lines_of(host), 1) << "the level of the program again";
}

TEST_F(Settings, DamagedOnesAreReportedAndLogged) {
  const fs::path file = set("{\n  \"packages\": {,\n}\n");
  std::string logged;
  HostOptions logging = options();
  logging.log_sink = [&](const LogLine& line) { logged += line.message; };
  Host host(logging);
  EXPECT_EQ(probe_of(host), "1");
  ASSERT_EQ(codes(host.problems()), Texts{"broken-settings"});
  EXPECT_EQ(host.problems()[0].where(), file.string() + ":2:16");
  EXPECT_NE(logged.find("broken-settings"), std::string::npos) << logged;
}

TEST_F(Settings, StayWhileTheirFileIsDamaged) {
  disable();
  Host host(options());
  set("{\"packages\": {\"test.example/probes\": ");
  host.rescan();
  EXPECT_EQ(probe_of(host), "disabled") << "a file that is being edited switches nothing on";
  EXPECT_EQ(codes(host.problems()), (Texts{"broken-settings", "disabled"}));
  set("{}");
  host.rescan();
  EXPECT_EQ(probe_of(host), "1");
}

TEST_F(Settings, ThatOthersMayChangeAreIgnored) {
  const fs::path file = disable();
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  Host host(options());
  EXPECT_EQ(probe_of(host), "1");
  ASSERT_EQ(codes(host.problems()), Texts{"untrusted-owner"});
  EXPECT_EQ(host.problems()[0].severity(), Severity::warning);
}

}}  // namespace tenon::tests
