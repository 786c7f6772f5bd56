// SPDX-License-Identifier: BSL-1.0
//
// Hosts that load DLLs. FAULTS and DLLS are the directories of the modules.
#include <tenon/host.hpp>
#include <tenon/trust.hpp>

#include <gtest/gtest.h>
#include <test/echo.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "windows/folder.hpp"
#include "windows/rights.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

constexpr const char* package = "test.example/faults";
constexpr const char* echo = "test.example/echo";

class DllHost : public testing::Test {
 protected:
  DllHost() { fs::create_directory(plugins()); }

  fs::path plugins() const { return folder_.path() / "plugins"; }
  fs::path copies() const { return folder_.path(); }

  fs::path place(std::string_view build, std::string_view as) const {
    const fs::path file = plugins() / as;
    // A loaded file can be renamed, but not written to.
    const fs::path fresh = plugins() / "fresh";
    const bool own = fs::exists(fs::path(DLLS) / build);
    fs::copy_file((own ? fs::path(DLLS) : fs::path(FAULTS)) / build, fresh,
                  fs::copy_options::overwrite_existing);
    fs::rename(fresh, file);
    return file;
  }

  HostOptions options() const {
    return {.app = "", .plugin_path = {plugins()}, .copy_directory = copies()};
  }

  /// Returns the number of copies of modules.
  std::size_t copied() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(copies())) {
      const fs::path& path = entry.path();
      count += path.extension() == ".dll" && path.parent_path() != plugins() ? 1 : 0;
    }
    return count;
  }

 private:
  const Folder folder_;
};

TEST_F(DllHost, CreatesCallsAndDestroysAPluginInC) {
  place("good.dll", "echo.dll");
  Host host(options());
  EXPECT_TRUE(host.problems().empty());
  auto plugin = host.create<test::Echo>(echo);
  ASSERT_TRUE(plugin) << plugin.error().to_string();
  EXPECT_EQ((*plugin)->say("hello").value(), "1: hello");
  EXPECT_EQ((*plugin)->count().value(), 1);
  EXPECT_EQ(copied(), 1u);
  plugin->reset();
  EXPECT_EQ(copied(), 0u) << "the DLL was not unloaded";
}

TEST_F(DllHost, CreatesAPluginInCpp) {
  place("cpp.dll", "cpp.dll");
  Host host(options());
  auto plugin = host.create<test::Echo>("test.example/dll");
  ASSERT_TRUE(plugin) << plugin.error().to_string();
  EXPECT_EQ((*plugin)->say("hello").value(), "DLL: hello");
}

TEST_F(DllHost, FindsPluginsWithoutLoadingThem) {
  place("good.dll", "echo.dll");
  Host host(options());
  const auto found = host.find<test::Echo>(echo);
  ASSERT_TRUE(found) << found.error().to_string();
  EXPECT_EQ(found->name(), echo);
  EXPECT_EQ(copied(), 0u);
}

TEST_F(DllHost, LeavesTheFileOfALoadedModuleFree) {
  const fs::path file = place("good.dll", "echo.dll");
  Host host(options());
  auto plugin = host.create<test::Echo>(echo);
  ASSERT_TRUE(plugin) << plugin.error().to_string();
  EXPECT_TRUE(fs::remove(file));
  EXPECT_EQ((*plugin)->say("on").value(), "1: on");
}

TEST_F(DllHost, RestartReplacesCodeUnderLiveHandles) {
  place("good.dll", "echo.dll");
  Host host(options());
  auto plugin = host.create<test::Echo>(echo);
  ASSERT_TRUE(plugin) << plugin.error().to_string();
  EXPECT_EQ((*plugin)->say("old").value(), "1: old");
  place("good-edition-2.dll", "echo.dll");
  const auto restarted = host.restart(package);
  ASSERT_TRUE(restarted) << restarted.error().to_string();
  EXPECT_EQ((*plugin)->say("new").value(), "2: new");
  EXPECT_EQ(copied(), 1u) << "the old DLL was not unloaded";
}

TEST_F(DllHost, RestartsWhileThreadsCall) {
  place("good.dll", "echo.dll");
  Host host(options());
  auto plugin = host.create<test::Echo>(echo);
  ASSERT_TRUE(plugin) << plugin.error().to_string();
  std::atomic<bool> stop{false};
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        const auto said = (*plugin)->say("x");
        if (!said || !said->ends_with(": x")) ++failed;
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    place(i % 2 == 0 ? "good-edition-2.dll" : "good.dll", "echo.dll");
    const auto restarted = host.restart(package);
    EXPECT_TRUE(restarted) << restarted.error().to_string();
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(copied(), 1u);
}

TEST_F(DllHost, UnloadsAModuleThatJoinsItsThread) {
  place("thread-joined.dll", "echo.dll");
  Host host(options());
  auto plugin = host.create<test::Echo>(echo);
  ASSERT_TRUE(plugin) << plugin.error().to_string();
  plugin->reset();
  EXPECT_EQ(copied(), 0u);
}

TEST_F(DllHost, ReportsAModuleForAnotherSystem) {
  const fs::path file = place("elf.dll", "elf.dll");
  Host host(options());
  ASSERT_EQ(host.problems().size(), 1u);
  const Error problem = host.problems().front();
  EXPECT_EQ(problem.code(), "wrong-architecture");
  EXPECT_EQ(problem.where(), file.string());
  EXPECT_EQ(problem.needed(), "a DLL for x86-64");
}

/// A module that needs a library beside it, which needs another one.
class DllWithSibling : public DllHost {
 protected:
  DllWithSibling() { place("tests-deep.dll", "tests-deep.dll"); }

  void place_edition(const std::string& edition) const {
    place("tests-sibling-" + edition + ".dll", "tests-sibling-" + edition + ".dll");
    place("sibling-user-" + edition + ".dll", "echo.dll");
  }
  /// Calls the plugin for the first time. Returns 1 for that and what both libraries return.
  static std::int64_t count_of(Handle<test::Echo>& plugin) {
    EXPECT_TRUE(plugin->say("x"));
    return plugin->count().value();
  }
};

TEST_F(DllWithSibling, CopiesTheLibraries) {
  place_edition("1");
  Host host(options());
  {
    auto plugin = host.create<test::Echo>(echo);
    ASSERT_TRUE(plugin) << plugin.error().to_string();
    EXPECT_EQ(count_of(*plugin), 1 + 1001 + 1001);
    EXPECT_EQ(copied(), 3u);
  }
  EXPECT_EQ(copied(), 0u) << "a DLL was not unloaded";
}

TEST_F(DllWithSibling, EachHostHasItsOwn) {
  place_edition("1");
  Host one(options());
  auto first = one.create<test::Echo>(echo);
  ASSERT_TRUE(first) << first.error().to_string();
  EXPECT_EQ(count_of(*first), 1 + 1001 + 1001);
  Host other(options());
  auto second = other.create<test::Echo>(echo);
  ASSERT_TRUE(second) << second.error().to_string();
  EXPECT_EQ(count_of(*second), 1 + 1001 + 1001) << "not the second call";
}

TEST_F(DllWithSibling, RestartReplacesALibraryOfTheSameName) {
  place_edition("1");
  Host host(options());
  auto plugin = host.create<test::Echo>(echo);
  ASSERT_TRUE(plugin) << plugin.error().to_string();
  EXPECT_EQ(count_of(*plugin), 1 + 1001 + 1001);
  place("tests-sibling-2.dll", "tests-sibling-1.dll");
  const auto restarted = host.restart(package);
  ASSERT_TRUE(restarted) << restarted.error().to_string();
  EXPECT_EQ(count_of(*plugin), 1 + 2001 + 1001);
  EXPECT_EQ(copied(), 3u) << "an old DLL was not unloaded";
}

TEST_F(DllHost, RefusesALibraryBesideAModuleThatIsLoadedLater) {
  for (const char* name : {"imports.dll", "library.dll", "delayed.dll"}) {
    const fs::path file = fs::path(LLD_DLLS) / name;
    if (!fs::exists(file)) GTEST_SKIP() << "lld is not installed";
    fs::copy_file(file, plugins() / name);
  }
  Host host(options());
  const auto plugin = host.create<test::Echo>("test.example/imports");
  ASSERT_FALSE(plugin);
  EXPECT_NE(plugin.error().to_string().find("the DLL delayed.dll next to it, which is loaded when "
                                            "one of its functions is called"),
            std::string::npos)
      << plugin.error().to_string();
}

TEST_F(DllHost, ReportsFaultsOfModules) {
  const struct {
    const char* build;
    const char* code;
  } faults[] = {{"no-module-object.dll", "no-module-object"},
                {"wrong-magic.dll", "wrong-magic"},
                {"missing-method.dll", "missing-method"},
                {"start-failed.dll", "start-failed"}};
  for (const auto& [build, code] : faults) {
    place(build, "echo.dll");
    Host host(options());
    const auto plugin = host.create<test::Echo>(echo);
    ASSERT_FALSE(plugin) << build;
    EXPECT_NE(plugin.error().to_string().find(code), std::string::npos)
        << build << ": " << plugin.error().to_string();
  }
}

TEST_F(DllHost, ReportsADirectoryThatOthersMayWrite) {
  const fs::path file = place("good.dll", "echo.dll");
  EXPECT_FALSE(check_owner(file));
  let_everyone_write(plugins());
  const auto exposed = check_owner(file);
  ASSERT_TRUE(exposed);
  EXPECT_EQ(exposed->code(), "untrusted-owner");
  EXPECT_EQ(exposed->where(), file.string());
  EXPECT_NE(exposed->found().find(plugins().string()), std::string::npos) << exposed->found();

  Host host(options());
  ASSERT_EQ(host.problems().size(), 1u);
  EXPECT_EQ(host.problems().front().code(), "untrusted-owner");
  const bool refused = exposed->severity() == Severity::error;
  EXPECT_EQ(host.create<test::Echo>(echo).has_value(), !refused);
}

TEST_F(DllHost, ReportsWhatItCannotDoOnWindows) {
  place("good.dll", "echo.dll");
  HostOptions more = options();
  more.control = true;
  Host host(more);
  std::vector<std::string> codes;
  for (const Error& problem : host.problems()) codes.emplace_back(problem.code());
  std::ranges::sort(codes);
  EXPECT_EQ(codes, std::vector<std::string>{"cannot-write"});
  EXPECT_TRUE(host.create<test::Echo>(echo));
}

}}  // namespace tenon::tests
