// SPDX-License-Identifier: BSL-1.0
//
// Restarts of modules without state or session: old and new code run at the same time.
#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/echo.hpp>
#include <test/probe.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "integration/hosting.hpp"
#include "integration/script.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

class Restart : public Hosting {
 protected:
  Restart() { place("probe-1.so", "probe.so"); }
};

TEST_F(Restart, ReplacesCodeUnderLiveHandles) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_EQ(probe->edition().value(), 1);
  place("probe-2.so", "probe.so");
  EXPECT_EQ(probe->edition().value(), 1) << "a changed file alone causes no restart";
  EXPECT_EQ(probe.info().package_version(), "1.0.0");

  ASSERT_TRUE(host.restart(probes));

  EXPECT_EQ(probe->edition().value(), 2);
  EXPECT_EQ(probe.info().package_version(), "2.0.0");
  EXPECT_EQ(module(host, probes).generation, 2u);
  EXPECT_EQ(module(host, probes).package_version, "2.0.0");
  EXPECT_EQ(host.plugins<test::Probe>().at(0).package_version(), "2.0.0");
}

TEST_F(Restart, UnmapsTheOldCode) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_TRUE(is_mapped("probe.g1"));
  ASSERT_TRUE(host.restart(probes));
  EXPECT_FALSE(is_mapped("probe.g1"));
  EXPECT_TRUE(is_mapped("probe.g2"));
  EXPECT_EQ(copies(), Texts{module_file("probe.g2.so")});
}

#ifndef _WIN32  // the directory of the index cannot be chosen
TEST_F(Restart, ReadsTheManifestOfAFileThatAnIndexHad) {
  setenv("XDG_CACHE_HOME", (world_.root() / "cache").c_str(), 1);
  HostOptions options = this->options();
  options.app = "restarts";
  // A file is in the index once it is old enough.
  EXPECT_TRUE(eventually([&] {
    const Host first(options);
    return read_file(world_.root() / "cache/tenon/restarts.index").find("probe.so") !=
           std::string::npos;
  }));
  Host host(options);
  unsetenv("XDG_CACHE_HOME");
  auto probe = host.create<test::Probe>("probe").value();
  ASSERT_TRUE(host.restart(probes));
  EXPECT_EQ(probe.info().package_version(), "1.0.0");
  place("probe-2.so", "probe.so");
  ASSERT_TRUE(host.restart(probes));
  EXPECT_EQ(probe.info().package_version(), "2.0.0");
  place("probe-1.so", "probe.so");
  ASSERT_TRUE(host.restart(probes));
  EXPECT_EQ(probe.info().package_version(), "1.0.0");
}
#endif

/// Restarts a module, and counts the restarts that ran on the thread of an earlier one.
class RestartThread : public Hosting {
 protected:
  HostOptions options() {
    HostOptions options = Hosting::options();
    options.on_event = [this](const Event& event) {
      static thread_local bool restarted_here = false;
      if (event.type == Event::Type::restarted && std::exchange(restarted_here, true)) ++reused_;
    };
    return options;
  }

  std::atomic<int> reused_{0};
};

#ifndef _WIN32  // DLLs do not show whether they leave objects
TEST_F(RestartThread, IsReusedIfNoCodeHasLeftObjectsInIt) {
  place("probe-1.so", "probe.so");
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  // The next restart may begin before the thread is idle.
  EXPECT_TRUE(eventually([&] { return host.restart(probes) && reused_ > 0; }));
  EXPECT_EQ(module(host, probes).still_mapped, 0u);
}
#endif

TEST_F(RestartThread, EndsIfTheNewCodeHasThreadLocalObjects) {
  place_fault("thread-local", "holding.so");
  Host host(options());
  auto echo = host.create<test::Echo>("standalone:echo").value();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(host.restart("test.example/echo"));
  EXPECT_EQ(reused_, 0);
}

TEST_F(RestartThread, EndsIfTheNewCodeMayUseOtherPackages) {
  place("probe-of-echo.so", "probe.so");
  place_fault("good", "echo.so");
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(host.restart(probes));
  EXPECT_EQ(reused_, 0);
}

TEST_F(Restart, ReplaysTheConfigurationOfEachInstance) {
  Host host(options());
  auto created = host.create<test::Probe>("probe", {{"word", "created"}}).value();
  auto configured = host.create<test::Probe>("probe").value();
  ASSERT_TRUE(configured->configure({{"word", "configured"}}));
  auto neither = host.create<test::Probe>("probe").value();
  auto twice = host.create<test::Probe>("probe", {{"word", "first"}}).value();
  ASSERT_TRUE(twice->configure({{"word", "second"}}));
  ASSERT_FALSE(twice->configure({{"word", std::string(100, 'x')}}))
      << "a refused configuration is not replayed";
  place("probe-2.so", "probe.so");

  ASSERT_TRUE(host.restart(probes));

  EXPECT_EQ(created->word().value(), "created");
  EXPECT_EQ(configured->word().value(), "configured");
  EXPECT_EQ(neither->word().value(), "");
  EXPECT_EQ(twice->word().value(), "second");
}

TEST_F(Restart, FailsIfTheNewCodeTakesNoConfiguration) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe", {{"word", "kept"}}).value();
  place("probe-without-configure.so", "probe.so");
  EXPECT_EQ(host.restart(probes).error().message(), "the plugin takes no configuration");
  EXPECT_EQ(probe->word().value(), "kept");
  EXPECT_EQ(probe->edition().value(), 1);
}

TEST_F(Restart, ChangesTheVersionOfTheKind) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe", {{"word", "kept"}}).value();
  EXPECT_FALSE(probe.supports("extra"));
  place("probe-v2.so", "probe.so");
  ASSERT_TRUE(host.restart(probes));
  EXPECT_TRUE(probe.supports("extra"));
  EXPECT_EQ(probe->extra().value(), "extra");
  EXPECT_EQ(probe->word().value(), "kept");
  place("probe-1.so", "probe.so");
  ASSERT_TRUE(host.restart(probes)) << "back to the old version";
  EXPECT_EQ(probe->extra().error().code(), "unimplemented");
}

TEST_F(Restart, SucceedsForAnUnloadedModule) {
  Host host(options());
  EXPECT_TRUE(host.restart(probes));
  EXPECT_EQ(module(host, probes).generation, 0u);
}

TEST_F(Restart, FailsForAnUnknownPackage) {
  Host host(options());
  EXPECT_EQ(host.restart("nobody.example/has-it").error().code(), "not-found");
}

TEST_F(Restart, RecreatesInstancesOfABuiltin) {
  host_echo_says = [](std::string_view) { return "still here"; };
  Host host(options());
  auto echo = host.create<test::Echo>("host-echo").value();
  ASSERT_TRUE(host.restart("test.example/host"));
  EXPECT_EQ(module(host, "test.example/host").generation, 2u);
  EXPECT_EQ(host_echo_count(), 1) << "the old instance was destroyed";
  EXPECT_EQ(echo->say("?").value(), "still here");
}

// A write within the same tick of the clock would go unnoticed.
TEST_F(Restart, ReadsAChangedFileOnlyLongEnoughAfterItsLastWrite) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  place("probe-2.so", "probe.so");
  const auto file = placed("probe.so");
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now());
  const auto written = std::filesystem::last_write_time(file);
  EXPECT_EQ(host.restart_changed().restarted, Texts{probes});
  EXPECT_GE(std::filesystem::file_time_type::clock::now() - written, std::chrono::milliseconds(20));
}

TEST_F(Restart, SkipsUnchangedFiles) {
  place("stream-1.so", "stream.so");
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_EQ(host.restart_changed().restarted, Texts());
  place("probe-2.so", "probe.so");
  EXPECT_EQ(host.restart_changed().restarted, Texts{probes});
  EXPECT_EQ(probe->edition().value(), 2);
  EXPECT_EQ(host.restart_changed().restarted, Texts());
  place("probe-other-package.so", "probe.so");
  const Host::ChangedRestarts restarts = host.restart_changed();
  EXPECT_EQ(restarts.restarted, Texts());
  EXPECT_EQ(codes(restarts.failed), Texts{"restart-refused"});
  EXPECT_EQ(probe->edition().value(), 2);
}

TEST_F(Restart, ListsAScheduledRestartSeparately) {
  place("counter-1.so", "counter.so");
  Host host(options());
  auto counter = host.create<test::Counter>("counter").value();
  place("counter-create-fails.so", "counter.so");
  Host::ChangedRestarts restarts;
  host_echo_says = [&](std::string_view) {
    restarts = host.restart_changed();
    return std::string();
  };
  ASSERT_TRUE(counter->call_back("restart"));
  EXPECT_EQ(restarts.restarted, Texts());
  EXPECT_EQ(restarts.scheduled, Texts{"test.example/counters"});
  EXPECT_EQ(codes(restarts.failed), Texts());
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::restart_failed) == 1; }));
  EXPECT_EQ(counter->edition().value(), 1);
}

#ifndef _WIN32  // the threads of a process cannot be listed
std::set<std::filesystem::path> threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return {begin(tasks), end(tasks)};
}

/// Returns how many threads have started since. Threads of earlier tests may end meanwhile.
std::ptrdiff_t count_threads_since(const std::set<std::filesystem::path>& before) {
  return std::ranges::count_if(threads(), [&](const auto& one) { return !before.contains(one); });
}

TEST_F(Restart, HappensOnceIfTwoThreadsFindAChangedFile) {
  place("counter-asks-stateless-1.so", "counter.so");
  Script script(world_.root());
  Host host(options());
  auto counter = host.create<test::Counter>("counter").value();
  place("counter-asks-stateless-2.so", "counter.so");
  script.hang("2:create");
  std::thread first([&] { host.restart_changed(); });
  ASSERT_TRUE(script.hangs());
  const auto before = threads();

  std::thread second([&] { host.restart_changed(); });
  EXPECT_TRUE(eventually([&] { return count_threads_since(before) >= 2; }))
      << "the worker of the second restart waits for the first restart";
  script.release();
  first.join();
  second.join();

  EXPECT_EQ(count_events(Event::Type::restarted), 1u);
  EXPECT_EQ(counter->edition().value(), 2);
}
// The first of three threads that wait for a load fails it. One of the others loads the file.
TEST_F(Restart, LeavesTheFirstLoadToACreate) {
  for (int round = 0; round < 20; ++round) {
    place("counter-asks-stateless-1.so", "counter.so");
    Script script(world_.root());
    Host host(options());
    std::atomic<bool> started{false};
    std::atomic<bool> fails{false};
    script.set("1:start", [&] {
      started = true;
      return eventually([&] { return fails.load(); }) ? "fail" : "";
    });
    std::thread failing([&] { EXPECT_FALSE(host.create<test::Counter>("counter")); });
    ASSERT_TRUE(eventually([&] { return started.load(); }));
    place("counter-asks-stateless-2.so", "counter.so");
    std::thread creating([&] { EXPECT_TRUE(host.create<test::Counter>("counter")); });
    const auto before = threads();
    std::thread restarting([&] { host.restart_changed(); });
    EXPECT_TRUE(eventually([&] { return count_threads_since(before) >= 2; }));

    fails = true;
    failing.join();
    creating.join();
    restarting.join();
  }
  EXPECT_EQ(count_events(Event::Type::restarted), 0u);
}
#endif

std::string truncated(std::string file) {
  file.resize(file.size() / 2);
  return file;
}

std::string for_another_architecture(std::string file) {
  file[18] = '\x15';  // e_machine: 64-bit PowerPC
  return file;
}

/// A fault of the new file, and the error code of the restart.
struct Flaw {
  const char* name;
  const char* build;
  const char* code;
  std::string (*spoil)(std::string file) = nullptr;
};

void PrintTo(const Flaw& flaw, std::ostream* out) {
  *out << flaw.name;
}

class FailingRestart : public Restart, public testing::WithParamInterface<Flaw> {};

TEST_P(FailingRestart, LeavesTheOldCodeServing) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe", {{"word", "kept"}}).value();
  place(GetParam().build, "probe.so");
  if (GetParam().spoil != nullptr) {
    const std::string spoiled = GetParam().spoil(read_file(module_file(MODULES "/probe-2.so")));
    world_.write("plugins/probe.so", spoiled);
  }

  const auto failed = host.restart(probes);

  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), GetParam().code) << failed.error().to_string();
  EXPECT_EQ(probe->edition().value(), 1);
  EXPECT_EQ(probe->word().value(), "kept");
  EXPECT_EQ(module(host, probes).generation, 1u);
  EXPECT_EQ(copies(), Texts{module_file("probe.g1.so")}) << "the new copy was removed";

  place("probe-2.so", "probe.so");
  ASSERT_TRUE(host.restart(probes)) << "a good file is loaded afterwards";
  EXPECT_EQ(probe->edition().value(), 2);
  EXPECT_EQ(probe->word().value(), "kept");
}

INSTANTIATE_TEST_SUITE_P(
    Flaws, FailingRestart,
    testing::Values(Flaw{"Truncated", "probe-2.so", "truncated-file", truncated},
                    Flaw{"OfAnotherArchitecture", "probe-2.so", "wrong-architecture",
                         for_another_architecture},
                    Flaw{"OtherPackage", "probe-other-package.so", "restart-refused"},
                    Flaw{"LacksThePlugin", "probe-other-name.so", "missing-plugin"},
                    Flaw{"CreateFails", "probe-create-fails.so", "resource-exhausted"},
                    Flaw{"ConfigureFails", "probe-configure-fails.so", "invalid-argument"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Restart, IsDeferredInsideACallOfTheModule) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  place("probe-2.so", "probe.so");
  host_echo_says = [&](std::string_view) {
    if (host.restart(probes).value() != RestartOutcome::scheduled) return "at once";
    return eventually([&] { return probe->edition().value() == 2; }) ? "new" : "old";
  };
  EXPECT_EQ(probe->ask("builtin:host-echo", "restart yourself").value(), "new")
      << "the new generation serves while this call is still in the old one";
  EXPECT_TRUE(eventually([&] { return !is_mapped("probe.g1"); }));
  EXPECT_EQ(host.restart(probes).value(), RestartOutcome::restarted)
      << "an outside restart is immediate";
}

TEST_F(Restart, RunsInsideACallOfAnotherModule) {
  place("stream-1.so", "stream.so");
  place_fault("good", "echo.so");
  Host host(options());
  auto echo = host.create<test::Echo>("echo").value();
  host_echo_says = [&](std::string_view) {
    return host.restart("test.example/faults") ? "restarted" : "refused";
  };
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_EQ(probe->ask("builtin:host-echo", "restart the other").value(), "restarted");
  EXPECT_EQ(module(host, "test.example/faults").generation, 2u);
  EXPECT_EQ(echo->say("hello").value(), "1: hello");
}

TEST_F(Restart, SendsEventsWhenTheHostIsUsable) {
  Texts answers;
  HostOptions options = this->options();
  Host* asked = nullptr;
  options.on_event = [&](const Event& event) {
    if (event.type != Event::Type::loaded && event.type != Event::Type::restarted) return;
    auto probe = asked->create<test::Probe>("probe");
    answers.emplace_back(probe ? "created" : probe.error().code());
  };
  Host host(options);
  asked = &host;
  auto probe = host.create<test::Probe>("probe").value();
  ASSERT_TRUE(host.restart(probes));
  EXPECT_EQ(answers, (Texts{"created", "created"}));
}

TEST_F(Restart, IsReportedBeforeALaterUnload) {
  std::atomic<bool> reports{false};
  std::atomic<bool> released{false};
  HostOptions options = this->options();
  options.on_event = [&, record = options.on_event](const Event& event) {
    if (event.type == Event::Type::restarted) {
      reports = true;
      EXPECT_TRUE(eventually([&] { return released.load(); }));
    }
    record(event);
  };
  Host host(options);
  std::optional probe = host.create<test::Probe>("probe").value();
  std::thread restart([&] { EXPECT_TRUE(host.restart(probes)); });
  EXPECT_TRUE(eventually([&] { return reports.load(); }));
  probe.reset();
  released = true;
  restart.join();
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::unloaded) == 1; }));
  std::vector<Event::Type> types;
  for (const Event& event : events()) types.push_back(event.type);
  using Type = Event::Type;
  EXPECT_EQ(types, (std::vector{Type::loaded, Type::restarted, Type::drained, Type::unloaded}));
}

TEST_F(Restart, DrainsOldCallsWhileNewCallsRun) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  std::atomic<bool> inside{false};
  host_echo_says = [&](std::string_view) {
    inside = true;
    return eventually([&] { return !inside; }) ? "let go" : "forgotten";
  };
  std::string old_reply;
  std::thread old([&] { old_reply = probe->ask("builtin:host-echo", "wait").value(); });
  ASSERT_TRUE(eventually([&] { return inside.load(); }));
  place("probe-2.so", "probe.so");
  std::thread restarting([&] { EXPECT_TRUE(host.restart(probes)); });

  EXPECT_TRUE(eventually([&] { return probe->edition().value() == 2; }));
  EXPECT_TRUE(is_mapped("probe.g1")) << "a call is still in the old code";
  inside = false;
  old.join();
  restarting.join();

  EXPECT_EQ(old_reply, "let go");
  EXPECT_FALSE(is_mapped("probe.g1"));
}

TEST_F(Restart, KeepsCodeMappedForAnOverdueCall) {
  Host host(short_drain());
  auto probe = host.create<test::Probe>("probe").value();
  std::atomic<bool> inside{false};
  host_echo_says = [&](std::string_view) {
    inside = true;
    return eventually([&] { return !inside; }) ? "let go" : "forgotten";
  };
  std::string old_reply;
  std::thread old([&] { old_reply = probe->ask("builtin:host-echo", "wait").value(); });
  ASSERT_TRUE(eventually([&] { return inside.load(); }));

  EXPECT_TRUE(host.restart(probes)) << "after the drain timeout";

  EXPECT_TRUE(is_mapped("probe.g1"));
  EXPECT_EQ(probe->edition().value(), 1);
  EXPECT_EQ(module(host, probes).draining_generations, 1u);
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::drain_overdue) == 1; }));
  inside = false;
  old.join();
  EXPECT_EQ(old_reply, "let go");
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::drained) == 1; }));
  EXPECT_FALSE(is_mapped("probe.g1"));
  EXPECT_EQ(module(host, probes).draining_generations, 0u);
  EXPECT_EQ(copies(), Texts{module_file("probe.g2.so")});
}

TEST_F(Restart, NeverFailsConcurrentCalls) {
  constexpr int restarts = 200;
  constexpr int callers = 3;
  Host host(options());
  auto probe = host.create<test::Probe>("probe", {{"word", "steady"}}).value();
  std::atomic<bool> over{false};
  std::atomic<int> wrong{0};
  std::atomic<std::int64_t> calls{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < callers; ++i) {
    threads.emplace_back([&] {
      while (!over) {
        const auto edition = probe->edition();
        const auto word = probe->word();
        if (!edition || (*edition != 1 && *edition != 2) || !word || *word != "steady") ++wrong;
        ++calls;
      }
    });
  }
  for (int i = 0; i < restarts; ++i) {
    place(i % 2 == 0 ? "probe-2.so" : "probe-1.so", "probe.so");
    EXPECT_TRUE(host.restart(probes));
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(calls, restarts);
  EXPECT_EQ(module(host, probes).generation, restarts + 1u);
  EXPECT_EQ(copies().size(), 1u);
}

TEST_F(Restart, RunsWhileInstancesComeAndGo) {
  Host host(options());
  auto kept = host.create<test::Probe>("probe").value();
  std::atomic<bool> over{false};
  std::atomic<int> wrong{0};
  std::thread coming([&] {
    while (!over) {
      auto probe = host.create<test::Probe>("probe", {{"word", "brief"}});
      if (!probe || (*probe)->word().value() != "brief") ++wrong;
    }
  });
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(host.restart(probes));
  over = true;
  coming.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(module(host, probes).instances, 1u);
}

}}  // namespace tenon::tests
