// SPDX-License-Identifier: BSL-1.0
//
// Restarts of modules with a session: the old session ends before the new one begins.
#include <gtest/gtest.h>
#include <test/stream.hpp>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "integration/blocked_next.hpp"
#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

class Session : public Hosting {
 protected:
  Session() { place("stream-1.so", "stream.so"); }

  /// Returns an open stream that counts up to `limit`.
  static Handle<test::Stream> opened(Host& host, const std::string& limit) {
    auto stream = host.create<test::Stream>("stream", {{"limit", limit}}).value();
    stream->open(0).value();
    return stream;
  }

  static constexpr tenon_status again = TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED;
  static constexpr tenon_status interrupted = TENON_ABORTED | TENON_RETRYABLE;
};

TEST_F(Session, ReturnsRestartedUntilItIsOpenedAgain) {
  Host host(options());
  auto stream = opened(host, "10");
  EXPECT_EQ(stream->next().value(), 1);
  EXPECT_EQ(stream->next().value(), 2);
  place("stream-2.so", "stream.so");

  ASSERT_TRUE(host.restart(streams));

  EXPECT_EQ(stream->next().error().status(), again);
  EXPECT_EQ(stream->next().error().status(), again) << "each time";
  EXPECT_EQ(stream->edition().value(), 2) << "a method that is allowed in any state";
  ASSERT_TRUE(stream->open(2));
  EXPECT_EQ(stream->next().value(), 3) << "with its configuration, from the host's own position";
  EXPECT_FALSE(is_mapped("stream.g1"));
}

TEST_F(Session, IsReopenedForEachInstance) {
  Host host(options());
  auto first = opened(host, "10");
  auto second = opened(host, "10");
  ASSERT_TRUE(host.restart(streams));
  ASSERT_TRUE(first->open(0));
  EXPECT_EQ(first->next().value(), 1);
  EXPECT_EQ(second->next().error().status(), again);
}

TEST_F(Session, InterruptsABlockingCall) {
  Host host(options());
  auto stream = opened(host, "0");
  std::atomic<bool> begun{false};
  tenon_status status = TENON_OK;
  std::thread blocked([&] {
    begun = true;
    status = stream->next().error().status();
  });
  ASSERT_TRUE(eventually([&] { return begun.load(); }));
  ASSERT_TRUE(host.restart(streams));
  blocked.join();
  // If the thread calls after the restart, it gets the status of the restart.
  EXPECT_TRUE(status == interrupted || status == again) << status;
  EXPECT_FALSE(is_mapped("stream.g1"));
}

TEST_F(Session, InterruptsACallThatBlocksAfterTheGateClosed) {
  HostOptions counting = options();
  counting.count_calls = true;
  Host host(counting);
  auto stream = opened(host, "0");
  std::thread restarting;
  bool restarted = false;
  std::optional<Error> late;
  host_echo_says = [&](std::string_view) {
    // Another thread blocks until the restart closes the gate and interrupts calls. The restart
    // then waits for this thread.
    std::thread blocked([&] { EXPECT_EQ(stream->next().error().status(), interrupted); });
    EXPECT_TRUE(eventually([&] { return module(host, streams).calls.in_flight == 2; }));
    restarting = std::thread([&] { restarted = host.restart(streams).has_value(); });
    blocked.join();
    Call call;
    call.set_timeout(std::chrono::seconds(20));
    late = stream->next(call).error();
    return "";
  };
  ASSERT_TRUE(stream->call_back("restart"));
  restarting.join();
  EXPECT_TRUE(restarted);
  EXPECT_EQ(late->status(), interrupted);
  EXPECT_FALSE(is_mapped("stream.g1"));
}

TEST_F(Session, ReturnsTheFailureThatBeginsARestart) {
  HostOptions options = this->options();
  options.count_calls = true;
  std::optional<BlockedNext> other;
  std::thread restarting;
  std::optional<Host> host;
  options.on_event = [&](const Event& event) {
    if (event.type != Event::Type::faulted) return;
    // The failed call has not returned yet while the restart interrupts the calls.
    restarting = std::thread([&] { EXPECT_TRUE(host->restart(streams)); });
    EXPECT_EQ(other->status(), interrupted);
  };
  host.emplace(options);
  auto waiting = opened(*host, "0");
  auto failing = opened(*host, "-2");
  other.emplace(waiting);
  ASSERT_TRUE(eventually([&] { return module(*host, streams).calls.in_flight == 1; }));

  const auto failed = failing->next();

  restarting.join();
  EXPECT_EQ(failed.error().message(), "the pump is stuck");
  EXPECT_EQ(failed.error().status(), TENON_INTERNAL | TENON_FATAL);
}

TEST_F(Session, ContinuesIfTheRestartFails) {
  Host host(options());
  auto stream = opened(host, "3");
  EXPECT_EQ(stream->next().value(), 1);
  place("stream-configure-fails.so", "stream.so");

  const auto failed = host.restart(streams);

  EXPECT_EQ(failed.error().code(), "invalid-argument");
  EXPECT_EQ(stream->next().value(), 2);
  EXPECT_EQ(stream->edition().value(), 1);
  EXPECT_EQ(copies(), Texts{module_file("stream.g1.so")});
}

TEST_F(Session, InterruptsWithoutLossIfTheRestartFails) {
  Host host(options());
  auto stream = opened(host, "1");
  EXPECT_EQ(stream->next().value(), 1);
  place("stream-configure-fails.so", "stream.so");
  std::atomic<bool> over{false};
  tenon_status status = TENON_OK;
  std::thread blocked([&] {
    status = stream->next().error().status();
    over = true;
  });
  // The first restarts may happen before the thread calls.
  EXPECT_TRUE(eventually([&] { return !host.restart(streams) && over; }));
  blocked.join();
  EXPECT_EQ(status, interrupted) << "without TENON_RESTARTED: the session continues";
}

TEST_F(Session, AdmitsNestedCallsThroughTheClosedGate) {
  Host host(options());
  auto stream = opened(host, "10");
  place("stream-2.so", "stream.so");
  std::thread restarting;
  bool restarted = false;
  host_echo_says = [&](std::string_view) {
    restarting = std::thread([&] { restarted = host.restart(streams).has_value(); });
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    while (std::chrono::steady_clock::now() < end) {
      if (stream->edition().value() != 1) return "another generation";
    }
    return "the same generation";
  };
  EXPECT_EQ(stream->call_back("restart").value(), "the same generation");
  restarting.join();
  EXPECT_TRUE(restarted);
  EXPECT_EQ(stream->edition().value(), 2);
}

TEST_F(Session, ContinuesIfAnOverdueCallFailsTheRestart) {
  Host host(short_timeouts());
  auto stream = opened(host, "10");
  EXPECT_EQ(stream->next().value(), 1);
  std::atomic<bool> inside{false};
  host_echo_says = [&](std::string_view) {
    inside = true;
    return eventually([&] { return !inside; }) ? "let go" : "forgotten";
  };
  std::string reply;
  std::thread calling([&] { reply = stream->call_back("wait").value(); });
  ASSERT_TRUE(eventually([&] { return inside.load(); }));
  place("stream-2.so", "stream.so");

  const auto failed = host.restart(streams);

  EXPECT_EQ(failed.error().code(), "restart-failed");
  EXPECT_EQ(stream->edition().value(), 1);
  EXPECT_EQ(stream->next().value(), 2);
  inside = false;
  calling.join();
  EXPECT_EQ(reply, "let go");
  EXPECT_EQ(copies(), Texts{module_file("stream.g1.so")});
}

TEST_F(Session, DelaysCallsWhileTheGateIsClosed) {
  Host host(options());
  auto stream = host.create<test::Stream>("stream", {{"limit", "1000000000"}}).value();
  std::atomic<bool> over{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!over) {
        const auto edition = stream->edition();
        if (!edition || (*edition != 1 && *edition != 2)) ++wrong;
      }
    });
  }
  for (int i = 0; i < 50; ++i) {
    place(i % 2 == 0 ? "stream-2.so" : "stream-1.so", "stream.so");
    EXPECT_TRUE(host.restart(streams));
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}}  // namespace tenon::tests
