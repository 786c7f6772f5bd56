// SPDX-License-Identifier: BSL-1.0
//
// Functions of plugins that return, fail or hang while a Supervisor waits for them.
#include <tenon/log.hpp>
#include <tenon/supervisor.hpp>

#include <gtest/gtest.h>
#include <test/answer.hpp>
#include <test/counter.hpp>
#include <test/turns.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "integration/hosting.hpp"
#include "integration/script.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

/// Counters whose functions hang as the script says.
class Supervised : public Hosting {
 protected:
  using Counter = SupervisedHandle<test::Counter>;

  static constexpr const char* counters = "test.example/counters";
  /// A call in time takes less even on a busy machine. A hanging call takes this time and more.
  static constexpr auto enough = 1min;
  static constexpr auto soon = 1ms;

  Supervised() { place("counter-asks-stateless-1.so", "counter.so"); }

  HostOptions logging() {
    HostOptions options = short_drain();
    options.log_sink = [this](const LogLine& line) {
      const std::lock_guard lock(log_mutex_);
      log_ += std::string(line.message) + "\n";
    };
    return options;
  }
  std::string log() {
    const std::lock_guard lock(log_mutex_);
    return log_;
  }

  static Result<std::int64_t> add(Counter& counter, std::int64_t number) {
    return counter.call("add", enough, [number](test::Counter& instance, Call& call) {
      return instance.add(call, number);
    });
  }
  /// Returns the response of the host to a text, which hangs if the script says so.
  static Result<std::string> ask(Counter& counter, const std::string& text,
                                 std::chrono::nanoseconds timeout, Overdue then = Overdue::fail) {
    return counter.call(
        "call_back", timeout,
        [text](test::Counter& instance, Call& call) -> Result<std::string> {
          const auto answer = instance.call_back(call, text);
          if (!answer) return answer.error();
          return std::string(*answer);
        },
        then);
  }
  static void expect_abandoned(const Error& error, std::string_view function) {
    EXPECT_EQ(error.code(), "call-abandoned") << error.to_string();
    EXPECT_EQ(TENON_CODE(error.status()), TENON_DEADLINE_EXCEEDED);
    EXPECT_EQ(error.plugin(), "test.example/counter");
    EXPECT_EQ(error.method(), function);
  }

  Script script{world_.root()};

 private:
  std::mutex log_mutex_;
  std::string log_;
};

TEST_F(Supervised, CallsReturnOwnedValues) {
  place("answers.so");
  Host host(options());
  Supervisor supervisor(host);
  auto counter = supervisor.create<test::Counter>("counter", {{"first", "40"}}, enough).value();
  EXPECT_EQ(add(counter, 2).value(), 42);
  using Text = Result<std::string>;
  const Text life = counter.call("life", enough, [](test::Counter& instance, Call& call) -> Text {
    const auto view = instance.life(call);
    if (!view) return view.error();
    return std::string(*view);
  });
  EXPECT_EQ(life.value(), "create configure");
  auto answers = supervisor.create<test::Answer>("test.example/answers", enough).value();
  using Data = Result<Bytes>;
  const Data data = answers.call("give", enough, [](test::Answer& instance, Call&) -> Data {
    auto response = instance.give("good", {});
    if (!response) return std::move(response).error();
    return std::move(response->data);
  });
  EXPECT_EQ(data.value(), Bytes{0xff});
  EXPECT_EQ(counter.info().package(), counters);
  EXPECT_FALSE(supervisor.has_abandoned());
}

TEST_F(Supervised, ErrorsAreThoseOfThePlugin) {
  Host host(options());
  Supervisor supervisor(host);
  auto counter = supervisor.create<test::Counter>("counter", enough).value();
  const auto refused = counter.call("refuse", enough, [](test::Counter& instance, Call& call) {
    return instance.refuse(call, TENON_DATA_LOSS, "it is gone");
  });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().to_string(), "test.example/counter: refuse: data-loss: it is gone");
  EXPECT_EQ(supervisor.create<test::Counter>("nobody", enough).error().code(), "not-found");
  EXPECT_FALSE(supervisor.has_abandoned());
}

TEST_F(Supervised, ExceptionsOfPluginsAreErrors) {
  place("thrower.so");
  Host host(options());
  Supervisor supervisor(host);
  const auto failed = supervisor.create<test::Counter>("thrower", {{"throw", "configure"}}, enough);
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message().find("no more coffee"), std::string::npos)
      << failed.error().to_string();
  auto thrower = supervisor.create<test::Counter>("thrower", enough).value();
  const auto thrown = ask(thrower, "throw", enough);
  ASSERT_FALSE(thrown);
  EXPECT_NE(thrown.error().message().find("no more coffee"), std::string::npos)
      << thrown.error().to_string();
}

TEST_F(Supervised, ExceptionsOfBodiesAreRethrown) {
  Host host(options());
  Supervisor supervisor(host);
  auto counter = supervisor.create<test::Counter>("counter", enough).value();
  const auto body = [](test::Counter&, Call&) -> Result<void> { throw std::runtime_error("body"); };
  EXPECT_THROW(static_cast<void>(counter.call("add", enough, body)), std::runtime_error);
  EXPECT_EQ(add(counter, 1).value(), 1) << "the supervisor can still be used";
}

TEST_F(Supervised, HangingMethodIsAbandoned) {
  Host host(short_drain());
  Supervisor supervisor(host);
  auto counter = supervisor.create<test::Counter>("counter", enough).value();
  script.hang("wait");
  const auto late = ask(counter, "wait", soon);
  ASSERT_FALSE(late);
  expect_abandoned(late.error(), "call_back");
  EXPECT_EQ(late.error().message(),
            "it did not return within 1 ms, and was abandoned with its thread");
  EXPECT_TRUE(supervisor.has_abandoned());
  EXPECT_EQ(script.hanging_count(), 1);
  script.say("other", "else");
  EXPECT_EQ(ask(counter, "other", enough).value(), "else") << "other calls have other threads";
  script.release();
  EXPECT_TRUE(eventually([&] { return script.hanging_count() == 0; }));
  EXPECT_EQ(ask(counter, "other", enough).value(), "else") << "the late response is dropped";
}

TEST_F(Supervised, InstanceLivesUntilItsAbandonedCallHasReturned) {
  Host host(short_drain());
  Supervisor supervisor(host);
  auto counter = supervisor.create<test::Counter>("counter", enough).value();
  std::atomic<int> destroyed = 0;
  script.set("1:destroy", [&] {
    ++destroyed;
    return "";
  });
  script.hang("wait");
  EXPECT_FALSE(ask(counter, "wait", soon));
  counter.reset();
  EXPECT_FALSE(counter);
  EXPECT_EQ(destroyed, 0);
  EXPECT_EQ(module(host, counters).instances, 1);
  script.release();
  EXPECT_TRUE(eventually([&] { return destroyed == 1; }));
}

TEST_F(Supervised, HangingCreateIsAbandoned) {
  Host host(short_drain());
  Supervisor supervisor(host);
  auto first = supervisor.create<test::Counter>("counter", enough).value();
  std::atomic<int> destroyed = 0;
  script.set("1:destroy", [&] {
    ++destroyed;
    return "";
  });
  script.hang("1:create");
  const auto late = supervisor.create<test::Counter>("counter", soon);
  ASSERT_FALSE(late);
  expect_abandoned(late.error(), "create");
  EXPECT_EQ(add(first, 1).value(), 1);
  script.release();
  EXPECT_TRUE(eventually([&] { return destroyed == 1; })) << "the late instance is dropped";
}

TEST_F(Supervised, HangingDestroyIsAbandonedAndLogged) {
  Host host(logging());
  Supervisor supervisor(host);
  auto kept = supervisor.create<test::Counter>("counter", enough).value();
  auto counter = supervisor.create<test::Counter>("counter", soon + 1s).value();
  script.hang("1:destroy");
  counter.reset();
  EXPECT_TRUE(supervisor.has_abandoned());
  EXPECT_NE(log().find("test.example/counter: destroy: call-abandoned: it did not return within"),
            std::string::npos)
      << log();
  EXPECT_EQ(add(kept, 1).value(), 1);
  script.release();
}

TEST_F(Supervised, HostMayBeDestroyedWhileCallsHang) {
  {
    Host host(short_drain());
    Supervisor supervisor(host);
    auto counter = supervisor.create<test::Counter>("counter", enough).value();
    script.hang("wait");
    EXPECT_FALSE(ask(counter, "wait", soon));
    script.hang("1:create");
    EXPECT_FALSE(supervisor.create<test::Counter>("counter", soon));
    EXPECT_EQ(script.hanging_count(), 2);
  }
  EXPECT_EQ(script.hanging_count(), 2);
  EXPECT_TRUE(is_mapped("counter.g1")) << "abandoned calls keep the code loaded";
  script.release();
  EXPECT_TRUE(eventually([] { return !is_mapped("counter.g1"); }));
}

TEST_F(Supervised, MethodsOfTheMainThreadAreRefused) {
  place("turns.so");
  Host host(options());
  Supervisor supervisor(host);
  auto turns = supervisor.create<test::Turns>("test.example/turns", enough).value();
  bool called = false;
  const auto show = [&called](test::Turns& instance, Call& call) {
    called = true;
    return instance.show(call);
  };
  const auto refused = turns.call("show", enough, show);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().to_string(),
            "test.example/turns: show: failed-precondition: the method must run on the main "
            "thread, so it cannot be supervised");
  EXPECT_EQ(turns.call("shows", enough, show).error().to_string(),
            "test.example/turns: shows: invalid-argument: test.example/turns has no such method");
  EXPECT_FALSE(called);
}

TEST_F(Supervised, RetriesAfterARestart) {
  Host host(short_drain());
  Supervisor supervisor(host);
  auto counter = supervisor.create<test::Counter>("counter", {{"first", "5"}}, enough).value();
  place("counter-asks-stateless-2.so", "counter.so");
  script.hang("1:asks");
  script.say("2:asks", "fresh");
  // In time for the second attempt also on a busy machine.
  const auto answer = counter.call(
      "call_back", 2s,
      [](test::Counter& instance, Call& call) -> Result<std::string> {
        const auto edition = instance.edition(call);
        if (!edition) return edition.error();
        const auto said = instance.call_back(call, std::to_string(*edition) + ":asks");
        if (!said) return said.error();
        return std::string(*said);
      },
      Overdue::restart_and_retry);
  EXPECT_EQ(answer.value(), "fresh");
  EXPECT_EQ(module(host, counters).generation, 2);
  EXPECT_TRUE(supervisor.has_abandoned());
  EXPECT_EQ(add(counter, 1).value(), 6) << "its configuration was replayed";
  script.release();
}

TEST_F(Supervised, RetriesOnce) {
  Host host(short_drain());
  Supervisor supervisor(host);
  auto counter = supervisor.create<test::Counter>("counter", enough).value();
  script.hang("wait");
  const auto late = ask(counter, "wait", soon, Overdue::restart_and_retry);
  ASSERT_FALSE(late);
  expect_abandoned(late.error(), "call_back");
  EXPECT_EQ(script.hanging_count(), 2);
  EXPECT_EQ(module(host, counters).generation, 2);
  script.release();
}

TEST_F(Supervised, RetriesCreate) {
  Host host(short_drain());
  Supervisor supervisor(host);
  auto first = supervisor.create<test::Counter>("counter", enough).value();
  place("counter-asks-stateless-2.so", "counter.so");
  script.hang("1:create");
  const auto second = supervisor.create<test::Counter>("counter", 2s, Overdue::restart_and_retry);
  EXPECT_TRUE(second) << second.error().to_string();
  EXPECT_EQ(script.hanging_count(), 1);
  script.release();
}

TEST_F(Supervised, FailedRestartIsPartOfTheError) {
  Host host(short_drain());
  Supervisor supervisor(host);
  auto counter = supervisor.create<test::Counter>("counter", enough).value();
  place("counter-start-fails.so", "counter.so");
  script.hang("wait");
  const auto late = ask(counter, "wait", soon, Overdue::restart_and_retry);
  ASSERT_FALSE(late);
  expect_abandoned(late.error(), "call_back");
  EXPECT_NE(late.error().message().find("; its module was not restarted: not today"),
            std::string::npos)
      << late.error().to_string();
  EXPECT_EQ(script.hanging_count(), 1);
  script.release();
}

TEST_F(Supervised, CancelEndsCallsAndRefusesOthers) {
  Host host(short_drain());
  Supervisor supervisor(host);
  auto counter = supervisor.create<test::Counter>("counter", enough).value();
  std::atomic<bool> begun = false;
  std::thread canceller([&] {
    eventually([&] { return begun.load(); });
    supervisor.cancel();
  });
  const auto reason = counter.call("block", enough, [&begun](test::Counter& instance, Call& call) {
    begun = true;
    return instance.block(call);
  });
  canceller.join();
  EXPECT_EQ(reason.value(), TENON_CANCELLED_BY_CALLER);
  EXPECT_EQ(add(counter, 1).error().code(), "cancelled");
  EXPECT_EQ(supervisor.create<test::Counter>("counter", enough).error().code(), "cancelled");
  std::atomic<int> destroyed = 0;
  script.set("1:destroy", [&] {
    ++destroyed;
    return "";
  });
  supervisor.resume();
  EXPECT_EQ(add(counter, 1).value(), 1);
  supervisor.cancel();
  counter.reset();
  EXPECT_EQ(destroyed, 1) << "instances are destroyed even after cancel";
  EXPECT_FALSE(supervisor.has_abandoned());
}

TEST_F(Supervised, CallsOfManyThreadsRunConcurrently) {
  Host host(short_drain());
  Supervisor supervisor(host);
  auto counter = supervisor.create<test::Counter>("counter", enough).value();
  script.hang("wait");
  std::vector<std::thread> threads;
  std::atomic<int> abandoned = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 25; ++j) EXPECT_TRUE(add(counter, 1));
      if (!ask(counter, "wait", soon)) ++abandoned;
      for (int j = 0; j < 25; ++j) EXPECT_TRUE(add(counter, 1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(abandoned, 8);
  EXPECT_EQ(add(counter, 0).value(), 400);
  script.release();
}

static_assert(detail::is_owned<std::string> && detail::is_owned<Bytes>);
static_assert(!detail::is_owned<std::string_view> && !detail::is_owned<const char*>);
static_assert(!detail::is_owned<BytesView> && !detail::is_owned<ListView<std::string>>);
static_assert(!detail::is_owned<std::optional<std::string_view>> && !detail::is_owned<Reader>);

}}  // namespace tenon::tests
