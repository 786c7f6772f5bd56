// SPDX-License-Identifier: BSL-1.0
//
// Several threads use a host in random ways while its plugins are replaced and restarted. No call
// may be lost, and everything must end with the host.
#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/echo.hpp>
#include <test/probe.hpp>
#include <test/session_counter.hpp>
#include <test/stream.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

class RandomUse : public Hosting {
 protected:
  static constexpr int threads = 4;
  static constexpr int rounds = 150;

  RandomUse() {
    for (const char* module : {"probe", "counter", "session-counter", "stream"}) {
      place(module + std::string("-1.so"), module + std::string(".so"));
    }
    place_fault("good", "echo.so");
  }

  HostOptions random_options(std::mt19937& random) {
    const auto chance = [&random] { return random() % 2 == 0; };
    HostOptions options = this->options();
    options.watch = chance();
    options.check_calls = chance();
    options.count_calls = chance();
    options.contain_crashes = chance();
    options.on_event = [this](const Event&) {
      if (Host* host = host_) static_cast<void>(host->modules());
    };
    return options;
  }

  /// Uses the host in one random way.
  void act(Host& host, std::mt19937& random) {
    switch (random() % 16) {
      case 0:
      case 1:
      case 2:
        return add_to_shared();
      case 3:
        return use_new_counter(host, random);
      case 4:
        return use_session(host);
      case 5:
        return cancel_or_wait(random);
      case 6:
        return nest(random);
      case 7:
        return replace(random);
      case 8:
        for (const Error& error : host.restart_changed().failed) {
          check(error, false, "restart_changed");
        }
        return;
      case 9:
        return restart(host, random);
      case 10:
        host.rescan();
        return;
      case 11:
        check(host.find_all("test.example/counter").value().size() == 1, "find_all");
        return;
      case 12:
        check(host.create<test::Counter>("nobody").error().code() == "not-found", "not found");
        return;
      case 13:
        check(host.write_lock(world_.root() / "lock").has_value(), "write_lock");
        return;
      case 14:
        return use_stream(host);
      default:
        check(host.plugins<test::Probe>().size() == 1 && host.packages().size() == 6, "lists");
        return;
    }
  }

  void check(bool good, std::string_view what) {
    if (good) return;
    std::lock_guard lock(mutex_);
    problems_.emplace(what);
  }
  void check(const Error& error, bool good, std::string_view what) {
    check(good, std::string(what) + ": " + error.to_string());
  }

  void add_to_shared() {
    const auto sum = (*counter_)->add(1);
    check(sum.has_value(), "add: " + (sum ? "" : sum.error().to_string()));
    if (sum) ++added_;
  }

  void use_new_counter(Host& host, std::mt19937& random) {
    auto counter = host.create<test::Counter>("counter");
    if (!counter) return check(counter.error(), false, "create");
    std::int64_t expected = 0;
    for (int i = 0; i < 5; ++i) {
      const auto number = static_cast<std::int64_t>(random() % 100);
      expected += number;
      const auto sum = (*counter)->add(number);
      check(sum.has_value() && *sum == expected, "sum");
    }
  }

  void use_session(Host& host) {
    auto counter = host.create<test::SessionCounter>("session-counter", TextMap{});
    if (!counter) return check(counter.error(), false, "create a session");
    const auto opened = (*counter)->open();
    if (!opened) check(opened.error(), ended_by_restart(opened.error()), "open");
    const auto sum = (*counter)->add(1);
    if (!sum) check(sum.error(), ended_by_restart(sum.error()), "add in a session");
  }

  void use_stream(Host& host) {
    auto stream = host.create<test::Stream>("stream", {{"limit", "3"}});
    if (!stream) return check(stream.error(), false, "create a stream");
    const auto opened = (*stream)->open(0);
    if (!opened) check(opened.error(), ended_by_restart(opened.error()), "open a stream");
    for (int i = 0; i < 4; ++i) {
      Call call;
      call.set_timeout(2ms);
      const auto number = (*stream)->next(call);
      if (number) continue;
      // The status of the plugin, and that of a closed gate.
      const auto code = number.error().code();
      const bool late = code == "cancelled" || code == "deadline-exceeded";
      check(number.error(), late || ended_by_restart(number.error()), "next");
    }
  }

  static bool ended_by_restart(const Error& error) {
    return (error.status() & TENON_RETRYABLE) != 0;
  }

  void cancel_or_wait(std::mt19937& random) {
    Call call;
    std::optional<std::thread> canceller;
    if (random() % 2 == 0) {
      canceller.emplace([&call] { call.cancel(); });
    } else {
      call.set_timeout(1ms);
    }
    const auto reason = (*probe_)->pause(call, -1s, random() % 2 == 0);
    if (!reason) {
      const auto code = reason.error().code();
      check(reason.error(), code == "cancelled" || code == "deadline-exceeded", "pause");
    }
    if (canceller) canceller->join();
  }

  /// Acts inside a call of a plugin.
  void nest(std::mt19937& random) {
    const auto answer = (*probe_)->ask("builtin:host-echo", std::to_string(random()));
    check(answer.has_value(), "ask: " + (answer ? "" : answer.error().to_string()));
  }

  void replace(std::mt19937& random) {
    static constexpr std::array modules{"probe", "counter", "session-counter", "stream"};
    const std::string module = modules[random() % modules.size()];
    std::lock_guard lock(files_);
    place(module + (random() % 2 == 0 ? "-1.so" : "-2.so"), module + ".so");
  }

  void restart(Host& host, std::mt19937& random) {
    static constexpr std::array packages{"test.example/probes", "test.example/counters",
                                         "test.example/session-counters", "test.example/streams",
                                         "test.example/faults"};
    const auto outcome = host.restart(packages[random() % packages.size()]);
    if (!outcome) check(outcome.error(), outcome.error().code() == "not-loaded", "restart");
  }

  std::atomic<Host*> host_{nullptr};
  std::optional<Handle<test::Counter>> counter_;
  std::optional<Handle<test::Probe>> probe_;
  std::atomic<std::int64_t> added_{0};
  std::mutex files_;
  std::mutex mutex_;
  std::set<std::string> problems_;
};

TEST_F(RandomUse, LosesNoCall) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  {
    Host host(random_options(random));
    host_ = &host;
    counter_ = host.create<test::Counter>("counter").value();
    probe_ = host.create<test::Probe>("probe").value();
    host_echo_says = [&](std::string_view text) {
      std::mt19937 nested(static_cast<std::uint32_t>(std::stoul(std::string(text))));
      act(host, nested);
      return std::string(text);
    };
    std::vector<std::thread> users;
    for (int i = 0; i < threads; ++i) {
      users.emplace_back([&, own = std::mt19937(random())]() mutable {
        for (int n = 0; n < rounds; ++n) act(host, own);
      });
    }
    for (std::thread& user : users) user.join();
    EXPECT_EQ((*counter_)->total().value().total, added_);
    host_ = nullptr;
    counter_.reset();
    probe_.reset();
  }
  EXPECT_EQ(problems_, std::set<std::string>());
  EXPECT_EQ(host_echo_count(), 0);
  EXPECT_TRUE(eventually([&] { return copies().empty(); }));
}

}}  // namespace tenon::tests
