// SPDX-License-Identifier: BSL-1.0
//
// Whose files a host loads: owners and modes, the lock as a list of what is allowed, and the rules
// of an operator. The tests with other users run as root; without root, the warnings are tested.
#include <tenon/inspect.hpp>
#include <tenon/trust.hpp>

#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <test/echo.hpp>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

class TrustOfFiles : public Hosting {
 protected:
  TrustOfFiles() {
    chmod(world_.root().c_str(), 0755);
    host_echo_says = [](std::string_view text) { return "host: " + std::string(text); };
  }

  static std::string echo_result(Host& host) {
    auto echo = host.create<test::Echo>("echo");
    if (!echo) return std::string(echo.error().code());
    const auto said = (*echo)->say("hello");
    return said ? *said : std::string(said.error().code());
  }
  /// Returns the codes of what a host skipped, with a `?` after warnings.
  static std::vector<std::string> skipped(const Host& host) {
    std::vector<std::string> codes;
    for (const Error& error : host.problems()) {
      codes.push_back(std::string(error.code()) +
                      (error.severity() == Severity::warning ? "?" : ""));
    }
    return codes;
  }
  using Codes = std::vector<std::string>;

  HostOptions locked() {
    HostOptions options = this->options();
    options.lock_file = world_.path("tenon.lock");
    return options;
  }
  void write_lock() { ASSERT_TRUE(Host(options()).write_lock(world_.path("tenon.lock"))); }
  HostOptions with_rules(const std::string& value) {
    HostOptions options = this->options();
    options.trust_rules = world_.write(
        "trust.json", R"({"type":"tenon.dev/trust_rules","version":1,"value":)" + value + "}");
    return options;
  }
  std::string hash_of(const fs::path& file) const {
    return world_.run({"sha256sum", file}).out.substr(0, 64);
  }

  /// Places a module with a library that only its absolute run path leads to. Returns the library.
  fs::path place_with_run_path() const { return place_with_run_path("", ""); }
  /// The same with other directories at the begin or the end of the run path.
  fs::path place_with_run_path(const std::string& first, const std::string& last) const {
    const fs::path directory = fs::canonical(world_.path("run-path/x").parent_path());
    std::string library = read_file(fs::path(FAULTS) / "kept-2.so");
    const std::string name = "libtests-kept-7.so";
    library.replace(library.find("libtests-kept-0.so"), name.size(), name);
    std::string module = read_file(fs::path(FAULTS) / "kept-user.so");
    module.replace(module.find("libtests-kept-0.so"), name.size(), name);
    const auto begin = module.find("/run-path-of");
    std::string run_path = first + directory.string();
    run_path.resize(module.find('\0', begin) - begin - last.size(), '/');
    run_path += last;
    module.replace(begin, run_path.size(), run_path);
    world_.write("plugins/user.so", module);
    return world_.write("run-path/" + name, library);
  }

 private:
  static std::string read_file(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};

class TrustOfRoot : public TrustOfFiles {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root refuses the files of others";
  }
};

TEST_F(TrustOfRoot, RefusesFilesOfOthersUntilTheirOwnerIsCorrect) {
  place_fault("good");
  const fs::path file = placed("good.so");
  ASSERT_EQ(chown(file.c_str(), 1, 1), 0);
  Host host(options());
  EXPECT_EQ(skipped(host), Codes{"untrusted-owner"});
  EXPECT_EQ(host.problems().front().found(), "a file of the user daemon");
  EXPECT_EQ(host.problems().front().fix(), "chown root " + fs::canonical(file).string());
  EXPECT_EQ(echo_result(host), "untrusted-owner");
  ASSERT_EQ(chown(file.c_str(), 0, 0), 0);
  host.rescan();
  EXPECT_EQ(skipped(host), Codes());
  EXPECT_EQ(echo_result(host), "1: hello");
}

TEST_F(TrustOfRoot, RefusesDirectoriesThatOthersMayWrite) {
  place_fault("good");
  Host host(options());
  EXPECT_EQ(skipped(host), Codes());
  chmod(world_.plugins().c_str(), 0777);
  EXPECT_EQ(echo_result(host), "untrusted-owner") << "it changed after the scan";
  host.rescan();
  EXPECT_EQ(skipped(host), Codes{"untrusted-owner"});
  chmod(world_.plugins().c_str(), 01777);
  host.rescan();
  EXPECT_EQ(echo_result(host), "1: hello");
}

TEST_F(TrustOfRoot, RefusesToRestartToFilesOfOthers) {
  place_fault("good");
  Host host(options());
  auto echo = host.create<test::Echo>("echo").value();
  place_fault("good-edition-2", "good.so");
  ASSERT_EQ(chown((placed("good.so")).c_str(), 1, 1), 0);
  const auto restarted = host.restart("test.example/faults");
  ASSERT_FALSE(restarted);
  EXPECT_EQ(restarted.error().code(), "untrusted-owner");
  EXPECT_EQ(echo->say("hello").value(), "1: hello") << "the old code serves on";
}

TEST_F(TrustOfRoot, RefusesLibrariesOfOthers) {
  const fs::path library = place_with_run_path();
  ASSERT_EQ(chown(library.c_str(), 1, 1), 0);
  Host host(options());
  EXPECT_EQ(skipped(host), Codes()) << "a scan reads only modules";
  EXPECT_EQ(echo_result(host), "untrusted-owner");
}

TEST_F(TrustOfRoot, LoadsWhateverTheHostAccepts) {
  place_fault("good");
  ASSERT_EQ(chown((placed("good.so")).c_str(), 1, 1), 0);
  HostOptions options = this->options();
  options.trust = Trust::any;
  Host host(std::move(options));
  EXPECT_EQ(skipped(host), Codes());
  EXPECT_EQ(echo_result(host), "1: hello");
}

TEST_F(TrustOfRoot, IsNotDecidedByLocksOfOthers) {
  place_fault("good");
  write_lock();
  chmod(world_.path("tenon.lock").c_str(), 0666);
  Host host(locked());
  EXPECT_EQ(skipped(host), Codes{"untrusted-owner"});
  EXPECT_EQ(echo_result(host), "untrusted-owner");
}

/// The process has the rights of a user without any until this is destroyed.
class AsUser {
 public:
  AsUser() { EXPECT_EQ(seteuid(65534), 0); }
  ~AsUser() { EXPECT_EQ(seteuid(0), 0); }
  AsUser(const AsUser&) = delete;
  AsUser& operator=(const AsUser&) = delete;
};

TEST_F(TrustOfFiles, OfUsersWarns) {
  place_fault("good");
  chmod(world_.plugins().c_str(), 0777);
  std::optional<AsUser> user;
  if (geteuid() == 0) {
    chmod(world_.root().c_str(), 0777);
    user.emplace();
  }
  HostOptions options = this->options();
  options.copy_directory = "/tmp";
  Host host(std::move(options));
  ASSERT_EQ(skipped(host), Codes{"untrusted-owner?"});
  EXPECT_NE(host.problems().front().needed().find("a program that runs as root refuses this"),
            std::string::npos);
  EXPECT_EQ(echo_result(host), "1: hello");
}

TEST_F(TrustOfFiles, ThatArePinnedLoadsOnlyWhatTheLockLists) {
  place_fault("good");
  write_lock();
  HostOptions options = locked();
  options.trust = Trust::pinned;
  {
    Host host(options);
    EXPECT_EQ(skipped(host), Codes());
    EXPECT_EQ(echo_result(host), "1: hello");
  }
  place("counter-1.so");
  place_fault("good-edition-2", "newer.so");
  Host host(options);
  EXPECT_EQ(skipped(host), (Codes{"not-pinned", "not-pinned"}));
  EXPECT_EQ(echo_result(host), "1: hello");
}

TEST_F(TrustOfFiles, ThatArePinnedNeedsALock) {
  place_fault("good");
  HostOptions options = this->options();
  options.trust = Trust::pinned;
  Host host(std::move(options));
  ASSERT_FALSE(host.problems().empty());
  EXPECT_EQ(host.problems().back().code(), "not-pinned");
  EXPECT_EQ(echo_result(host), "not-pinned");
}

TEST_F(TrustOfFiles, LocksTheLibrariesOfRunPaths) {
  const fs::path library = place_with_run_path();
  write_lock();
  EXPECT_NE(world_.read("tenon.lock").find(hash_of(library)), std::string::npos);
  std::ofstream(library, std::ios::app) << "another";
  Host host(locked());
  EXPECT_EQ(echo_result(host), "lock-differs");
}

TEST_F(TrustOfFiles, RefusesRunPathsBelowTheWorkingDirectory) {
  for (const auto& [first, last] :
       {std::pair("lib:", ""), std::pair(":", ""), std::pair("", ":"), std::pair("$LIB/x:", "")}) {
    place_with_run_path(first, last);
    Host host(options());
    EXPECT_EQ(echo_result(host), "relative-run-path") << first << last;
    const auto& errors = inspect(placed("user.so")).errors;
    ASSERT_EQ(errors.size(), 1U) << first << last;
    EXPECT_EQ(errors.front().code(), "relative-run-path");
  }
  place_with_run_path("$ORIGIN/lib:", "");
  Host host(options());
  EXPECT_EQ(echo_result(host), "1: hello");
}

TEST_F(TrustOfFiles, FollowsTheListOfDenials) {
  place_fault("good");
  place_fault("good-edition-2", "newer.so");
  {
    Host host(with_rules(R"({"denied":[{"package":"test.example/faults","versions":">=2",)"
                         R"("reason":"advisory 7"}]})"));
    EXPECT_EQ(skipped(host), Codes{"denied"});
    EXPECT_EQ(
        host.problems().front().needed(),
        "a version that " + world_.path("trust.json").string() + " does not deny (advisory 7)");
    EXPECT_EQ(echo_result(host), "1: hello");
  }
  Host host(with_rules(R"({"denied":[{"sha256":")" + hash_of(placed("newer.so")) +
                       R"(","reason":"the build of Monday"}]})"));
  EXPECT_EQ(skipped(host), Codes()) << "a scan computes no hashes";
  EXPECT_EQ(echo_result(host), "denied");
}

TEST_F(TrustOfFiles, IsOnlyMadeStricterByRules) {
  place_fault("good");
  HostOptions options = with_rules(R"({"level":"pinned"})");
  EXPECT_EQ(skipped(Host(options)).back(), "not-pinned");
  write_lock();
  options = with_rules(R"({"level":"owner"})");
  options.lock_file = world_.path("tenon.lock");
  options.trust = Trust::pinned;
  place("counter-1.so");
  EXPECT_EQ(skipped(Host(options)), Codes{"not-pinned"});
}

TEST_F(TrustOfFiles, LoadsNothingWithoutItsRules) {
  place_fault("good");
  for (const char* text : {"", "{", "[]", R"({"level":"any"})", R"({"denied":[{"reason":"x"}]})",
                           R"({"denied":[{"reason":"x","versions":"<1"}]})",
                           R"({"denied":[{"reason":"x","package":"blur"}]})",
                           R"({"denied":[{"reason":"x","package":"a.b/c","versions":"x"}]})",
                           R"({"denied":[{"reason":"x","sha256":"1234"}]})"}) {
    Host host(with_rules(text));
    EXPECT_EQ(skipped(host), Codes{"broken-trust-rules"}) << text;
    EXPECT_EQ(echo_result(host), "broken-trust-rules") << text;
  }
  HostOptions missing = options();
  missing.trust_rules = world_.path("missing.json");
  Host host(std::move(missing));
  EXPECT_EQ(skipped(host), Codes{"not-found"});
  EXPECT_EQ(echo_result(host), "not-found");
}

TEST_F(TrustOfFiles, RefusesRulesThatOthersMayChange) {
  place_fault("good");
  const HostOptions options = with_rules("{}");
  chmod(options.trust_rules.c_str(), 0666);
  Host host(options);
  EXPECT_EQ(skipped(host), Codes{"untrusted-owner"});
  EXPECT_EQ(echo_result(host), "untrusted-owner");
}

TEST_F(TrustOfFiles, IsShownByInspections) {
  const fs::path library = place_with_run_path();
  const fs::path file = placed("user.so");
  chmod(file.c_str(), 0640);
  const ModuleReport report = inspect(file);
  EXPECT_TRUE(report.would_load());
  ASSERT_TRUE(report.owner);
  EXPECT_EQ(report.owner->mode, 0640U);
  EXPECT_EQ(report.owner->user, std::string(getpwuid(geteuid())->pw_name));
  const auto found =
      std::ranges::find(report.libraries, library.filename().string(), &LibraryInfo::name);
  ASSERT_NE(found, report.libraries.end());
  EXPECT_TRUE(fs::equivalent(found->path, library));
  EXPECT_TRUE(found->owner);

  chmod(library.c_str(), 0666);
  const ModuleReport open = inspect(file);
  const auto& problems = geteuid() == 0 ? open.errors : open.warnings;
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems.front().code(), "untrusted-owner");
}

TEST(Manifest, WithHiddenCharactersGetsAWarning) {
  const std::string_view text =
      R"({"manifest":1,"abi":"1.0","name":"me.example/a","version":"1.0.0","provides":)"
      R"([{"kind":"a.b/c","version":1,"spec":"0000000000000001","name":"a.b/d"},null],)"
      R"("details":[{"summary":"blur\udb40\udc41"},null]})";
  tenon_module module{};
  module.manifest = text.data();
  module.manifest_size = text.size();
  const ModuleReport report = inspect(module);
  ASSERT_EQ(report.errors.size(), 0U) << report.errors.front().to_string();
  ASSERT_FALSE(report.warnings.empty());
  EXPECT_EQ(report.warnings.front().code(), "hidden-characters");
  EXPECT_EQ(report.warnings.front().found().find('\xf3'), std::string::npos) << "escaped";
}

}}  // namespace tenon::tests
