// SPDX-License-Identifier: BSL-1.0
//
// Crashes in plugins: contained ones, and others, which end a separate process.
#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/echo.hpp>
#include <test/probe.hpp>
#include <test/session_counter.hpp>
#include <test/stream.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "integration/blocked_next.hpp"
#include "integration/contained_crash.hpp"
#include "integration/host_echo.hpp"

namespace tenon::tests { namespace {

TEST_F(Containment, RestartsAPluginThatCreatesOneOfItsOwnModule) {
  place("counter-asks-1.so", "counter.so");
  std::atomic<bool> crashes{false};
  host_echo_says = [&](std::string_view function) -> std::string {
    if (function != "1:configure") return "";
    return crashes.exchange(false) ? "crash" : "own";
  };
  Host host(containing());
  auto counter = host.create<test::Counter>("counter", {{"first", "1"}}).value();
  for (std::uint64_t generation = 2; generation < 4; ++generation) {
    crashes = true;
    const auto failed = counter->configure({{"first", "2"}});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code(), "crashed") << failed.error().to_string();
    EXPECT_TRUE(eventually([&] { return counter->edition().has_value(); }));
    EXPECT_EQ(module(host, "test.example/counters").generation, generation);
    EXPECT_FALSE(module(host, "test.example/counters").quarantined);
  }
  host_echo_says = nullptr;
}

/// A small alternate signal stack for the current thread, and the memory below it. The thread must
/// end before this object is destroyed.
class SmallStack {
 public:
  SmallStack() {
    memory_.fill(pattern);
    stack_t small{.ss_sp = memory_.data() + below, .ss_flags = 0, .ss_size = 4096};
    if (sigaltstack(&small, nullptr) == 0) return;
    small.ss_size =
        static_cast<std::size_t>(sysconf(_SC_MINSIGSTKSZ));  // if the system requires more
    EXPECT_EQ(sigaltstack(&small, nullptr), 0);
  }
  SmallStack(const SmallStack&) = delete;
  SmallStack& operator=(const SmallStack&) = delete;

  const void* begin() const { return memory_.data() + below; }
  /// Returns whether nothing was written below the stack.
  bool intact() const {
    return std::all_of(memory_.begin(), memory_.begin() + below,
                       [](char byte) { return byte == pattern; });
  }

 private:
  static constexpr char pattern = 0x5a;
  static constexpr std::size_t below = 65'536;
  static constexpr std::size_t room = 65'536;

  std::array<char, below + room> memory_;
};

TEST_P(ContainedCrash, FailsTheCallOnASmallAlternateStack) {
  Host host(containing());
  auto unruly = host.create<test::Echo>("unruly").value();
  std::unique_ptr<SmallStack> small;
  std::thread([&] {
    small = std::make_unique<SmallStack>();
    EXPECT_EQ(unruly->say(GetParam().text).error().code(), "crashed");
  }).join();
  EXPECT_TRUE(small->intact());
  EXPECT_TRUE(serves_again(unruly));
}

constexpr Crashing contained[] = {
    {"write to nowhere", "SIGSEGV at "},
    {"call nowhere", "SIGSEGV at "},
    {"throw a crashing text", "SIGSEGV at "},
    {"throw a crashing end", "SIGSEGV at "},
    {"catch a crashing end", "SIGSEGV at "},
#if defined(__x86_64__)
    {"divide by zero", "SIGFPE at "},
#endif
    {"read past a file", "SIGBUS at "},
    {"run no instruction", "SIGILL at "},
    {"recurse for ever", "ran out of stack: SIGSEGV at "},
    {"abort", "SIGABRT at "},
    {"fail an assertion", "SIGABRT at "},
#if !SANITIZED  // which overrides these functions of the C library
    {"copy to nowhere", "SIGSEGV at "},
    {"measure nothing", "SIGSEGV at "},
#endif
};
INSTANTIATE_TEST_SUITE_P(Each, ContainedCrash, testing::ValuesIn(contained), name_of);

/// Stores which alternate stack the thread has when it exits.
struct StackAtThreadExit {
  const void** seen = nullptr;
  ~StackAtThreadExit() {
    stack_t now{};
    sigaltstack(nullptr, &now);
    *seen = now.ss_sp;
  }
};

TEST_F(Containment, RestoresTheAlternateStackOfAThread) {
  Host host(containing());
  auto unruly = host.create<test::Echo>("unruly").value();
  const void* given = nullptr;
  const void* seen = nullptr;
  std::unique_ptr<SmallStack> small;
  std::thread([&] {
    thread_local StackAtThreadExit at_exit;  // destroyed after later thread-locals
    at_exit.seen = &seen;
    small = std::make_unique<SmallStack>();
    given = small->begin();
    EXPECT_FALSE(unruly->say("write to nowhere"));
  }).join();
  EXPECT_EQ(seen, given);
}

TEST_F(Containment, RestoresTheFloatingPointModesOfAThread) {
  const volatile double one = 1;
  const volatile double three = 3;
  Host host(containing());
  auto unruly = host.create<test::Echo>("unruly").value();
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  const bool crashed = !unruly->say("write to nowhere");
  const int mode = std::fegetround();
  const volatile double third = one / three;
  std::fesetround(FE_TONEAREST);
  EXPECT_TRUE(crashed);
  EXPECT_EQ(mode, FE_UPWARD);
  EXPECT_GT(third, one / three) << "vector instructions have a mode of their own";
}

TEST_F(Containment, RestoresTheExceptionsOfAThread) {
  HostOptions prompt = containing();
  prompt.restart.failures.initial_backoff = {};
  prompt.restart.failures.max_backoff = {};
  Host host(prompt);
  auto unruly = host.create<test::Echo>("unruly").value();
  for (const char* text : {"crash in a catch clause", "crash while unwinding"}) {
    EXPECT_EQ(unruly->say(text).error().code(), "crashed");
    EXPECT_EQ(std::uncaught_exceptions(), 0) << text;
    EXPECT_EQ(std::current_exception(), nullptr) << text;
    ASSERT_TRUE(serves_again(unruly));
  }
  try {
    throw std::string("of the host");
  } catch (const std::string&) {
    EXPECT_EQ(unruly->say("crash in a catch clause").error().code(), "crashed");
    EXPECT_THROW(throw, std::string);
  }
}

TEST_F(Containment, NamesPluginAndMethodInRefusedCalls) {
  HostOptions slow = containing();
  slow.restart.failures.initial_backoff = std::chrono::minutes(1);
  slow.restart.failures.max_backoff = std::chrono::minutes(1);
  slow.restart.gate_timeout = std::chrono::hours(1);  // unused: calls are refused until the restart
  Host host(slow);
  auto unruly = host.create<test::Echo>("unruly").value();
  ASSERT_FALSE(unruly->say("write to nowhere"));
  ASSERT_TRUE(serves_again(unruly));
  ASSERT_FALSE(unruly->say("write to nowhere")) << "the second crash is followed by a pause";

  const auto refused = unruly->say("well?");

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "module-restarting");
  EXPECT_TRUE(refused.error().retryable());
  EXPECT_EQ(refused.error().plugin(), unruly_package);
  EXPECT_EQ(refused.error().method(), "say");
  EXPECT_TRUE(unruly.supports("say"));
  EXPECT_FALSE(unruly.supports("count")) << "the plugin left it out";
}

TEST_F(Containment, InterruptsBlockingCallsOfASession) {
  place("stream-1.so", "stream.so");
  HostOptions counting = containing();
  counting.count_calls = true;
  Host host(counting);
  auto waiting = host.create<test::Stream>("stream", {{"limit", "0"}}).value();
  auto crashing = host.create<test::Stream>("stream", {{"limit", "-1"}}).value();
  ASSERT_TRUE(waiting->open(0));
  ASSERT_TRUE(crashing->open(0));
  BlockedNext blocked(waiting);
  ASSERT_TRUE(eventually([&] { return module(host, streams).calls.in_flight == 1; }));

  const auto crashed = crashing->next();

  ASSERT_FALSE(crashed);
  EXPECT_EQ(crashed.error().status(), TENON_CRASHED | TENON_RESTARTED);
  EXPECT_EQ(blocked.status(), TENON_ABORTED | TENON_RETRYABLE) << "not the deadline";
  EXPECT_EQ(waiting->next().error().status(), TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED);
}

TEST_F(Containment, ReportsTheLocationOfACrash) {
  Host host(containing());
  auto unruly = host.create<test::Echo>("unruly").value();
  const auto failed = unruly->say("recurse for ever");
  const std::string message(failed.error().message());
  EXPECT_EQ(message.find("ran out of stack: SIGSEGV at (anonymous namespace)::recurse(int)"), 0u)
      << message;
  EXPECT_NE(message.find(" in unruly.so"), std::string::npos) << message;
  place_fault("unruly-stripped", "unruly.so");
  Host other(containing());
  auto stripped = other.create<test::Echo>("unruly").value();
  EXPECT_EQ(stripped->say("abort").error().message().find("SIGABRT at unruly.so+0x"), 0u);
}

TEST_F(Containment, FailsOnlyTheInnermostCall) {
  place("probe-of-unruly.so", "probe.so");
  Host host(containing());
  auto probe = host.create<test::Probe>("probe").value();
  const auto failed = probe->ask("unruly", "write to nowhere");
  EXPECT_EQ(failed.error().plugin(), "test.example/probe");
  EXPECT_EQ(failed.error().message(), "the other plugin failed");
  EXPECT_EQ(probe->edition().value(), 1);
  EXPECT_EQ(module(host, probes).generation, 1u) << "only the inner plugin restarts";
  EXPECT_TRUE(is_mapped("unruly.g"));
}

TEST_F(Containment, CallsRestoreStateWithoutStateSinceAbi11) {
  place("abi-0.so");
  place("abi-1.so");
  Host host(containing());
  for (const char* abi : {"0", "1"}) {
    const std::string package = std::string("test.example/abi-").append(abi);
    auto counter = host.create<test::Counter>(package + "-counter").value();
    EXPECT_FALSE(counter->add(-1));
    ASSERT_TRUE(eventually([&] { return counter->life().has_value(); }));
    EXPECT_EQ(counter->life().value(), abi[0] == '1' ? "create restore:0:none" : "create");
  }
}

TEST_F(Containment, SurvivesAModuleThatLeavesAnAlternateStackBehind) {
  place("changer.so");
  setenv("CHANGER", "start stack", 1);
  Host host(containing());
  auto unruly = host.create<test::Echo>("unruly").value();
  ASSERT_TRUE(host.create<test::SessionCounter>("changer")) << "unloaded with its handle";
  unsetenv("CHANGER");
  EXPECT_EQ(unruly->say("recurse for ever").error().code(), "crashed");
}

TEST_F(Containment, SurvivesAHundredCrashes) {
  HostOptions patient = containing();
  patient.restart.failures.max_failures = 1000;
  patient.restart.failures.initial_backoff = {};
  patient.restart.failures.max_backoff = {};
  Host host(patient);
  auto unruly = host.create<test::Echo>("unruly").value();
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(unruly->say("write to nowhere"));
    ASSERT_TRUE(serves_again(unruly));
  }
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::unload_prevented) == 100; }));
  EXPECT_EQ(module(host, unruly_package).still_mapped, 100u);
  EXPECT_EQ(count_events(Event::Type::drained), 0u) << "their code is not gone";
  const Event first = events(Event::Type::unload_prevented).at(0);
  EXPECT_EQ(first.message, "its code stays mapped: it crashed, so that threads and objects of " +
                               placed("unruly.so").string() + " may be left");
}

TEST_F(Containment, ReleasesTheInstancesOfACrashedModule) {
  Host host(containing());
  auto unruly = host.create<test::Echo>("unruly").value();
  const int before = host_echo_count();
  ASSERT_TRUE(unruly->say("keep another"));
  ASSERT_EQ(host_echo_count(), before + 1);
  ASSERT_FALSE(unruly->say("write to nowhere"));
  EXPECT_TRUE(eventually([&] { return host_echo_count() == before; }));
  EXPECT_TRUE(serves_again(unruly));
}

TEST_F(Containment, KeepsTheInstancesOfACrashedModuleWithThreads) {
  place_fault("unruly-with-threads", "unruly.so");
  Host host(containing());
  auto unruly = host.create<test::Echo>("unruly").value();
  const int before = host_echo_count();
  ASSERT_TRUE(unruly->say("keep another"));
  ASSERT_FALSE(unruly->say("write to nowhere"));
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::unload_prevented) == 1; }));
  EXPECT_EQ(host_echo_count(), before + 1) << "a thread of the module may use it";
}

TEST_F(Containment, SurvivesConcurrentCrashes) {
  Host host(containing());
  auto unruly = host.create<test::Echo>("unruly").value();
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { failed += !unruly->say("write to nowhere").has_value(); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 4) << "by the crash, or because the module had crashed";
  EXPECT_TRUE(serves_again(unruly));
}

TEST_F(Containment, CountsACrashAsAFailure) {
  HostOptions counting = containing();
  counting.count_calls = true;
  Host host(counting);
  auto unruly = host.create<test::Echo>("unruly").value();
  ASSERT_FALSE(unruly->say("write to nowhere"));
  EXPECT_EQ(module(host, unruly_package).calls.failures, 1u);
  EXPECT_EQ(module(host, unruly_package).calls.in_flight, 0u);
}

TEST_F(Containment, SupportsAdaptedPlugins) {
  place("probe-1.so", "probe.so");
  Host host(containing());
  auto probe = host.create<test::Probe>("probe", {{"word", "kept"}}).value();
  EXPECT_EQ(probe->word().value(), "kept") << "the plugin has version 1";
  EXPECT_EQ(probe->refuse(TENON_ABORTED, "no").error().message(), "no");
}

TEST_F(Containment, CoversCreateAndStart) {
  place_fault("crash-in-create", "unruly.so");
  Host host(containing());
  const auto failed = host.create<test::Echo>("unruly");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().method(), "create");
  EXPECT_EQ(failed.error().message().substr(0, 7), "SIGSEGV");
  EXPECT_EQ(failed.error().code(), "crashed");
  EXPECT_FALSE(failed.error().restarted()) << "there was no instance yet";
  place_fault("crash-in-start", "unruly.so");
  Host second(containing());
  EXPECT_EQ(second.create<test::Echo>("unruly").error().code(), "start-failed");
}

TEST_F(Containment, CoversConfigureOfCreate) {
  place("crash-in-configure.so", "thrower.so");
  Host host(containing());
  const auto failed = host.create<test::Counter>("thrower", {{"throw", ""}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().method(), "configure");
  EXPECT_EQ(failed.error().message().substr(0, 7), "SIGSEGV");
  EXPECT_EQ(failed.error().status(), TENON_CRASHED) << "there was no instance yet";
}

TEST_F(Containment, CoversConfigureOfTheNewCode) {
  place("thrower.so");
  Host host(containing());
  auto counter = host.create<test::Counter>("thrower", {{"throw", ""}}).value();
  ASSERT_TRUE(counter->add(5));
  place("crash-in-configure.so", "thrower.so");
  const auto failed = host.restart("test.example/thrower");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().method(), "configure");
  EXPECT_EQ(failed.error().status(), TENON_CRASHED) << "the instance continues in the old code";
  EXPECT_EQ(counter->add(1).value(), 6);
}

TEST_F(Containment, KeepsCodeMappedThatCrashedInDestroyOrStop) {
  for (const char* build : {"crash-in-destroy", "crash-in-stop"}) {
    place_fault(build, "unruly.so");
    Host host(containing());
    {
      auto unruly = host.create<test::Echo>("unruly").value();
      EXPECT_EQ(unruly->say("well?").value(), "well?");
    }
    EXPECT_TRUE(eventually([&] { return !module(host, unruly_package).loaded; }));
    EXPECT_TRUE(is_mapped("unruly.g"));
  }
}

TEST_F(Containment, CoversCodeThatOutlivesTheHost) {
  const auto threads = [] {
    return std::ranges::distance(std::filesystem::directory_iterator("/proc/self/task"));
  };
  const auto before = threads();
  place_fault("crash-late-in-stop", "unruly.so");
  HostOptions options = containing();
  options.restart.drain_timeout = std::chrono::milliseconds(100);
  options.restart.step_timeout = std::chrono::milliseconds(100);
  {
    Host host(options);
    ASSERT_TRUE(host.create<test::Echo>("unruly"));
  }
  ASSERT_GT(threads(), before) << "a worker is in the stop function";
  world_.write("go", "");
  EXPECT_TRUE(eventually([&] { return threads() <= before; }));
  EXPECT_FALSE(std::filesystem::exists(world_.root() / "go"));
}

TEST_F(Containment, ContainsCrashesOfThreadsThatBlockSignals) {
  Host host(containing());
  auto unruly = host.create<test::Echo>("unruly").value();
  std::thread([&] {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    EXPECT_EQ(unruly->say("write to nowhere").error().code(), "crashed");
  }).join();
}

TEST_F(Containment, ReportsACrashDuringTheUnload) {
  place_fault("crash-in-stop", "unruly.so");
  Host host(containing());
  ASSERT_TRUE(host.create<test::Echo>("unruly"));
  EXPECT_TRUE(eventually([&] { return module(host, unruly_package).still_mapped == 1; }));
  EXPECT_TRUE(eventually([&] {
    const auto all = events();
    return std::ranges::any_of(all, [](const Event& event) {
      return event.type == Event::Type::unload_prevented &&
             event.message.starts_with("its code stays mapped: it crashed while it ended, ") &&
             event.message.find("/unruly.so") != std::string::npos;
    });
  }));
}

TEST_F(Containment, NeverCallsACrashedModuleAgain) {
  place_fault("ends-with-the-process", "unruly.so");
  Host host(containing());
  auto unruly = host.create<test::Echo>("unruly").value();
  place_fault("unruly");
  ASSERT_FALSE(unruly->say("write to nowhere"));
  ASSERT_TRUE(serves_again(unruly)) << "destroy of the old code would end the process";
}

TEST_F(Containment, CoversCallsThatAForkedChildBegins) {
  Host host(containing());
  auto unruly = host.create<test::Echo>("unruly").value();
  EXPECT_EXIT(
      {
        const auto failed = unruly->say("write to nowhere");
        const auto refused = unruly->say("well?");
        const bool good = !failed && failed.error().code() == "crashed" && !refused &&
                          refused.error().code() == "failed-precondition" &&
                          !refused.error().retryable();
        _exit(good ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EQ(unruly->say("well?").value(), "well?") << "the parent is unaffected";
}

// -- Uncontained crashes --------------------------------------------------------

class Crash : public Containment {
 protected:
  Crash() { world_.set("TMPDIR", world_.root().string()); }

  Outcome run(const std::string& plugin, const std::string& text, const std::string& way = "") {
    return world_.run({UNRULY_HOST, world_.plugins().string(), plugin, text, way});
  }
};

/// Returns whether a signal ended a process. A sanitizer handles the signal and exits instead.
bool ended_by([[maybe_unused]] int signal, const Outcome& outcome) {
#if SANITIZED
  return outcome.exit != 0;
#else
  return outcome.exit == 128 + signal;
#endif
}

/// A crash that ends the process by a signal, and logs a line that names the plugin.
struct Uncontained {
  const char* text;
  int signal;
};

void PrintTo(const Uncontained& uncontained, std::ostream* out) {
  *out << uncontained.text;
}

class UncontainedCrash : public Crash, public testing::WithParamInterface<Uncontained> {};

TEST_P(UncontainedCrash, EndsTheProcessAndNamesThePlugin) {
  const Outcome outcome = run("unruly", GetParam().text);
  EXPECT_TRUE(ended_by(GetParam().signal, outcome)) << outcome.exit;
  EXPECT_NE(outcome.err.find(std::string("tenon: test.example/unruly: say: ") +
                             (GetParam().signal == SIGABRT ? "SIGABRT" : "SIGSEGV") +
                             ", not contained\n"),
            std::string::npos)
      << outcome.err;
}

constexpr Uncontained uncontained[] = {{"free what is no memory", SIGSEGV},
#if !SANITIZED  // a sanitizer reports it instead
                                       {"free twice", SIGABRT},
#endif
                                       {"print nothing", SIGSEGV},
                                       {"read from a stream of its own", SIGSEGV},
                                       {"sort", SIGSEGV},
                                       {"send itself a signal", SIGSEGV}};
INSTANTIATE_TEST_SUITE_P(Each, UncontainedCrash, testing::ValuesIn(uncontained),
                         [](const auto& info) {
                           std::string name = info.param.text;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

TEST_F(Crash, IsNotContainedInALibraryThatAPluginLoads) {
  const Outcome outcome = run("unruly", "load " FAULTS "/crash-in-constructor.so");
  EXPECT_TRUE(ended_by(SIGSEGV, outcome)) << outcome.exit;
  EXPECT_NE(outcome.err.find("tenon: test.example/unruly: say: SIGSEGV, not contained\n"),
            std::string::npos);
}

TEST_F(Crash, IsNotContainedInAConstructorOfTheModule) {
  place_fault("crash-in-constructor", "unruly.so");
  const Outcome outcome = run("unruly", "well?");
  EXPECT_TRUE(ended_by(SIGSEGV, outcome)) << outcome.exit;
  EXPECT_NE(outcome.err.find("tenon: test.example/unruly: load: SIGSEGV, not contained\n"),
            std::string::npos);
}

TEST_F(Crash, IsNotContainedInTheHostCalledByAPlugin) {
  const Outcome outcome = run("unruly", "make another", "crashes-in-event");
  EXPECT_TRUE(ended_by(SIGSEGV, outcome)) << outcome.exit;
  EXPECT_NE(outcome.err.find("tenon: test.example/unruly: say: SIGSEGV, not contained\n"),
            std::string::npos);
}

TEST_F(Crash, IsNotContainedInABuiltin) {
  const Outcome outcome = run("builtin:host-echo", "well?");
  EXPECT_TRUE(ended_by(SIGSEGV, outcome)) << outcome.exit;
  EXPECT_NE(outcome.err.find("tenon: test.example/host-echo: say: SIGSEGV, not contained\n"),
            std::string::npos);
}

TEST_F(Crash, IsNotContainedInAChildThatThePluginForked) {
  for (const char* text : {"crash in a forked child", "crash in a vforked child"}) {
    const Outcome outcome = run("unruly", text);
    EXPECT_TRUE(ended_by(SIGSEGV, outcome)) << text << ": " << outcome.exit;
    EXPECT_EQ(outcome.out, "") << text << ": the child returned into the host";
    EXPECT_NE(outcome.err.find("tenon: test.example/unruly: say: SIGSEGV, not contained: the call "
                               "began in another process\n"),
              std::string::npos)
        << text << ": " << outcome.err;
  }
}

TEST_F(Crash, BypassesTheHandlerOfTheHostIfContained) {
  const Outcome outcome = run("unruly", "write to nowhere", "own-handler");
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_NE(outcome.out.find("SIGSEGV"), std::string::npos);
}

TEST_F(Crash, UnblocksTheSignalsOfAHandlerThatCallsThePreviousOne) {
  const Outcome outcome = run("unruly", "write to nowhere", "chained-handler");
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_NE(outcome.out.find("SIGSEGV"), std::string::npos);
  EXPECT_NE(outcome.out.find("\nunblocked\n"), std::string::npos) << outcome.out;
}

TEST_F(Crash, IsNotContainedOnASmallAlternateStackSetLater) {
  const Outcome outcome = run("unruly", "write to nowhere", "small-stack-later");
  EXPECT_EQ(outcome.exit, 7) << "8: memory below the stack was written";
  EXPECT_NE(outcome.err.find("not contained: the alternate signal stack of the thread is full\n"),
            std::string::npos)
      << outcome.err;
}

TEST_F(Crash, ReachesTheHandlerOfTheHostFromTheHost) {
  const Outcome outcome = run("unruly", "write to nowhere", "crashes-itself");
  EXPECT_EQ(outcome.exit, 7);
  EXPECT_EQ(outcome.err.find("not contained"), std::string::npos) << "no plugin is involved";
}

TEST_F(Crash, ReachesTheHandlerOfTheHostAfterItsEnd) {
  EXPECT_EQ(run("unruly", "write to nowhere", "crashes-later").exit, 7);
}

TEST_F(Crash, ReachesTheHandlerOfTheHostIfNotContained) {
  const Outcome outcome = run("unruly", "sort", "own-handler");
  EXPECT_EQ(outcome.exit, 7);
  EXPECT_NE(outcome.err.find("tenon: test.example/unruly: say: SIGSEGV, not contained\n"),
            std::string::npos);
}

// -- Exits --------------------------------------------------------------------

/// Runs a host whose plugin calls exit() or quick_exit().
class Exit : public Crash {};

TEST_F(Exit, OfAPluginIsReported) {
  for (const std::string function : {"exit", "quick_exit"}) {
    const Outcome outcome = run("unruly", "call " + function, "reports-exits");
    EXPECT_EQ(outcome.exit, 1);
    EXPECT_EQ(outcome.err, "tenon: test.example/unruly called " + function +
                               "(); the process ends with status 1\n");
    EXPECT_EQ(outcome.out, "");
  }
}

TEST_F(Exit, OfAModuleIsReported) {
  place_fault("exit-in-start", "unruly.so");
  const Outcome outcome = run("unruly", "well?", "reports-exits");
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon: test.example/unruly called exit(); the process ends with status 1\n");
}

TEST_F(Exit, OfTheHostIsNotReported) {
  const Outcome outcome = run("unruly", "well?", "exits-itself");
  EXPECT_EQ(outcome.exit, 5);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Exit, OfAForkedChildIsNotReported) {
  const Outcome outcome = run("unruly", "call exit in a forked child", "reports-exits");
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_EQ(outcome.err.find("tenon:"), std::string::npos) << outcome.err;
}

TEST_F(Exit, OfAPluginIsNotReportedByDefault) {
  const Outcome outcome = run("unruly", "call exit");
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.err, "");
}

}}  // namespace tenon::tests
