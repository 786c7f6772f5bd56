// SPDX-License-Identifier: BSL-1.0
//
// Restarts of modules that call each other, and many concurrent calls, creates and restarts.
#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/echo.hpp>
#include <test/probe.hpp>
#include <test/stream.hpp>

#include <atomic>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

class RestartStress : public Hosting {
 protected:
  static constexpr const char* echoes = "test.example/faults";
  static constexpr const char* counters = "test.example/counters";

  RestartStress() {
    place("probe-of-echo.so", "probe.so");
    place("counter-1.so", "counter.so");
    place_fault("good", "echo.so");
  }
};

TEST_F(RestartStress, RestartsOtherModulesDuringABlockingCall) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  auto echo = host.create<test::Echo>("echo").value();
  std::atomic<bool> inside{false};
  host_echo_says = [&](std::string_view) {
    inside = true;
    return eventually([&] { return !inside; }) ? "let go" : "forgotten";
  };
  std::thread blocked(
      [&] { EXPECT_EQ(probe->ask("builtin:host-echo", "wait").value(), "let go"); });
  ASSERT_TRUE(eventually([&] { return inside.load(); }));
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(host.restart(echoes));
    EXPECT_EQ(module(host, echoes).draining_generations, 0u) << "the restart has completed";
    EXPECT_EQ(echo->say("hello").value(), "1: hello");
  }
  EXPECT_TRUE(inside) << "the other call is still active";
  inside = false;
  blocked.join();
}

TEST_F(RestartStress, RestartsTheCallerInANestedCall) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  place("probe-2.so", "probe.so");
  // The thread is in the probe and in the builtin, which restarts the probe.
  host_echo_says = [&](std::string_view) {
    return host.restart(probes).value() == RestartOutcome::scheduled ? "soon" : "now";
  };
  EXPECT_EQ(probe->ask("builtin:host-echo", "restart your caller").value(), "soon");
  EXPECT_TRUE(eventually([&] { return probe->edition().value() == 2; }));
  EXPECT_TRUE(eventually([&] { return !is_mapped("probe.g1"); }));
}

TEST_F(RestartStress, RestartsTwoModulesFromEachOtherWithoutDeadlock) {
  place("stream-1.so", "stream.so");
  Host host(short_timeouts());
  auto stream = host.create<test::Stream>("stream", {{"limit", "10"}}).value();
  auto counter = host.create<test::Counter>("counter").value();
  std::atomic<int> inside{0};
  // Each thread is in one module and restarts the other, and both restarts wait for calls to end.
  host_echo_says = [&](std::string_view whom) {
    ++inside;
    if (!eventually([&] { return inside == 2; })) return std::string("alone");
    const auto done = host.restart(whom);
    return done ? std::string("restarted") : std::string(done.error().code());
  };
  std::string by_stream;
  std::string by_counter;
  std::thread first([&] { by_stream = stream->call_back(counters).value(); });
  std::thread second([&] { by_counter = counter->call_back(streams).value(); });
  first.join();
  second.join();
  const auto ended = [](const std::string& word) {
    return word == "restarted" || word == "restart-failed" || word == "aborted";
  };
  EXPECT_TRUE(ended(by_stream)) << by_stream;
  EXPECT_TRUE(ended(by_counter)) << by_counter;
  for (const char* package : {counters, streams}) {
    EXPECT_TRUE(eventually([&] { return host.restart(package).has_value(); })) << package;
  }
}

// The thread belongs to the module and only calls the builtin. `stop` joins it.
TEST_F(RestartStress, RestartsAModuleFromItsOwnThread) {
  place_fault("thread-calls-host", "echo.so");
  Host host(options());
  std::atomic<bool> asks{false};
  std::atomic<bool> soon{false};
  host_echo_says = [&](std::string_view) {
    if (asks.exchange(false)) soon = host.restart(echoes).value() == RestartOutcome::scheduled;
    return std::string();
  };
  auto echo = host.create<test::Echo>("echo").value();
  asks = true;
  EXPECT_TRUE(eventually([&] { return module(host, echoes).generation == 2; }));
  EXPECT_TRUE(soon);
  EXPECT_TRUE(eventually([] { return !is_mapped("echo.g1"); }));
  EXPECT_EQ(echo->say("hello").value(), "1: hello");
}

TEST_F(RestartStress, ServesThreadsOfAModuleDuringItsRestarts) {
  place_fault("thread-calls-host", "echo.so");
  Host host(options());
  std::atomic<int> heard{0};
  host_echo_says = [&](std::string_view text) {
    if (text == "from a thread") ++heard;
    return std::string();
  };
  {
    auto echo = host.create<test::Echo>("echo").value();
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(host.restart(echoes));
      EXPECT_EQ(echo->say("hello").value(), "1: hello");
    }
    const int before = heard;
    EXPECT_TRUE(eventually([&] { return heard > before; }))
        << "the thread of the newest generation";
  }
  EXPECT_EQ(host_echo_count(), 0);
  EXPECT_TRUE(eventually([&] { return copies().empty(); }));
}

TEST_F(RestartStress, CreatesInstancesDuringUnloads) {
  Host host(options());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 100; ++n) {
        auto counter = host.create<test::Counter>("counter");
        if (!counter || !(*counter)->add(n) || (*counter)->total().value().total != n) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(module(host, counters).instances, 0u);
  EXPECT_FALSE(module(host, counters).loaded);
  EXPECT_TRUE(eventually([&] { return copies().empty(); }));
}

TEST_F(RestartStress, LoadsAFileThatIsReplacedMeanwhile) {
  Host host(options());
  std::atomic<bool> over{false};
  std::thread replacing([&] {
    for (int i = 0; !over; ++i) place(i % 2 == 0 ? "counter-2.so" : "counter-1.so", "counter.so");
  });
  std::set<std::string> problems;
  for (int i = 0; i < 300; ++i) {
    const auto counter = host.create<test::Counter>("counter");
    if (!counter) problems.insert(counter.error().to_string());
    const auto restarted = host.restart(i % 2 == 0 ? counters : echoes);
    if (!restarted) problems.insert(restarted.error().to_string());
  }
  over = true;
  replacing.join();
  EXPECT_EQ(problems, std::set<std::string>());
  EXPECT_TRUE(eventually([&] { return copies().empty(); }));
}

TEST_F(RestartStress, ReusesInstanceIndicesDuringRestarts) {
  Host host(options());
  auto kept = host.create<test::Counter>("counter").value();
  ASSERT_TRUE(kept->add(1'000'000));
  std::atomic<bool> over{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 1; i <= 3; ++i) {
    threads.emplace_back([&, i] {
      while (!over) {
        // The second instance reuses the index of the first one, but not its total.
        for (int n = 0; n < 2; ++n) {
          auto counter = host.create<test::Counter>("counter");
          if (!counter || (*counter)->total().value().total != 0) ++wrong;
          if (!counter || !(*counter)->add(i) || (*counter)->total().value().total != i) ++wrong;
        }
      }
    });
  }
  for (int i = 0; i < 60; ++i) {
    if (!host.restart(counters)) ++wrong;
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(kept->total().value().total, 1'000'000);
  EXPECT_EQ(module(host, counters).instances, 1u);
}

TEST_F(RestartStress, ServesShortLivedThreadsDuringRestarts) {
  constexpr int restarts = 150;
  Host host(options());
  auto probe = host.create<test::Probe>("probe", {{"word", "steady"}}).value();
  auto counter = host.create<test::Counter>("counter").value();
  host_echo_says = [&](std::string_view text) { return std::string(text); };
  std::atomic<int> restarting{2};
  std::atomic<int> wrong{0};
  std::atomic<std::int64_t> added{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      while (restarting != 0) {
        // A few calls each, so that thread records are reused.
        std::thread([&] {
          for (int n = 0; n < 20; ++n) {
            const auto word = probe->word();
            const auto nested = probe->ask("echo", "hello");
            if (!word || *word != "steady" || !nested || nested->substr(1) != ": hello") ++wrong;
            if (counter->add(1)) ++added;
          }
        }).join();
      }
    });
  }
  const auto restart = [&](const std::vector<const char*>& packages) {
    for (int i = 0; i < restarts; ++i) {
      for (const char* package : packages) {
        if (!host.restart(package)) ++wrong;
      }
    }
    --restarting;
  };
  std::thread first(restart, std::vector{probes, counters});
  std::thread second(restart, std::vector{echoes, probes});
  first.join();
  second.join();
  for (std::thread& caller : callers) caller.join();

  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(counter->total().value().total, added);
  EXPECT_TRUE(eventually([&] { return copies().size() == 2; }))
      << "only the images of the probe and of the counter are left";
  for (const char* package : {probes, counters}) {
    EXPECT_EQ(module(host, package).draining_generations, 0u);
    EXPECT_EQ(module(host, package).still_mapped, 0u);
  }
}

}}  // namespace tenon::tests
