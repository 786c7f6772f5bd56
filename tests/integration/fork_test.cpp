// SPDX-License-Identifier: BSL-1.0
//
// Hosts in forked child processes.
#include <tenon/supervisor.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <test/counter.hpp>
#include <test/echo.hpp>
#include <test/probe.hpp>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

constexpr const char* counters = "test.example/counters";

/// Runs `body` in a forked child and returns its number of failures. An alarm ends a child that
/// blocks.
int failures_in_child(const std::function<void(int& failures)>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    int failures = 0;
    body(failures);
    _exit(failures);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/// Counts a failure in a child, and prints it to standard error.
void expect(int& failures, bool good, const char* what) {
  if (good) return;
  ++failures;
  static_cast<void>(!write(STDERR_FILENO, what, std::char_traits<char>::length(what)));
  static_cast<void>(!write(STDERR_FILENO, "\n", 1));
}

class ForkedChild : public Hosting {
 protected:
  ForkedChild() { place("counter-1.so"); }

  /// Options of a host with threads that watch files and restart modules.
  HostOptions watching() {
    HostOptions all = options();
    all.watch = true;
    return all;
  }
};

TEST_F(ForkedChild, CallsThroughInheritedHandles) {
  place("probe-v2.so");
  Host host(watching());
  auto counter = host.create<test::Counter>("counter", {{"first", "40"}}).value();
  ASSERT_EQ(counter->add(1).value(), 41);
  const auto probe = host.create<test::Probe>("probe").value();

  const int failures = failures_in_child([&](int& failed) {
    const auto sum = counter->add(1);
    expect(failed, sum && *sum == 42, "a call works");
    Call hurried;
    hurried.set_timeout(std::chrono::milliseconds(1));
    const auto reason = counter->block(hurried);
    expect(failed, reason && *reason == TENON_CANCELLED_BY_DEADLINE, "a blocking call works");
    expect(failed, counter->configure({{"first", "7"}}).has_value(), "configure works");
    expect(failed, counter.supports("add"), "supports returns what the plugin implements");
    expect(failed, !probe.supports("missing"), "supports returns what the plugin left out");
    expect(failed, counter.info().name().empty(), "info is empty");
    const auto fatal = counter->refuse(TENON_INTERNAL | TENON_FATAL, "broken");
    expect(failed, !fatal && fatal.error().fatal(), "a fatal status is returned");
    expect(failed, counter->edition().has_value(), "it restarts nothing");
    expect(failed, !counter->call_back("this"), "a plugin gets no other plugin");
  });

  EXPECT_EQ(failures, 0);
  EXPECT_EQ(counter->add(1).value(), 42) << "the parent is unaffected";
  EXPECT_EQ(count_events(Event::Type::faulted), 0u);
}

TEST_F(ForkedChild, GetsHostForkedFromAnInheritedHost) {
  Host host(watching());
  auto counter = host.create<test::Counter>("counter").value();
  const int failures = failures_in_child([&](int& failed) {
    const auto forked = [&](const Error& error, const char* what) {
      expect(failed, error.code() == "host-forked", what);
    };
    forked(host.create<test::Counter>("counter").error(), "create");
    forked(host.find<test::Counter>("counter").error(), "find");
    forked(host.find_all("counter").error(), "find_all");
    forked(host.restart(counters).error(), "restart");
    forked(host.restart_changed().failed.at(0), "restart_changed");
    forked(host.write_lock(world_.root() / "lock.json").error(), "write_lock");
    forked(host.check_lock({}).error(), "check_lock");
    forked(host.resolve({"counter"}).errors.at(0), "resolve");
    forked(host.problems().at(0), "skipped");
    host.rescan();
    expect(failed, host.plugins<test::Counter>().empty(), "plugins");
    expect(failed, host.registered().empty(), "registered");
    expect(failed, host.modules().empty(), "modules");
    expect(failed, host.packages().empty(), "packages");
  });
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(module(host, counters).instances, 1u);
}

TEST_F(ForkedChild, DestroysInheritedObjectsWithoutEffect) {
  std::optional<Host> host(std::in_place, watching());
  std::optional counter = host->create<test::Counter>("counter").value();
  const int failures = failures_in_child([&](int& failed) {
    counter.reset();
    host.reset();
    expect(failed, is_mapped("counter-1.g1"), "nothing is unloaded");
    expect(failed, copies().size() == 1, "no file is removed");
  });
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(copies().size(), 1u);
  EXPECT_EQ((*counter)->add(1).value(), 1);
  EXPECT_TRUE(host->restart(counters));
}

TEST_F(ForkedChild, RefusesCallsOfAQuarantinedModule) {
  HostOptions strict = watching();
  strict.restart.failures.max_failures = 1;
  Host host(strict);
  auto counter = host.create<test::Counter>("counter").value();
  while (!module(host, counters).quarantined) {
    static_cast<void>(counter->refuse(TENON_INTERNAL | TENON_FATAL, "broken"));
  }
  ASSERT_EQ(counter->add(1).error().code(), "module-quarantined");
  EXPECT_EQ(counter->add(1).error().plugin(), "test.example/counter");
  EXPECT_EQ(counter->add(1).error().method(), "add");
  const int failures = failures_in_child([&](int& failed) {
    const auto refused = counter->add(1);
    expect(failed, !refused && refused.error().code() == "host-forked", "the code");
    expect(failed, !refused && refused.error().method() == "add", "the method");
  });
  EXPECT_EQ(failures, 0);
}

TEST_F(ForkedChild, CreatesItsOwnHost) {
#if TENON_ORDERED_SLOTS
  GTEST_SKIP() << "ThreadSanitizer allows no new thread in a forked child";
#endif
  Host host(watching());
  auto counter = host.create<test::Counter>("counter").value();
  const int failures = failures_in_child([&](int& failed) {
    Host own(watching());
    auto fresh = own.create<test::Counter>("counter", {{"first", "10"}});
    expect(failed, fresh.has_value(), "create works");
    if (!fresh) return;
    const auto sum = (*fresh)->add(1);
    expect(failed, sum && *sum == 11, "a call works");
    expect(failed, own.restart(counters).has_value(), "a restart works");
    const auto again = (*fresh)->add(1);
    expect(failed, again && *again == 12, "the state is handed over");
  });
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(counter->add(1).value(), 1);
}

TEST_F(ForkedChild, NeverWaitsForLocksOfParentThreads) {
  Host host(watching());
  auto counter = host.create<test::Counter>("counter").value();
  std::atomic<bool> over{false};
  std::thread restarting([&] {
    while (!over) static_cast<void>(host.restart(counters));
  });
  std::thread asking([&] {
    while (!over) {
      static_cast<void>(host.modules());
      static_cast<void>(host.create<test::Counter>("counter"));
    }
  });
  for (int i = 0; i < 20; ++i) {
    const int failures = failures_in_child([&](int& failed) {
      const auto sum = counter->add(1);
      expect(failed, sum || sum.error().code() == "host-forked",
             "a call works, or the gate was closed");
      expect(failed, !host.create<test::Counter>("counter"), "create returns");
      { auto ended = std::move(counter); }
    });
    EXPECT_EQ(failures, 0);
  }
  over = true;
  restarting.join();
  asking.join();
}

TEST_F(ForkedChild, MakesNoSupervisedCalls) {
  Host host(options());
  Supervisor supervisor(host);
  const auto enough = std::chrono::minutes(1);
  auto counter = supervisor.create<test::Counter>("counter", enough).value();
  const auto add = [&] {
    return counter.call("add", enough,
                        [](test::Counter& instance, Call& call) { return instance.add(call, 1); });
  };
  const int failures = failures_in_child([&](int& failed) {
    expect(failed, add().error().code() == "host-forked", "the code");
    counter.reset();
  });
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(add().value(), 1);
}

TEST_F(ForkedChild, LogsToStandardError) {
  place("talker.so");
  std::atomic<int> lines = 0;
  HostOptions logging = options();
  logging.log_sink = [&](const LogLine&) { ++lines; };
  Host host(logging);
  auto echo = host.create<test::Echo>("test.example/talker").value();
  lines = 0;
  testing::internal::CaptureStderr();
  const int failures = failures_in_child([&](int& failed) {
    echo->say("host").value();
    expect(failed, lines == 0, "the sink of the parent gets no line");
  });
  const std::string written = testing::internal::GetCapturedStderr();
  EXPECT_EQ(failures, 0) << written;
  EXPECT_EQ(written.substr(written.find("[tenon] ")),
            "[tenon] [warning] test.example/talker (test.example/talkers): host\n");
}

}}  // namespace tenon::tests
