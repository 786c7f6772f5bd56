// SPDX-License-Identifier: BSL-1.0
//
// Requirements between packages, lock files and nested calls, with real modules. The package
// test.example/faults contains the echo; test.example/old requires ^1 of it, test.example/new ^2.
#include <tenon/file_hash.hpp>

#include <gtest/gtest.h>
#include <test/echo.hpp>
#include <test/probe.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

class PackageRequirements : public Hosting {
 protected:
  static constexpr const char* echoes = "test.example/faults";

  PackageRequirements() {
    host_echo_says = [](std::string_view text) { return "host: " + std::string(text); };
  }

  /// Installs a build of the echo in the directory of its version, always under the same file name.
  void place_echo(const std::string& build, const std::string& version) const {
    const fs::path directory = world_.plugins() / "echo" / version;
    fs::create_directories(directory);
    fs::copy_file(module_file(FAULTS "/" + build + ".so"), directory / module_file("libecho.so"));
  }
  void place_echoes() const {
    place_echo("good", "1.0.0");
    place_echo("good-edition-2", "2.0.0");
  }
  static std::string text(const Result<std::string>& response) {
    return response ? *response : response.error().to_string();
  }
};

TEST_F(PackageRequirements, SelectAVersionForEachPackage) {
  place_echoes();
  place("probe-old.so");
  place("probe-new.so");
  Host host(options());
  EXPECT_TRUE(host.problems().empty()) << host.problems().front().to_string();
  auto older = host.create<test::Probe>("old").value();
  auto newer = host.create<test::Probe>("new").value();
  EXPECT_EQ(text(older->ask("echo", "hello")), "1: hello");
  EXPECT_EQ(text(newer->ask("echo", "hello")), "2: hello");
  ASSERT_TRUE(older->keep("echo"));
  ASSERT_TRUE(newer->keep("echo"));
  EXPECT_EQ(text(older->ask("echo", "again")), "1: again") << "both versions are loaded";
  EXPECT_EQ(text(newer->ask("echo", "again")), "2: again");
  EXPECT_EQ(text(host.create<test::Echo>("echo").value()->say("newest")), "2: newest");
}

TEST_F(PackageRequirements, RestartOneVersionByItsReference) {
  place_echoes();
  Host host(options());
  auto older = host.create<test::Echo>("echo@1.0.0").value();
  auto newer = host.create<test::Echo>("echo@2.0.0").value();
  world_.place(world_.write("broken.so", "not a module"), "echo/1.0.0/libecho.so");
  EXPECT_FALSE(host.restart("test.example/faults@1.0.0"));
  EXPECT_EQ(host.restart("test.example/faults@2.0.0").value(), RestartOutcome::restarted);
  EXPECT_EQ(host.restart("test.example/faults@3.0.0").error().code(), "not-found");
  std::vector<std::uint64_t> generations;
  for (const ModuleInfo& info : host.modules()) {
    if (info.package == echoes) generations.push_back(info.generation);
  }
  std::ranges::sort(generations);
  EXPECT_EQ(generations, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(text(older->say("a")), "1: a");
}

/// Builds that a scan refuses, and that a restart must refuse in the same way.
class RefusedBuilds : public PackageRequirements {
 protected:
  /// Restarts the module whose file has changed. Returns the code of the error.
  static Texts restart(Host& host) {
    const Host::ChangedRestarts restarts = host.restart_changed();
    EXPECT_EQ(restarts.restarted, Texts());
    return codes(restarts.failed);
  }
  static void expect_both(Handle<test::Echo>& older, Handle<test::Echo>& newer) {
    EXPECT_EQ(text(older->say("a")), "1: a");
    EXPECT_EQ(text(newer->say("b")), "2: b");
  }
};

TEST_F(RefusedBuilds, OfAnotherVersionDirectory) {
  place_echoes();
  Host host(options());
  auto older = host.create<test::Echo>("echo@1.0.0").value();
  auto newer = host.create<test::Echo>("echo@2.0.0").value();
  place_fault("good-edition-2", "echo/1.0.0/libecho.so");
  EXPECT_EQ(restart(host), Texts{"wrong-directory"});
  expect_both(older, newer);
  host.rescan();
  EXPECT_EQ(codes(host.problems()), Texts{"wrong-directory"});
  expect_both(older, newer);
  EXPECT_EQ(text(host.create<test::Echo>("echo@2.0.0").value()->say("c")), "2: c");
}

TEST_F(RefusedBuilds, AreNotLoadedByACreate) {
  place_echo("good", "1.0.0");
  Host host(options());
  place_fault("good-edition-2", "echo/1.0.0/libecho.so");
  EXPECT_EQ(host.create<test::Echo>("echo").error().code(), "wrong-directory");
}

TEST_F(RefusedBuilds, OfAVersionThatAnotherFileHas) {
  place_fault("good", "a.so");
  place_fault("good-edition-2", "b.so");
  Host host(options());
  auto older = host.create<test::Echo>("echo@1.0.0").value();
  auto newer = host.create<test::Echo>("echo@2.0.0").value();
  const std::string other = read_file(module_file(FAULTS "/good-edition-2.so")) + "\n";
  world_.place(world_.write("other.so", other), "a.so");
  EXPECT_EQ(restart(host), Texts{"package-differs"});
  expect_both(older, newer);
  EXPECT_EQ(codes(host.problems()), Texts());
  for (int times = 0; times < 2; ++times) {
    host.rescan();
    EXPECT_EQ(codes(host.problems()), Texts{"package-differs"});
    expect_both(older, newer);
  }
  EXPECT_EQ(codes(Host(options()).problems()), Texts{"package-differs"});
}

TEST_F(RefusedBuilds, AreNoProblemAfterTheyAreReplaced) {
  place_fault("good", "a.so");
  place_fault("good-edition-2", "b.so");
  Host host(options());
  auto older = host.create<test::Echo>("echo@1.0.0").value();
  auto newer = host.create<test::Echo>("echo@2.0.0").value();
  const std::string other = read_file(module_file(FAULTS "/good-edition-2.so")) + "\n";
  for (const bool by_rescan : {true, false}) {
    world_.place(world_.write("other.so", other), "a.so");
    host.rescan();
    ASSERT_EQ(codes(host.problems()), Texts{"package-differs"});
    place_fault("good", "a.so");
    if (by_rescan) {
      host.rescan();
    } else {
      EXPECT_EQ(host.restart_changed().restarted.size(), 1u);
    }
    EXPECT_EQ(codes(host.problems()), Texts()) << by_rescan;
    expect_both(older, newer);
  }
}

TEST_F(RefusedBuilds, WithAPluginOfAnotherPackage) {
  place_echoes();
  place("probe-new.so");
  place("probe-1.so", "probe.so");
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  place("probe-named-new.so", "probe.so");
  EXPECT_EQ(restart(host), Texts{"name-taken"});
  EXPECT_EQ(probe->edition().value(), 1);
}

TEST_F(PackageRequirements, ExcludePackagesIfUnmet) {
  place_echo("good", "1.0.0");
  place("probe-old.so");
  place("probe-new.so");
  Host host(options());
  ASSERT_EQ(codes(host.problems()), Texts{"no-matching-version"});
  EXPECT_EQ(names(host.plugins<test::Probe>()), Texts{"test.example/old"});
  const auto refused = host.create<test::Probe>("new");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "no-matching-version");
  EXPECT_EQ(refused.error().where(), "test.example/new 1.0.0");
  EXPECT_EQ(refused.error().found(), "test.example/faults 1.0.0");
  EXPECT_EQ(refused.error().needed(), "test.example/faults ^2");

  place_echo("good-edition-2", "2.0.0");
  host.rescan();
  EXPECT_TRUE(host.create<test::Probe>("new"));
}

TEST_F(PackageRequirements, HideUndeclaredPackages) {
  place_fault("good");
  place("probe-1.so");
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_EQ(probe->names().value(), Texts{"test.example/host-echo"});
  const auto refused = probe->ask("echo", "hello");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status(), TENON_FAILED_PRECONDITION);
  EXPECT_NE(refused.error().message().find("undeclared-requirement"), std::string_view::npos)
      << refused.error().message();
  EXPECT_TRUE(host.create<test::Echo>("echo")) << "the host finds all packages";
}

// The reason is its own unmet requirement, although a substitute exists for an absent version.
TEST_F(PackageRequirements, ReportWhyAPresentVersionIsRefused) {
  place_echo("good", "1.0.0");
  place("probe-old.so", "older.so");
  place("probe-newest.so", "newest.so");
  Host host(options());
  const auto refused = host.create<test::Probe>("test.example/old@2.0.0");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "no-matching-version");
  EXPECT_EQ(refused.error().where(), "test.example/old 2.0.0");
  EXPECT_TRUE(host.create<test::Probe>("test.example/old@1.0.0"));
  EXPECT_EQ(codes(host.resolve({"test.example/old@2.0.0"}).errors), Texts{"no-matching-version"});
}

// References may come from untrusted places, such as a config or another plugin.
TEST_F(PackageRequirements, OverrideVersionsInReferences) {
  place_echoes();
  place("probe-old.so");
  Host host(options());
  auto probe = host.create<test::Probe>("old").value();
  EXPECT_EQ(text(probe->ask("echo@1.0.0", "hello")), "1: hello");
  for (const char* reference : {"echo@2.0.0", "echo@^2", "standalone:echo@2"}) {
    const auto refused = probe->ask(reference, "hello");
    ASSERT_FALSE(refused) << reference;
    EXPECT_NE(refused.error().message().find("version-refused"), std::string_view::npos)
        << refused.error().message();
  }
}

TEST_F(PackageRequirements, RestrictTheHostItself) {
  place_echoes();
  HostOptions options = this->options();
  options.requirements = {{echoes, "^1"}};
  Host host(options);
  EXPECT_EQ(text(host.create<test::Echo>("echo").value()->say("hello")), "1: hello");
  const auto refused = host.create<test::Echo>("echo@2.0.0");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "version-refused");

  options.requirements = {{echoes, "one"}, {"test.example/nobody", "^1"}};
  EXPECT_EQ(codes(Host(options).problems()), (Texts{"bad-requirement", "missing-package"}));
}

TEST_F(PackageRequirements, SurviveARestartOfTheDependency) {
  place_echoes();
  place("probe-old.so");
  Host host(options());
  auto probe = host.create<test::Probe>("old").value();
  ASSERT_TRUE(probe->keep("echo"));
  ASSERT_TRUE(host.restart(echoes));
  EXPECT_EQ(text(probe->ask("echo", "hello")), "1: hello");
}

// The new version must meet the requirements of all users of the package.
TEST_F(PackageRequirements, RefuseARestartToAnExcludedVersion) {
  place_fault("good", "echo.so");
  place("probe-old.so");
  Host host(options());
  auto probe = host.create<test::Probe>("old").value();
  ASSERT_TRUE(probe->keep("echo"));
  place_fault("good-edition-2", "echo.so");
  const auto refused = host.restart(echoes);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "restart-refused");
  EXPECT_EQ(refused.error().found(), "test.example/faults 2.0.0");
  EXPECT_EQ(refused.error().needed(),
            "test.example/faults ^1, which the user test.example/old 1.0.0 requires");
  EXPECT_EQ(text(probe->ask("echo", "hello")), "1: hello") << "the old code still serves";
}

TEST_F(PackageRequirements, AcceptAVersionLoadedByARestart) {
  place_fault("good", "echo.so");
  place("probe-new.so");
  Host host(options());
  auto echo = host.create<test::Echo>("echo").value();
  EXPECT_EQ(host.create<test::Probe>("new").error().code(), "no-matching-version");
  place_fault("good-edition-2", "echo.so");
  ASSERT_TRUE(host.restart(echoes));
  EXPECT_EQ(host.find<test::Echo>("echo").value().package_version(), "2.0.0");
  EXPECT_EQ(text(host.create<test::Probe>("new").value()->ask("echo", "hello")), "2: hello");
  EXPECT_TRUE(host.problems().empty());
}

TEST_F(PackageRequirements, RefuseARestartToCodeWithUnmetRequirements) {
  place_echoes();
  place("probe-new.so", "probe.so");
  Host host(options());
  auto probe = host.create<test::Probe>("new").value();
  place("probe-newer.so", "probe.so");
  const auto refused = host.restart("test.example/new");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "no-matching-version");
  EXPECT_EQ(probe->edition().value(), 1);
}

TEST_F(PackageRequirements, AreAdvisoryInDevelopment) {
  place_echo("good", "1.0.0");
  const fs::path directory = world_.plugins() / "new" / "dev";
  fs::create_directories(directory);
  fs::copy_file(module_file(MODULES "/probe-new.so"), directory / module_file("probe.so"));
  Host host(options());
  EXPECT_EQ(codes(host.problems()), (Texts{"in-development", "requirement-not-enforced"}));
  auto probe = host.create<test::Probe>("new").value();
  EXPECT_EQ(text(probe->ask("echo", "hello")), "1: hello");
  ASSERT_TRUE(host.restart("test.example/new"));
  EXPECT_EQ(text(probe->ask("echo", "hello")), "1: hello") << "the package is still in development";
}

class LockFile : public PackageRequirements {
 protected:
  /// Writes a lock file for versions of the echo, each with a hash, and returns options with it.
  HostOptions locked(const std::vector<std::pair<std::string, std::string>>& versions) {
    std::string packages;
    for (const auto& [version, hash] : versions) {
      packages += (packages.empty() ? "" : ",") + std::string(R"({"name":"test.example/faults",)") +
                  R"("version":")" + version + R"(","sha256":")" + hash +
                  R"(","source":"plugins/echo/)" + version + module_file("/libecho.so") + R"("})";
    }
    write(R"({"type":"tenon.dev/lock","version":1,"value":{"packages":[)" + packages + "]}}");
    HostOptions options = this->options();
    options.lock_file = lock_;
    return options;
  }
  void write(const std::string& text) const { std::ofstream(lock_) << text; }
  std::string hash_of(const std::string& version) const {
    return sha256_of_file(world_.path("plugins/echo/" + version + "/libecho.so")).value();
  }
  std::string echo_result(Host& host) const {
    auto echo = host.create<test::Echo>("echo");
    return echo ? text((*echo)->say("hello")) : std::string(echo.error().code());
  }

  const fs::path lock_ = world_.path("tenon.lock");
};

TEST_F(LockFile, PrefersLockedVersionsToNewerOnes) {
  place_echoes();
  Host host(locked({{"1.0.0", hash_of("1.0.0")}}));
  EXPECT_TRUE(host.problems().empty());
  EXPECT_EQ(echo_result(host), "1: hello");
  EXPECT_EQ(text(host.create<test::Echo>("echo@^2").value()->say("hello")), "2: hello")
      << "an explicit reference selects another version";
}

TEST_F(LockFile, LoadsLockedVersionsSideBySide) {
  place_echoes();
  place("probe-old.so");
  place("probe-new.so");
  Host host(locked({{"1.0.0", hash_of("1.0.0")}, {"2.0.0", hash_of("2.0.0")}}));
  EXPECT_TRUE(host.problems().empty());
  EXPECT_EQ(text(host.create<test::Probe>("old").value()->ask("echo", "hello")), "1: hello");
  EXPECT_EQ(text(host.create<test::Probe>("new").value()->ask("echo", "hello")), "2: hello");
}

TEST_F(LockFile, RefusesAChangedFileAndReportsBothHashes) {
  place_echo("good", "1.0.0");
  const std::string other(64, 'a');
  Host host(locked({{"1.0.0", other}}));
  const auto refused = host.create<test::Echo>("echo");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "lock-differs");
  EXPECT_NE(refused.error().found().find(hash_of("1.0.0")), std::string_view::npos);
  EXPECT_NE(refused.error().needed().find(other), std::string_view::npos);
  EXPECT_FALSE(is_mapped("libecho.g"));
}

TEST_F(LockFile, RefusesARestartWithOtherContent) {
  place_echo("good", "1.0.0");
  Host host(locked({{"1.0.0", hash_of("1.0.0")}}));
  auto echo = host.create<test::Echo>("echo").value();
  for (const char* build : {"good-by-hand", "good-edition-2"}) {
    const fs::path file = world_.path("plugins/echo/1.0.0/libecho.so");
    fs::remove(file);
    fs::copy_file(module_file(FAULTS "/" + std::string(build) + ".so"), file);
    const auto refused = host.restart(echoes);
    ASSERT_FALSE(refused) << build;
    EXPECT_EQ(refused.error().code(), "lock-differs");
    EXPECT_EQ(text(echo->say("hello")), "1: hello");
  }
}

TEST_F(LockFile, ReportsAMissingPackageAndUsesTheRest) {
  place_echo("good", "1.0.0");
  const std::string hash(64, 'a');
  Host host(locked({{"2.0.0", hash}}));
  EXPECT_EQ(codes(host.problems()), Texts{"missing-locked-package"});
  EXPECT_EQ(echo_result(host), "1: hello");
}

TEST_F(LockFile, RefusesPackagesIfItIsUnreadable) {
  place_echo("good", "1.0.0");
  HostOptions options = locked({{"1.0.0", hash_of("1.0.0")}});
  const std::string whole = read_file(lock_);
  write(whole.substr(0, whole.size() / 2));
  Host cut(options);
  EXPECT_EQ(codes(cut.problems()), Texts{"broken-lock"});
  EXPECT_EQ(echo_result(cut), "broken-lock");
  EXPECT_TRUE(cut.create<test::Echo>("host-echo")) << "a builtin";
  fs::remove(lock_);
  Host gone(options);
  EXPECT_EQ(codes(gone.problems()), Texts{"not-found"});
}

class NestedCalls : public Hosting {
 protected:
  NestedCalls() {
    place("link-first.so");
    place("link-second.so");
    place("link-third.so");
  }
};

TEST_F(NestedCalls, ReportTheWholePathOfAFailure) {
  Host host(options());
  auto first = host.create<test::Echo>("first").value();
  EXPECT_EQ(first->say("second>third>hello").value(), "third");
  const auto failed = first->say("second>third>fail");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message(), "first cannot go on");
  EXPECT_EQ(failed.error().cause(),
            "test.example/second: say: data-loss; "
            "behind it test.example/third: say: data-loss: no ink");
  EXPECT_EQ(failed.error().to_string(),
            "test.example/first: say: internal: first cannot go on; "
            "behind it test.example/second: say: data-loss; "
            "behind it test.example/third: say: data-loss: no ink");
  EXPECT_EQ(host.create<test::Echo>("third").value()->say("fail").error().cause(), "");
}

TEST_F(NestedCalls, ReportThePathToARefusedPlugin) {
  Host host(options());
  auto first = host.create<test::Echo>("first").value();
  const auto refused = first->say("second>third>second>hello");
  ASSERT_FALSE(refused);
  const std::string path(refused.error().cause());
  EXPECT_EQ(path.find("test.example/second: say: failed-precondition; behind it "
                      "test.example/third: say: failed-precondition; behind it "
                      "error[undeclared-requirement] test.example/third 1.0.0"),
            0u)
      << path;
  const std::string text = refused.error().to_string();
  const auto refusal = text.find("undeclared-requirement");
  EXPECT_NE(refusal, std::string::npos) << text;
  EXPECT_EQ(text.find("undeclared-requirement", refusal + 1), std::string::npos)
      << "once: " << text;
}

// The path of one call is not reported for the next.
TEST_F(NestedCalls, ReportNoFailureOfAnEarlierCall) {
  Host host(options());
  auto first = host.create<test::Echo>("first").value();
  Call call;
  ASSERT_FALSE(first->say(call, "second>fail"));
  call.reset();
  const auto refused = first->say(call, "fail");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cause(), "");
}

TEST_F(NestedCalls, MayBeCyclic) {
  Host host(options());
  auto first = host.create<test::Echo>("first").value();
  std::string text = "hello";
  for (int i = 0; i < 10; ++i) text = "second>first>" + text;
  EXPECT_EQ(first->say(text).value(), "first");
  EXPECT_EQ(module(host, "test.example/second").instances, 0u) << "each instance was released";
}

// Each module needs the other in its start: an error, and neither stays loaded.
TEST_F(NestedCalls, RefuseCyclesWhileModulesStart) {
  place("link-first-needs-second.so", "link-first.so");
  place("link-second-needs-first.so", "link-second.so");
  HostOptions options = short_drain();
  // How long two threads wait that start one module each.
  options.restart.step_timeout = std::chrono::seconds(3);
  Host host(options);
  const auto refused = host.create<test::Echo>("first");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "start-failed");
  EXPECT_FALSE(module(host, "test.example/first").loaded);
  EXPECT_FALSE(module(host, "test.example/second").loaded);

  std::thread other([&] { EXPECT_FALSE(host.create<test::Echo>("second")); });
  EXPECT_FALSE(host.create<test::Echo>("first"));
  other.join();
  EXPECT_FALSE(module(host, "test.example/first").loaded);
  EXPECT_FALSE(module(host, "test.example/second").loaded);
}

}}  // namespace tenon::tests
