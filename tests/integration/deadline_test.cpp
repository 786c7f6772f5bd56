// SPDX-License-Identifier: BSL-1.0
//
// Calls that run past their deadline.
#include <gtest/gtest.h>
#include <test/probe.hpp>

#include <atomic>
#include <chrono>
#include <thread>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

class Deadline : public Hosting {
 protected:
  using Clock = std::chrono::steady_clock;

  Deadline() { place("probe-1.so", "probe.so"); }

  /// Starts a call that stays in the plugin until `leave`, past its deadline.
  void call_too_long(Handle<test::Probe>& probe, Clock::time_point deadline = Clock::now() + 20ms) {
    host_echo_says = [this](std::string_view) {
      inside_ = true;
      return eventually([&] { return leave_.load(); }) ? "let go" : "forgotten";
    };
    calling_ = std::thread([&probe, deadline] {
      Call call;
      call.set_deadline(deadline);
      EXPECT_EQ(probe->ask(call, "builtin:host-echo", "wait").value(), "let go");
    });
    ASSERT_TRUE(eventually([&] { return inside_.load(); }));
  }
  void leave() {
    leave_ = true;
    calling_.join();
  }

  std::atomic<bool> inside_{false};
  std::atomic<bool> leave_{false};
  std::thread calling_;
};

TEST_F(Deadline, IsReportedWhileTheOverdueCallRuns) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  call_too_long(probe);
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::call_overdue) == 2; }))
      << "the plugin, and the plugin that it calls";
  leave();
  Texts messages;
  for (const Event& event : events()) {
    if (event.type == Event::Type::call_overdue) messages.push_back(event.message);
  }
  std::sort(messages.begin(), messages.end());
  EXPECT_EQ(messages, (Texts{"test.example/host-echo: say did not end by its deadline",
                             "test.example/probe: ask did not end by its deadline"}));
}

TEST_F(Deadline, IsReportedIfItIsTheEarliestTime) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  call_too_long(probe, Clock::time_point::min());
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::call_overdue) == 2; }));
  leave();
}

TEST_F(Deadline, DoesNotPreventARestart) {
  Host host(short_drain());
  auto probe = host.create<test::Probe>("probe").value();
  call_too_long(probe);
  place("probe-2.so", "probe.so");
  ASSERT_TRUE(host.restart(probes));
  EXPECT_EQ(probe->edition().value(), 2);
  EXPECT_TRUE(is_mapped("probe.g1")) << "the call is still in it";
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::call_overdue) == 2; }));
  leave();
  EXPECT_TRUE(eventually([&] { return !is_mapped("probe.g1"); }));
}

}}  // namespace tenon::tests
