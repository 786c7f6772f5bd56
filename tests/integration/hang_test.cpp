// SPDX-License-Identifier: BSL-1.0
//
// Plugins that hang in, or call the host from, each of their functions during a restart.
#include <gtest/gtest.h>
#include <pthread.h>
#include <test/counter.hpp>
#include <test/echo.hpp>
#include <test/probe.hpp>
#include <test/session_counter.hpp>
#include <unistd.h>
#ifndef _WIN32
#include <dlfcn.h>
#endif

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "integration/hosting.hpp"
#include "integration/script.hpp"

#ifndef _WIN32
namespace {
std::atomic<bool> reads_hang{false};
}  // namespace

/// Replaces the function of the system. It hangs like one of a network file system.
extern "C" ssize_t pread64(int fd, void* buf, size_t nbytes, off64_t offset) {
  static const auto next = reinterpret_cast<decltype(&pread64)>(dlsym(RTLD_NEXT, "pread64"));
  if (reads_hang.load()) tenon::tests::eventually([] { return !reads_hang.load(); });
  return next(fd, buf, nbytes, offset);
}
#endif

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

/// A function that hangs, and the expected result of the restart.
struct Hang {
  const char* name;
  const char* module;  // prefix of the builds
  const char* function;
  bool restarts;  // whether the restart succeeds
  int serves;     // the edition that serves afterwards
};

void PrintTo(const Hang& hang, std::ostream* out) {
  *out << hang.name;
}

class HangingPlugin : public Hosting {
 protected:
  static constexpr const char* counters = "test.example/counters";
  static constexpr const char* sessions = "test.example/session-counters";

  /// Options with timeouts of two seconds, which is enough on a busy machine.
  HostOptions strict() {
    HostOptions options = this->options();
    options.restart.gate_timeout = 2s;
    options.restart.drain_timeout = 2s;
    options.restart.step_timeout = 2s;
    options.restart.failures.initial_backoff = 1ms;
    return options;
  }
  void place_edition(const std::string& module, int edition) {
    const bool session = module.find("session") == 0;
    place(module + "-" + std::to_string(edition) + ".so",
          session ? "session-counter.so" : "counter.so");
  }
#ifndef _WIN32
  /// Returns whether a thread of this process waits.
  static bool sleeps(pid_t id) {
    const std::string status = read_file("/proc/self/task/" + std::to_string(id) + "/stat");
    return status.find(") S ") != std::string::npos;
  }
#endif
  bool is_reported(const std::string& function) const {
    for (const Event& event : events()) {
      if (event.message.find(function + " of ") != std::string::npos) return true;
    }
    return false;
  }
};

class HangingFunction : public HangingPlugin, public testing::WithParamInterface<Hang> {
 protected:
  template <class Counter>
  void run(const char* plugin, const char* package) {
    const Hang& hang = GetParam();
    place_edition(hang.module, 1);
    place("probe-1.so", "probe.so");
    Script script(world_.root());
    Host host(strict());
    auto counter = host.create<Counter>(plugin, {{"first", "40"}}).value();
    auto probe = host.create<test::Probe>("probe").value();
    ASSERT_TRUE(counter->add(2));
    place_edition(hang.module, 2);
    script.hang(hang.function);

    const auto restarted = host.restart(package);

    EXPECT_EQ(static_cast<bool>(restarted), hang.restarts);
    if (!restarted) {
      EXPECT_EQ(restarted.error().code(), "restart-failed") << restarted.error().to_string();
    }
    EXPECT_EQ(script.hanging_count(), 1) << "the function still hangs";
    EXPECT_TRUE(eventually([&] { return is_reported(std::string(hang.function).substr(2)); }));
    EXPECT_TRUE(eventually([&] {
      const auto edition = counter->edition();
      return edition && *edition == hang.serves;
    }));
    EXPECT_TRUE(host.restart(probes)) << "other modules restart";
    EXPECT_TRUE(host.create<Counter>(plugin)) << "this module serves new instances";
    script.release();
  }
};

#ifndef _WIN32  // reads cannot be replaced
TEST_F(HangingPlugin, ServesWhileItsNewFileCannotBeRead) {
  place_edition("counter", 1);
  HostOptions options = strict();
  options.restart.step_timeout = 200ms;
  Host host(options);
  auto counter = host.create<test::Counter>("counter").value();
  place_edition("counter", 2);
  reads_hang = true;
  const auto restarted = host.restart(counters);
  ASSERT_FALSE(restarted);
  EXPECT_EQ(restarted.error().message(),
            "read of test.example/counters did not return in time; its thread and its code are "
            "abandoned");
  EXPECT_EQ(counter->edition().value(), 1);
  EXPECT_TRUE(reads_hang.exchange(false));
  EXPECT_TRUE(eventually([&] { return host.restart(counters).has_value(); }));
  EXPECT_EQ(counter->edition().value(), 2);
}
#endif

TEST_P(HangingFunction, LeavesTheModuleServing) {
  if (std::string_view(GetParam().module).starts_with("session")) {
    run<test::SessionCounter>("session-counter", sessions);
  } else {
    run<test::Counter>("counter", counters);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Hangs, HangingFunction,
    testing::Values(Hang{"Start", "counter-asks-stateless", "2:start", false, 1},
                    Hang{"Create", "counter-asks-stateless", "2:create", false, 1},
                    Hang{"Configure", "counter-asks-stateless", "2:configure", false, 1},
                    Hang{"SaveState", "counter-asks", "1:save_state", false, 1},
                    Hang{"RestoreState", "counter-asks", "2:restore_state", false, 1},
                    Hang{"Destroy", "counter-asks-stateless", "1:destroy", true, 2},
                    Hang{"Stop", "counter-asks-stateless", "1:stop", true, 2},
                    Hang{"SuspendOfASession", "session-counter-asks", "1:suspend", false, 2},
                    Hang{"CreateOfASession", "session-counter-asks", "2:create", false, 1},
                    Hang{"RestoreStateOfASession", "session-counter-asks", "2:restore_state", false,
                         1}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(HangingPlugin, IsReplacedIfResumeHangs) {
  place_edition("session-counter-asks", 1);
  Script script(world_.root());
  Host host(strict());
  auto counter = host.create<test::SessionCounter>("session-counter").value();
  place_edition("session-counter-asks", 2);
  script.say("2:create", "fail");
  script.hang("1:resume");
  const auto restarted = host.restart(sessions);
  EXPECT_FALSE(restarted);
  EXPECT_TRUE(is_reported("resume"));
  script.say("2:create", "");
  EXPECT_TRUE(eventually([&] {
    const auto edition = counter->edition();
    return edition && *edition == 2;
  })) << "the old code is unusable, so the next build replaces it";
  script.release();
}

class HangAtHostEnd : public HangingPlugin, public testing::WithParamInterface<const char*> {};

TEST_P(HangAtHostEnd, DelaysTheHostOnlyUntilItsDeadline) {
  place_edition("counter-asks-stateless", 1);
  Script script(world_.root());
  {
    HostOptions options = strict();
    options.restart.step_timeout = 60s;
    options.restart.drain_timeout = 300ms;
    Host host(options);
    auto counter = host.create<test::Counter>("counter").value();
    place_edition("counter-asks-stateless", 2);
    script.hang(GetParam());
    ASSERT_FALSE(counter->refuse(TENON_INTERNAL | TENON_FATAL, "broken"));
    ASSERT_TRUE(script.hangs());
  }
  EXPECT_EQ(script.hanging_count(), 1);
  const auto overdue = events(Event::Type::drain_overdue);
  EXPECT_EQ(std::count_if(overdue.begin(), overdue.end(),
                          [](const Event& event) { return event.package == counters; }),
            1);
  script.release();
  EXPECT_TRUE(eventually([] { return !is_mapped("counter.g"); }))
      << "the hanging function finishes the cleanup";
}

INSTANTIATE_TEST_SUITE_P(Functions, HangAtHostEnd, testing::Values("2:start", "2:create", "1:stop"),
                         [](const auto& info) { return std::string(info.param).substr(2); });

#ifndef _WIN32  // threads cannot be cancelled
TEST_F(HangingPlugin, LetsACancelledThreadFinishItsCallAtTheGate) {
  place_edition("counter-asks", 1);
  Script script(world_.root());
  Host host(strict());
  auto counter = host.create<test::Counter>("counter").value();
  script.hang("1:save_state");
  std::thread restarting([&] { EXPECT_TRUE(host.restart(counters)); });
  ASSERT_TRUE(script.hangs());
  std::atomic<pid_t> id{0};
  std::atomic<bool> called{false};
  std::atomic<bool> survived{false};
  std::thread cancelled([&] {
    pthread_cancel(pthread_self());  // takes effect at the next cancellation point
    id = gettid();
    called = counter->add(1).has_value();
    pthread_testcancel();
    survived = true;
  });
  EXPECT_TRUE(eventually([&] { return id != 0 && sleeps(id); }));
  script.release();
  cancelled.join();
  restarting.join();
  EXPECT_TRUE(called);
  EXPECT_FALSE(survived);
}
#endif

/// A function that ends the worker that calls it.
class EndingFunction : public HangingPlugin, public testing::WithParamInterface<const char*> {};

TEST_P(EndingFunction, IsTreatedAsHanging) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the leak checker does not see the thread-local objects of a thread that hangs";
#endif
  const std::string function = GetParam();
  const bool restarts = function == "1:destroy" || function == "1:stop";
  place_edition("counter-asks", 1);
  std::atomic<bool> ended{false};
  host_echo_says = [&](std::string_view asking) -> std::string {
    if (asking == function && !ended.exchange(true)) pthread_exit(nullptr);
    return "";
  };
  HostOptions options = strict();
  options.restart.drain_timeout = 1s;
  options.restart.step_timeout = 1s;
  Host host(options);
  auto counter = host.create<test::Counter>("counter").value();
  ASSERT_TRUE(counter->add(2));
  place_edition("counter-asks", 2);

  const auto restarted = host.restart(counters);

  EXPECT_TRUE(ended);
  EXPECT_EQ(static_cast<bool>(restarted), restarts);
  EXPECT_EQ(restarted ? "" : restarted.error().code(), restarts ? "" : "restart-failed");
  if (!restarts) {
    EXPECT_EQ(restarted.error().message(),
              function.substr(2) +
                  " of test.example/counter ended its thread; its thread and its " +
                  "code are abandoned");
  }
  EXPECT_TRUE(eventually([&] { return is_reported(function.substr(2)); }));
  EXPECT_EQ(counter->edition().value(), restarts ? 2 : 1);
  EXPECT_EQ(counter->total().value().total, 2);
  EXPECT_TRUE(host.restart(counters, {.discard_state = true})) << "the module restarts again";
  EXPECT_EQ(counter->edition().value(), 2);
}

INSTANTIATE_TEST_SUITE_P(Functions, EndingFunction,
                         testing::Values("2:create", "1:save_state", "1:destroy", "1:stop"),
                         [](const auto& info) { return std::string(info.param).substr(2); });

#ifndef _WIN32  // MinGW frees thread-local objects before their destructors
TEST_F(HangingPlugin, DelaysTheHostOnlyUntilItsDeadlineAtTheEndOfAThread) {
  // A thread-local object of the plugin, whose destructor hangs.
  struct Left {
    ~Left() {
      eventually([&] { return let_go->load(); });
      *over = true;
    }
    std::shared_ptr<std::atomic<bool>> let_go, over;
  };
  const auto let_go = std::make_shared<std::atomic<bool>>(false);
  const auto over = std::make_shared<std::atomic<bool>>(false);
  place_edition("counter-asks-stateless", 1);
  host_echo_says = [=](std::string_view asking) {
    if (asking == "2:create") static thread_local Left left{let_go, over};
    return "";
  };
  {
    Host host(short_drain());
    auto counter = host.create<test::Counter>("counter").value();
    place_edition("counter-asks-stateless", 2);
    EXPECT_TRUE(host.restart(counters));
    EXPECT_TRUE(host.restart(counters)) << "another restart does not wait for that thread";
    EXPECT_EQ(counter->edition().value(), 2);
  }
  EXPECT_FALSE(*over);
  *let_go = true;
  EXPECT_TRUE(eventually([&] { return over->load(); }));
}
#endif

TEST_F(HangingPlugin, KeepsOnlyItsOwnGenerationMapped) {
  HostOptions options = short_drain();
  options.restart.step_timeout = 60s;
  place_edition("counter-asks-stateless", 1);
  Script script(world_.root());
  Host host(options);
  auto counter = host.create<test::Counter>("counter").value();
  std::vector<std::thread> inside;
  for (int edition : {1, 2}) {
    script.hang("hold " + std::to_string(edition));
    inside.emplace_back([&counter, edition] {
      EXPECT_TRUE(counter->call_back("hold " + std::to_string(edition)));
    });
    ASSERT_TRUE(eventually([&] { return script.hanging_count() == edition; }));
    place_edition("counter-asks-stateless", 2);
    ASSERT_TRUE(host.restart(counters));
  }
  script.hang("1:stop");
  script.release("hold 1");
  ASSERT_TRUE(script.hangs("1:stop"));
  script.release("hold 2");
  EXPECT_TRUE(eventually([] { return !is_mapped("counter.g2"); }));
  EXPECT_TRUE(is_mapped("counter.g1"));
  script.release();
  for (std::thread& thread : inside) thread.join();
}

#ifndef _WIN32  // the states of threads are unknown
TEST_F(HangingPlugin, DelaysOtherCreatesOnlyWhileItLoads) {
  place_edition("counter-asks-stateless", 1);
  HostOptions options = this->options();
  options.restart.drain_timeout = 0ms;
  Script script(world_.root());
  Host host(options);
  const auto create = [&host] {
    const auto counter = host.create<test::Counter>("counter");
    EXPECT_TRUE(counter) << counter.error().to_string();
  };
  script.hang("1:start");
  std::thread first(create);
  ASSERT_TRUE(script.hangs());
  std::atomic<pid_t> id{0};
  std::atomic<bool> ended{false};
  std::thread second([&] {
    id = gettid();
    create();
    ended = true;
  });
  EXPECT_TRUE(eventually([&] { return ended || (id != 0 && sleeps(id)); }));
  script.release();
  first.join();
  second.join();
}
#endif

TEST_F(HangingPlugin, DoesNotDelayRestartsThatCreateIt) {
  place("session-counter-asks-1.so", "session-counter.so");
  place_edition("counter-asks-stateless", 1);
  HostOptions options = this->options();
  options.restart.drain_timeout = 0ms;
  options.restart.step_timeout = 5s;
  Script script(world_.root());
  Host host(options);
  const auto counter = host.create<test::Counter>("counter").value();
  script.hang("1:start");
  std::thread other([&] { EXPECT_TRUE(host.create<test::SessionCounter>("session-counter")); });
  ASSERT_TRUE(script.hangs());
  place_edition("counter-asks-stateless", 2);
  script.set("2:start", [&] {
    EXPECT_FALSE(host.create<test::SessionCounter>("session-counter"));
    return std::string();
  });
  EXPECT_TRUE(host.restart("test.example/counters"));
  script.release();
  other.join();
}

TEST_F(HangingPlugin, DoesNotBlockTheLastHandleInStop) {
  place_edition("counter-asks-stateless", 1);
  Script script(world_.root());
  Host host(strict());
  auto counter = std::make_optional(host.create<test::Counter>("counter").value());
  script.hang("1:stop");
  counter.reset();
  EXPECT_EQ(script.hanging_count(), 1);
  EXPECT_TRUE(eventually([&] { return is_reported("stop"); }));
  EXPECT_TRUE(host.create<test::Counter>("counter"));
  script.release();
}

TEST_F(HangingPlugin, DoesNotDelayRestartsOfOtherModules) {
  place_edition("counter-asks-stateless", 1);
  place("probe-1.so", "probe.so");
  place_fault("unruly", "unruly.so");
  HostOptions options = strict();
  options.restart.step_timeout = 60s;
  options.restart.drain_timeout = 300ms;
  Script script(world_.root());
  Host host(options);
  auto counter = host.create<test::Counter>("counter").value();
  auto unruly = host.create<test::Echo>("unruly").value();
  place_edition("counter-asks-stateless", 2);
  script.hang("2:create");
  ASSERT_FALSE(counter->refuse(TENON_INTERNAL | TENON_FATAL, "broken"));
  ASSERT_TRUE(script.hangs());
  ASSERT_FALSE(unruly->say("fail for good"));
  EXPECT_TRUE(eventually([&] { return module(host, "test.example/unruly").generation == 2; }));
  EXPECT_EQ(script.hanging_count(), 1);
  script.release();
}

TEST_F(HangingPlugin, DoesNotBlockDestructionOfHandles) {
  place_edition("session-counter-asks", 1);
  HostOptions options = strict();
  options.restart.gate_timeout = 60s;
  options.restart.step_timeout = 60s;
  options.restart.drain_timeout = 300ms;
  Script script(world_.root());
  Host host(options);
  auto kept = host.create<test::SessionCounter>("session-counter").value();
  auto dropped = std::make_optional(host.create<test::SessionCounter>("session-counter").value());
  script.hang("1:save_state");
  std::thread restarting([&] { EXPECT_TRUE(host.restart(sessions)); });
  ASSERT_TRUE(script.hangs());
  dropped.reset();
  EXPECT_EQ(module(host, sessions).instances, 1u);
  EXPECT_EQ(script.hanging_count(), 1) << "its state is still being saved";
  script.release();
  restarting.join();
  EXPECT_TRUE(kept->edition());
}

// -- Functions that call the host ---------------------------------------------

TEST_F(HangingPlugin, CallsTheHostWhileAFailedRestartEndsIt) {
  place_edition("counter-asks-stateless", 1);
  Script script(world_.root());
  Host host(options());
  auto counter = host.create<test::Counter>("counter", {{"first", "1"}}).value();
  place_edition("counter-asks-stateless", 2);
  script.say("2:configure", "fail");
  std::size_t modules = 0;
  bool created = false;
  for (const char* last : {"2:destroy", "2:stop"}) {
    script.set(last, [&] {
      modules = host.modules().size();
      // Other instances are created and destroyed while the function runs.
      std::thread([&] {
        created = static_cast<bool>(host.create<test::Counter>("counter"));
      }).join();
      return "";
    });
    modules = 0;
    created = false;
    EXPECT_EQ(host.restart(counters).error().status(), TENON_INTERNAL);
    EXPECT_EQ(modules, 2u) << last;
    EXPECT_TRUE(created) << last;
    script.say(last, "");
  }
  EXPECT_EQ(counter->edition().value(), 1);
  EXPECT_FALSE(is_mapped("counter.g2"));
}

/// A function of a session that releases a client of its own package.
class ClientOfOwnPackage : public HangingPlugin, public testing::WithParamInterface<const char*> {};

TEST_P(ClientOfOwnPackage, MayBeReleasedDuringARestart) {
  place_edition("session-counter-asks", 1);
  Script script(world_.root());
  Host host(options());
  script.say_once("1:configure", "own");
  auto counter = host.create<test::SessionCounter>("session-counter", {{"first", "1"}}).value();
  ASSERT_EQ(module(host, sessions).instances, 2u);
  script.say(GetParam(), "drop");
  const bool fails = std::string_view(GetParam()) == "1:resume";
  if (fails) {
    place_edition("session-counter-asks", 2);
    script.say("2:create", "fail");
  }
  EXPECT_EQ(static_cast<bool>(host.restart(sessions)), !fails);
  EXPECT_EQ(module(host, sessions).instances, 1u);
  EXPECT_TRUE(counter->edition());
}

INSTANTIATE_TEST_SUITE_P(Functions, ClientOfOwnPackage,
                         testing::Values("1:suspend", "1:save_state", "1:resume"),
                         [](const auto& info) { return std::string(info.param).substr(2); });

/// A function of a counter that creates another counter, which asks for its edition.
class CreateOfOwnPackage : public HangingPlugin, public testing::WithParamInterface<const char*> {
 protected:
  CreateOfOwnPackage() { place_edition("counter-asks", 1); }
  bool has_instances(const Host& host, std::size_t count) {
    return eventually([&] { return module(host, counters).instances == count; });
  }
};

TEST_P(CreateOfOwnPackage, IsServedByTheNewCode) {
  Script script(world_.root());
  Host host(options());
  const std::string function = GetParam();
  script.say_once("1:" + function, "own");
  auto counter = host.create<test::Counter>("counter", {{"first", "1"}}).value();
  place_edition("counter-asks", 2);
  std::atomic<bool> asked{false};
  std::atomic<int> objects{0};
  const auto own_once = [&] { return asked.exchange(true) ? "" : "own"; };
  script.set("2:" + function, own_once);
  script.set("2:create", [&] { return ++objects, function == "create" ? own_once() : ""; });
  script.set("2:destroy", [&] { return --objects, ""; });
  for (int round = 0; round < 2; ++round) {
    asked = false;
    const auto restarted = host.restart(counters);
    ASSERT_TRUE(restarted) << restarted.error().to_string();
    EXPECT_EQ(counter->edition().value(), 2);
    EXPECT_TRUE(has_instances(host, 2)) << "that of the old code is released with it";
    EXPECT_TRUE(eventually([&] { return objects == 2; })) << "each instance has one object";
  }
}

TEST_P(CreateOfOwnPackage, IsReleasedIfTheRestartFails) {
  Script script(world_.root());
  Host host(options());
  auto counter = host.create<test::Counter>("counter", {{"first", "1"}}).value();
  place_edition("counter-asks", 2);
  const std::string function = GetParam();
  script.set("2:" + function, [&] {
    script.say("2:" + function, function == "restore_state" ? "fail" : "");
    script.say("2:restore_state", "fail");
    return std::string("own");
  });
  auto other = host.create<test::Counter>("counter").value();
  EXPECT_FALSE(host.restart(counters));
  EXPECT_EQ(counter->edition().value(), 1);
  EXPECT_TRUE(has_instances(host, 2));
}

INSTANTIATE_TEST_SUITE_P(Functions, CreateOfOwnPackage,
                         testing::Values("start", "create", "configure", "restore_state"),
                         [](const auto& info) { return std::string(info.param); });

/// A function that creates an instance of its plugin in the same function, without end.
class EndlessCreate : public CreateOfOwnPackage {};

TEST_P(EndlessCreate, Fails) {
  Script script(world_.root());
  Host host(options());
  const std::string function = GetParam();
  const std::string word = function == "configure" ? "own configured" : "own";
  const TextMap config{{"first", "1"}};
  int functions = 0;
  script.set("1:" + function, [&] { return ++functions, word; });
  const auto failed = host.create<test::Counter>("counter", config);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().status(), TENON_RESOURCE_EXHAUSTED) << failed.error().to_string();
  EXPECT_EQ(functions, 16);
  EXPECT_TRUE(has_instances(host, 0));

  script.say("1:" + function, "");
  auto counter = host.create<test::Counter>("counter", config).value();
  place_edition("counter-asks", 2);
  script.say("2:" + function, word);
  const auto refused = host.restart(counters);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status(), TENON_RESOURCE_EXHAUSTED) << refused.error().to_string();
  EXPECT_EQ(counter->edition().value(), 1);
  EXPECT_TRUE(has_instances(host, 1));
}

INSTANTIATE_TEST_SUITE_P(Functions, EndlessCreate, testing::Values("create", "configure"),
                         [](const auto& info) { return std::string(info.param); });

// -- Many instances -----------------------------------------------------------

/// A configure call of another thread while a restart configures the new code.
class ConcurrentConfigure : public HangingPlugin {
 protected:
  ConcurrentConfigure() { place_edition("counter-asks-stateless", 1); }

  /// Configures the plugin again while the restart configures the new code.
  static void configure_meanwhile(Script& script, Handle<test::Counter>& counter,
                                  const char* word) {
    script.set("2:configure", [&script, &counter, word] {
      script.say("2:configure", "");
      std::thread([&] { EXPECT_TRUE(counter->configure({{"first", "99"}})); }).join();
      return word;
    });
  }
  static std::int64_t total(Handle<test::Counter>& counter) {
    return counter->total().value().total;
  }
};

TEST_F(ConcurrentConfigure, ReachesTheNewCodeDuringARestart) {
  Script script(world_.root());
  Host host(options());
  auto counter = host.create<test::Counter>("counter", {{"first", "1"}}).value();
  place_edition("counter-asks-stateless", 2);
  configure_meanwhile(script, counter, "");
  ASSERT_TRUE(host.restart(counters));
  EXPECT_EQ(counter->edition().value(), 2);
  EXPECT_EQ(total(counter), 99);
}

TEST_F(ConcurrentConfigure, IsKeptIfTheRestartFails) {
  Script script(world_.root());
  Host host(options());
  auto counter = host.create<test::Counter>("counter", {{"first", "1"}}).value();
  place_edition("counter-asks-stateless", 2);
  configure_meanwhile(script, counter, "fail");
  ASSERT_FALSE(host.restart(counters));
  EXPECT_EQ(counter->edition().value(), 1);
  EXPECT_EQ(total(counter), 99);
  ASSERT_TRUE(host.restart(counters));
  EXPECT_EQ(counter->edition().value(), 2);
  EXPECT_EQ(total(counter), 99);
}

TEST_F(ConcurrentConfigure, ReachesTheNewCodeAfterASlowConfigure) {
  Script script(world_.root());
  Host host(options());
  auto counter = host.create<test::Counter>("counter", {{"first", "1"}}).value();
  place_edition("counter-asks-stateless", 2);
  script.hang("1:configure");
  std::thread configuring([&] { EXPECT_TRUE(counter->configure({{"first", "99"}})); });
  ASSERT_TRUE(script.hangs("1:configure"));
  std::thread restarting([&] { EXPECT_TRUE(host.restart(counters)); });
  EXPECT_TRUE(eventually([&] { return counter->edition().value() == 2; }));
  EXPECT_EQ(total(counter), 1);
  script.release();
  configuring.join();
  EXPECT_EQ(total(counter), 99);
  restarting.join();
}

TEST_F(ConcurrentConfigure, WaitsForTheNewCodeOfASession) {
  place_edition("session-counter-asks", 1);
  Script script(world_.root());
  Host host(options());
  auto counter = host.create<test::SessionCounter>("session-counter", {{"first", "1"}}).value();
  place_edition("session-counter-asks", 2);
  std::thread configuring;
  script.set("2:configure", [&] {
    script.say("2:configure", "");
    configuring = std::thread([&] { EXPECT_TRUE(counter->configure({{"first", "99"}})); });
    return "";
  });
  EXPECT_TRUE(host.restart(sessions));
  configuring.join();
  EXPECT_EQ(counter->edition().value(), 2);
  EXPECT_EQ(counter->total().value().total, 99);
}

using ManyInstances = Hosting;

TEST_F(ManyInstances, SurviveRestartsWhileOthersComeAndGo) {
  constexpr std::size_t many = 3000;
  place("probe-1.so", "probe.so");
  Host host(options());
  std::vector<Handle<test::Probe>> probed;
  for (std::size_t i = 0; i < many; ++i) {
    probed.push_back(host.create<test::Probe>("probe", {{"word", std::to_string(i)}}).value());
  }
  std::atomic<bool> over{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> coming;
  for (int i = 0; i < 2; ++i) {
    coming.emplace_back([&] {
      while (!over) {
        auto probe = host.create<test::Probe>("probe", {{"word", "brief"}});
        if (!probe || (*probe)->word().value() != "brief") ++wrong;
      }
    });
  }
  for (int i = 0; i < 10; ++i) {
    place(i % 2 == 0 ? "probe-2.so" : "probe-1.so", "probe.so");
    const auto restarted = host.restart(probes);
    EXPECT_TRUE(restarted) << restarted.error().to_string();
  }
  over = true;
  for (std::thread& thread : coming) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(module(host, probes).instances, many);
  for (std::size_t i = 0; i < many; ++i) {
    ASSERT_EQ(probed[i]->word().value(), std::to_string(i));
    ASSERT_EQ(probed[i]->edition().value(), 1);
  }
}

}}  // namespace tenon::tests
