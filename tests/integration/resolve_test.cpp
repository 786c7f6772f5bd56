// SPDX-License-Identifier: BSL-1.0
//
// Host::packages, Host::resolve and Host::write_lock. The package test.example/faults contains the
// echo; test.example/old requires ^1 of it, test.example/new ^2, test.example/probes any version.
#include <gtest/gtest.h>
#include <test/echo.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

class Resolve : public Hosting {
 protected:
  static constexpr const char* echoes = "test.example/faults";

  /// Installs a build of the echo in the directory of its version, always under the same file name.
  fs::path place_echo(const std::string& build, const std::string& version) const {
    fs::path file = world_.path("plugins/echo/" + version + "/libecho.so");
    fs::copy_file(module_file(FAULTS "/" + build + ".so"), file);
    return file;
  }
  void place_echoes() const {
    place_echo("good", "1.0.0");
    place_echo("good-edition-2", "2.0.0");
  }
  /// Returns texts for comparison, eg: "test.example/faults 1.0.0".
  static Texts describe(const std::vector<ResolvedPackage>& packages) {
    Texts texts;
    for (const ResolvedPackage& one : packages) {
      texts.push_back(one.package.name + " " + one.package.version);
    }
    return texts;
  }
  static Texts describe(const std::vector<RequirerInfo>& requirers) {
    Texts texts;
    for (const RequirerInfo& one : requirers) texts.push_back(one.name + ": " + one.versions);
    return texts;
  }
  static Texts describe(const std::vector<SkippedVersion>& newer) {
    Texts texts;
    for (const SkippedVersion& one : newer) texts.push_back(one.version + ": " + one.reason);
    return texts;
  }
  static PackageInfo find(const Host& host, const std::string& name, const std::string& version) {
    for (PackageInfo& package : host.packages()) {
      if (package.name == name && package.version == version) return std::move(package);
    }
    ADD_FAILURE() << "no " << name << " " << version;
    return {};
  }
};

TEST_F(Resolve, ListsPackagesAndTheirResolvedRequirements) {
  const fs::path first = place_echo("good", "1.0.0");
  place_echo("good-edition-2", "2.0.0");
  place("probe-old.so");
  place("probe-newer.so");
  const Host host(options());
  Texts all;
  for (const PackageInfo& one : host.packages()) {
    all.push_back(one.name + " " + one.version + (one.used ? " used" : "") +
                  (one.builtin() ? " builtin" : "") + (one.refused ? " refused" : ""));
  }
  EXPECT_EQ(all, (Texts{"test.example/faults 2.0.0 used", "test.example/faults 1.0.0 used",
                        "test.example/host 1.0.0 used builtin", "test.example/new 2.0.0 refused",
                        "test.example/old 1.0.0 used"}));
  EXPECT_EQ(find(host, echoes, "1.0.0").file, first);

  const PackageInfo old = find(host, "test.example/old", "1.0.0");
  ASSERT_EQ(old.requirements.size(), 1U);
  EXPECT_EQ(old.requirements[0].package, echoes);
  EXPECT_EQ(old.requirements[0].versions, "^1");
  EXPECT_EQ(old.requirements[0].resolved, "1.0.0");
  EXPECT_TRUE(old.requirements[0].met);

  const PackageInfo newer = find(host, "test.example/new", "2.0.0");
  ASSERT_EQ(newer.requirements.size(), 1U);
  EXPECT_EQ(newer.requirements[0].resolved, "");
  EXPECT_FALSE(newer.requirements[0].met);
  EXPECT_EQ(newer.refused->code(), "no-matching-version");
}

TEST_F(Resolve, SubstitutesVersionsForPackagesInDevelopment) {
  place_echo("good", "1.0.0");
  fs::copy_file(module_file(MODULES "/probe-new.so"), world_.path("plugins/new/dev/probe.so"));
  const Host host(options());
  const PackageInfo one = find(host, "test.example/new", "0.0.0");
  EXPECT_TRUE(one.in_development);
  ASSERT_EQ(one.requirements.size(), 1U);
  EXPECT_EQ(one.requirements[0].resolved, "1.0.0");
  EXPECT_FALSE(one.requirements[0].met);
}

TEST_F(Resolve, IncludesRequiredPackages) {
  place_echoes();
  place("probe-old.so");
  place("probe-new.so");
  const Host host(options());
  const ResolvedPackages one = host.resolve({"test.example/old"});
  EXPECT_EQ(describe(one.packages), (Texts{"test.example/old 1.0.0", "test.example/faults 1.0.0"}));
  EXPECT_TRUE(one.errors.empty());
  EXPECT_TRUE(one.warnings.empty());
  EXPECT_EQ(describe(one.packages[0].required_by), Texts{"test.example/old: "});
  EXPECT_EQ(describe(one.packages[1].required_by), Texts{"test.example/old 1.0.0: ^1"});
  EXPECT_EQ(describe(one.packages[1].newer), Texts{"2.0.0: test.example/old 1.0.0 requires ^1"});

  const ResolvedPackages both = host.resolve({"test.example/new", "test.example/old"});
  EXPECT_EQ(describe(both.packages),
            (Texts{"test.example/new 1.0.0", "test.example/old 1.0.0", "test.example/faults 2.0.0",
                   "test.example/faults 1.0.0"}));
  EXPECT_TRUE(both.packages[2].newer.empty());
}

// The requirements of packages outside of the request count too.
TEST_F(Resolve, AppliesTheRequirementsOfAllPackages) {
  place_echoes();
  place("probe-old.so");
  place("probe-of-echo.so");
  HostOptions options = this->options();
  options.requirements = {{echoes, "^1"}};
  const Host host(options);
  const ResolvedPackages whole = host.resolve({"probe"});
  ASSERT_EQ(whole.packages.size(), 2U);
  EXPECT_EQ(whole.packages[0].package.name, probes);
  EXPECT_EQ(whole.packages[1].package.version, "1.0.0");
  EXPECT_EQ(describe(whole.packages[1].required_by),
            (Texts{"the host: ^1", "test.example/old 1.0.0: ^1", "test.example/probes 1.0.0: *"}));
}

TEST_F(Resolve, AcceptsReferencesToPluginsAndPackages) {
  place_echoes();
  const Host host(options());
  for (const char* reference : {"test.example/echo", "standalone:test.example/faults",
                                "test.example/faults@>=1", "test.example/echo@^2"}) {
    SCOPED_TRACE(reference);
    EXPECT_EQ(describe(host.resolve({reference}).packages), Texts{"test.example/faults 2.0.0"});
  }
  EXPECT_EQ(describe(host.resolve({"builtin:test.example/host-echo"}).packages),
            Texts{"test.example/host 1.0.0"});
  const ResolvedPackages wrong = host.resolve(
      {"builtin:test.example/faults", "test.example/faults@3", "a b", "test.example/nobody"});
  EXPECT_TRUE(wrong.packages.empty());
  EXPECT_EQ(codes(wrong.errors), (Texts{"not-found", "not-found", "bad-reference", "not-found"}));
  EXPECT_EQ(wrong.errors[0].found(), "test.example/faults 2.0.0 (standalone), 1.0.0 (standalone)");
  EXPECT_EQ(wrong.errors[1].found(), "test.example/faults 2.0.0 (standalone), 1.0.0 (standalone)");
  EXPECT_EQ(host.resolve({"test.example/faults@9.0.0"}).errors.at(0).found(),
            "test.example/faults 2.0.0 (standalone), 1.0.0 (standalone)");
  EXPECT_EQ(host.resolve({"test.example/echo@^9"}).errors.at(0).found(),
            "test.example/echo 2.0.0 (standalone), 1.0.0 (standalone)");
}

TEST_F(Resolve, SubstitutesAMissingVersionWithAWarning) {
  place_echoes();
  const Host host(options());
  for (const char* reference : {"test.example/echo@1.3.4", "test.example/faults@1.3.4"}) {
    const ResolvedPackages resolved = host.resolve({reference});
    EXPECT_EQ(describe(resolved.packages), Texts{"test.example/faults 1.0.0"});
    ASSERT_EQ(codes(resolved.warnings), Texts{"version-substituted"});
    EXPECT_EQ(resolved.warnings[0].where(), reference);
    EXPECT_EQ(resolved.warnings[0].found(), "test.example/faults 1.0.0");
    EXPECT_EQ(describe(resolved.packages[0].newer),
              Texts{"2.0.0: " + std::string(reference) + " requires 1.3.4"});
  }
}

TEST_F(Resolve, ExplainsNewerVersionsThatTheHostExcludes) {
  place_echoes();
  place("probe-newer.so");
  HostOptions options = this->options();
  options.app = "photo";
  options.requirements = {{echoes, "^1"}};
  const Host host(options);
  const ResolvedPackages resolved = host.resolve({echoes, "test.example/new"});
  EXPECT_EQ(describe(resolved.packages), Texts{"test.example/faults 1.0.0"});
  EXPECT_EQ(describe(resolved.packages[0].required_by),
            (Texts{"test.example/faults: ", "photo: ^1"}));
  EXPECT_EQ(describe(resolved.packages[0].newer),
            Texts{"2.0.0: needed: test.example/faults ^1, which the host requires"});
  EXPECT_EQ(codes(resolved.errors), Texts{"no-matching-version"});
}

TEST_F(Resolve, ExplainsNewerVersionsWithUnmetRequirements) {
  place("probe-old.so", "older.so");
  place("probe-newest.so", "newest.so");
  place_echo("good", "1.0.0");
  const Host host(options());
  const ResolvedPackages resolved = host.resolve({"test.example/old"});
  ASSERT_FALSE(resolved.packages.empty());
  EXPECT_EQ(describe(resolved.packages[0].newer),
            Texts{"2.0.0: it requires test.example/faults ^3; found: test.example/faults "
                  "1.0.0"});
}

// The host loads an older version if the newest one has only plugins that it cannot use. All
// answers name the version that it loads.
TEST_F(Resolve, SkipsNewerVersionsWithoutCompatiblePlugins) {
  place_echo("good", "1.0.0");
  place_echo("kind-too-new-edition-2", "2.0.0");
  Host host(options());
  EXPECT_EQ(host.create<test::Echo>("test.example/echo").value().info().package_version(), "1.0.0");
  EXPECT_TRUE(find(host, echoes, "1.0.0").used);
  EXPECT_FALSE(find(host, echoes, "2.0.0").used);
  for (const std::string name : {"test.example/echo", echoes}) {
    const ResolvedPackages resolved = host.resolve({name});
    EXPECT_EQ(describe(resolved.packages), Texts{"test.example/faults 1.0.0"}) << name;
    ASSERT_FALSE(resolved.packages.empty());
    EXPECT_EQ(describe(resolved.packages[0].newer),
              Texts{"2.0.0: the host can use none of its plugins"});
  }
  ASSERT_TRUE(host.write_lock(world_.root() / "tenon.lock"));
  const std::string lock = world_.read("tenon.lock");
  EXPECT_NE(lock.find(R"({"name":"test.example/faults","version":"1.0.0",)"), std::string::npos);
  EXPECT_EQ(lock.find(R"("version":"2.0.0")"), std::string::npos) << lock;

  // There is nothing else to use.
  fs::remove_all(world_.path("plugins/echo/1.0.0"));
  const Host newest(options());
  EXPECT_TRUE(find(newest, echoes, "2.0.0").used);
  EXPECT_EQ(describe(newest.resolve({"test.example/echo"}).packages),
            Texts{"test.example/faults 2.0.0"});
}

// -- Lock files ---------------------------------------------------------------

TEST_F(Resolve, WritesALockFile) {
  place_echoes();
  place("probe-old.so");
  const fs::path file = world_.root() / "tenon.lock";
  const Host host(options());
  ASSERT_TRUE(host.write_lock(file));
  const std::string text = world_.read("tenon.lock");
  const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(R"({"name":"test.example/faults","version":"1.0.0","sha256":")")) << text;
  EXPECT_TRUE(has(R"("source":"plugins/echo/2.0.0/)" + module_file("libecho.so") + R"(",)"))
      << text;
  EXPECT_TRUE(has(R"({"name":"test.example/host","version":"1.0.0","source":"builtin",)")) << text;
  EXPECT_TRUE(has(R"("source":"plugins/)" + module_file("probe-old.so") + R"(",)")) << text;
}

TEST_F(Resolve, ReproducesLockedVersions) {
  place_echo("good", "1.0.0");
  place("probe-of-echo.so");
  HostOptions options = this->options();
  options.lock_file = world_.root() / "tenon.lock";
  ASSERT_TRUE(Host(this->options()).write_lock(options.lock_file));
  const std::string lock = world_.read("tenon.lock");
  place_echo("good-edition-2", "2.0.0");
  const Host host(options);
  EXPECT_TRUE(host.problems().empty()) << host.problems().front().to_string();
  EXPECT_TRUE(find(host, echoes, "1.0.0").locked);
  EXPECT_TRUE(find(host, echoes, "1.0.0").used);
  EXPECT_FALSE(find(host, echoes, "2.0.0").used);
  const ResolvedPackages resolved = host.resolve({"probe"});
  ASSERT_EQ(resolved.packages.size(), 2U);
  EXPECT_EQ(resolved.packages[1].package.version, "1.0.0");
  EXPECT_EQ(describe(resolved.packages[1].newer), Texts{"2.0.0: the lock names the older one"});
  ASSERT_TRUE(host.write_lock(options.lock_file));
  EXPECT_EQ(world_.read("tenon.lock"), lock);
}

#ifndef _WIN32  // libraries beside modules are refused
TEST_F(Resolve, LocksLibrariesBesideModules) {
  const auto place_library = [&](const std::string& build, const std::string& name) {
    return world_.write("lib/" + name, read_file(FAULTS "/" + build + ".so"));
  };
  place_fault("sibling-user", "echo.so");
  const fs::path sibling = place_library("sibling-1", "libtests-sibling.so.1");
  const fs::path deep = place_library("deep", "libtests-deep.so.1");
  HostOptions options = this->options();
  options.lock_file = world_.root() / "tenon.lock";
  ASSERT_TRUE(Host(this->options()).write_lock(options.lock_file));
  const std::string lock = world_.read("tenon.lock");
  const auto hash = [&](const fs::path& file) {
    return world_.run({"sha256sum", file.string()}).out.substr(0, 64);
  };
  const std::string deep_hash = hash(deep);
  EXPECT_NE(lock.find(R"("libraries":[{"path":"../lib/libtests-deep.so.1","sha256":")" + deep_hash +
                      R"("},{"path":"../lib/libtests-sibling.so.1","sha256":")" + hash(sibling)),
            std::string::npos)
      << lock;
  const auto refusal = [](Host& host) {
    const auto echo = host.create<test::Echo>("standalone:echo");
    return echo ? Error({.code = "created"}) : echo.error();
  };
  {
    Host host(options);
    auto echo = host.create<test::Echo>("standalone:echo");
    ASSERT_TRUE(echo) << echo.error().to_string();
    place_library("sibling-2", "libtests-sibling.so.1");
    const auto restarted = host.restart(echoes);
    ASSERT_FALSE(restarted) << "the library was replaced while the host runs";
    EXPECT_EQ(restarted.error().code(), "lock-differs");
    EXPECT_EQ((*echo)->say("hello").value(), "1: hello");
  }
  Host host(options);
  EXPECT_EQ(refusal(host).code(), "lock-differs");
  EXPECT_EQ(refusal(host).where(), sibling.lexically_normal());
  EXPECT_NE(refusal(host).found().find(hash(sibling)), std::string_view::npos);

  place_library("sibling-1", "libtests-sibling.so.1");
  fs::remove(deep);
  EXPECT_EQ(refusal(host).code(), "lock-differs") << "a library is missing";
  EXPECT_EQ(refusal(host).found(), "no file");
  place_library("deep", "libtests-deep.so.1");
  EXPECT_TRUE(host.create<test::Echo>("standalone:echo")) << "all libraries are present again";

  world_.write("tenon.lock", lock.substr(0, lock.find(R"(,"libraries")")) + "},\n" +
                                 lock.substr(lock.find(R"(  {"name":"test.example/host")")));
  Host of_others(options);
  EXPECT_EQ(refusal(of_others).code(), "lock-differs") << "a library is not in the lock file";
}
#endif

TEST_F(Resolve, OmitsUnusablePackagesFromTheLock) {
  place_echo("good", "1.0.0");
  place("probe-new.so");
  ASSERT_TRUE(Host(options()).write_lock(world_.root() / "tenon.lock"));
  EXPECT_EQ(world_.read("tenon.lock").find("test.example/new"), std::string::npos);
}

TEST_F(Resolve, RefusesToLockPackagesInDevelopment) {
  const fs::path file = world_.write("tenon.lock", "what was there before");
  const fs::path dev = world_.path("plugins/echo/dev/libecho.so");
  fs::copy_file(module_file(FAULTS "/good.so"), dev);
  const auto written = Host(options()).write_lock(file);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), "not-lockable");
  EXPECT_EQ(written.error().where(), dev.string());
  EXPECT_EQ(world_.read("tenon.lock"), "what was there before");
}

#ifndef _WIN32  // a working directory cannot be removed
TEST_F(Resolve, WritesNoLockFileWithoutADirectory) {
  place_echoes();
  Host host(options());
  EXPECT_EQ(host.write_lock("").error().code(), "not-found");
  const std::filesystem::path before = std::filesystem::current_path();
  const std::filesystem::path gone = world_.path("gone");
  std::filesystem::create_directory(gone);
  std::filesystem::current_path(gone);
  std::filesystem::remove(gone);
  const auto written = host.write_lock("tenon.lock");
  std::filesystem::current_path(before);
  EXPECT_EQ(written.error().code(), "not-found");
}
#endif

TEST_F(Resolve, RefusesToLockIfAPackageIsMissing) {
  HostOptions options = this->options();
  options.requirements = {{"test.example/nobody", "^1"}};
  const auto written = Host(options).write_lock(world_.root() / "tenon.lock");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), "missing-package");
  EXPECT_FALSE(fs::exists(world_.root() / "tenon.lock"));
}

}}  // namespace tenon::tests
