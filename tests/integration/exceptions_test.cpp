// SPDX-License-Identifier: BSL-1.0
//
// Plugins whose functions throw, although functions of a vtable must not.
#include <tenon/stream.hpp>

#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/echo.hpp>
#include <test/probe.hpp>
#include <test/sdk/session_counter.hpp>
#include <test/session_counter.hpp>
#include <test/vault.hpp>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "integration/hosting.hpp"
#include "integration/script.hpp"

namespace tenon::tests { namespace {

class Exceptions : public Hosting {
 protected:
  static constexpr const char* package = "test.example/unruly";

  Exceptions() {
    place("probe-of-unruly.so", "probe.so");
    place_fault("unruly");
  }
};

TEST_F(Exceptions, FailTheCall) {
  Host host(options());
  auto unruly = host.create<test::Echo>("unruly").value();
  const auto failed = unruly->say("throw an exception");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().to_string(),
            "test.example/unruly: say: internal: the plugin threw an exception: no more coffee");
  EXPECT_EQ(failed.error().status(), TENON_INTERNAL);
  EXPECT_EQ(unruly->say("well?").value(), "well?") << "the plugin still serves";
}

TEST_F(Exceptions, FailTheCallWithTheirTextOrNumber) {
  Host host(options());
  auto unruly = host.create<test::Echo>("unruly").value();
  const auto message = [&](const char* how) {
    return std::string(unruly->say(how).error().message());
  };
  EXPECT_EQ(message("throw a number"), "the plugin threw the number 42");
  EXPECT_EQ(message("throw a large number"), "the plugin threw the number 18446744073709551615");
  EXPECT_EQ(message("throw a C string"), "the plugin threw an exception: no more tea");
  EXPECT_EQ(message("throw a string"), "the plugin threw an exception: no more milk");
  EXPECT_EQ(message("throw no text"), "the plugin threw an exception without a text");
  EXPECT_EQ(message("throw a fraction"),
            "the plugin threw an exception that is not a std::exception");
}

TEST_F(Exceptions, LeaveNothingLoaded) {
  {
    Host host(options());
    auto unruly = host.create<test::Echo>("unruly").value();
    ASSERT_TRUE(is_mapped("unruly.g1"));
    ASSERT_FALSE(unruly->say("throw an exception"));
  }
  EXPECT_FALSE(is_mapped("unruly.g1"));
}

TEST_F(Exceptions, RestartTheModule) {
  Host host(options());
  auto unruly = host.create<test::Echo>("unruly").value();
  ASSERT_FALSE(unruly->say("throw an exception"));
  EXPECT_TRUE(eventually([&] { return module(host, package).generation == 2; }));
  EXPECT_EQ(events(Event::Type::faulted).at(0).reason, RestartReason::exception);
}

/// An exception whose what() breaks the rule that it returns a text.
template <class Exception>
struct WithoutText : Exception {
  using Exception::Exception;
  const char* what() const noexcept override { return nullptr; }
};

/// A plugin that was written with the SDK, without configure.
struct Thrower : test::sdk::SessionCounterV1 {
  void open() override {}
  std::int64_t add(std::int64_t number) override {
    if (number == 1) throw std::runtime_error("no more coffee");
    if (number == 2) throw 2;
    if (number == 4) throw "no more tea";
    if (number == 5) throw std::string("no more milk");
    if (number == 6) throw WithoutText<std::exception>();
    if (number == 7) throw WithoutText<std::invalid_argument>("");
    if (number == 8) throw WithoutText<std::system_error>(std::error_code());
    if (number == 9) throw 0.5;
    return number;
  }
};

TEST_F(Exceptions, FailOnlyTheCallWithTheSdk) {
  static constexpr const char* thrower = "test.example/thrower";
  static const auto builtin = sdk::Builtin(thrower, "1.0.0").add<Thrower>(thrower);
  HostOptions options = this->options();
  options.builtins.push_back(builtin.module());
  Host host(options);
  auto counter = host.create<test::SessionCounter>("thrower").value();
  counter->open().value();
  const auto failed = counter->add(1);
  EXPECT_EQ(failed.error().status(), TENON_UNKNOWN);
  EXPECT_EQ(failed.error().message(), "no more coffee");
  const auto of_no_exception = counter->add(2);
  EXPECT_EQ(of_no_exception.error().status(), TENON_INTERNAL);
  EXPECT_EQ(of_no_exception.error().message(), "the number 2");
  const auto message = [&](std::int64_t number) {
    return std::string(counter->add(number).error().message());
  };
  EXPECT_EQ(message(4), "no more tea");
  EXPECT_EQ(message(5), "no more milk");
  for (const int without_text : {6, 7, 8}) {
    EXPECT_EQ(message(without_text), "an exception without a text");
  }
  EXPECT_EQ(message(9), "an exception that is not a std::exception");
  EXPECT_EQ(counter->add(3).value(), 3);
  EXPECT_EQ(count_events(Event::Type::faulted), 0u);
  EXPECT_EQ(module(host, thrower).generation, 1u);
}

TEST_F(Exceptions, DoNotReachACallingPlugin) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  const auto failed = probe->ask("unruly", "throw an exception");
  EXPECT_EQ(failed.error().plugin(), "test.example/probe");
  EXPECT_EQ(failed.error().message(), "the other plugin failed");
  EXPECT_EQ(failed.error().status(), TENON_INTERNAL);
}

TEST_F(Exceptions, FailStartAndCreate) {
  for (const char* build : {"throw-in-start", "throw-in-create"}) {
    place_fault(build, "unruly.so");
    Host host(options());
    const auto failed = host.create<test::Echo>("unruly");
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message(), "the plugin threw an exception: no more coffee");
    EXPECT_EQ(failed.error().status(), TENON_INTERNAL);
    EXPECT_TRUE(eventually([] { return !is_mapped("unruly.g"); })) << "a restart may be under way";
  }
}

TEST_F(Exceptions, AreDiscardedInDestroyAndStop) {
  for (const char* build : {"throw-in-destroy", "throw-in-stop"}) {
    place_fault(build, "unruly.so");
    Host host(options());
    ASSERT_TRUE(host.create<test::Echo>("unruly")) << "its handle is destroyed immediately";
    EXPECT_TRUE(eventually([&] { return !is_mapped("unruly.g"); }));
  }
}

#ifndef _WIN32  // no function unwinds a thread to end it
TEST_F(Exceptions, DoNotStopThreadExit) {
  Host host(options());
  auto unruly = host.create<test::Echo>("unruly").value();
  bool came_back = false;
  std::thread([&] {
    const auto never = unruly->say("end the thread");
    came_back = true;
  }).join();
  EXPECT_FALSE(came_back);
}
#endif

/// Functions other than methods, in a module whose configuration names the function that throws.
class LifecycleExceptions : public Hosting {
 protected:
  static constexpr const char* package = "test.example/thrower";
  static constexpr const char* text = "the plugin threw an exception: no more coffee";

  LifecycleExceptions() { place("thrower.so"); }

  template <class K>
  static Handle<K> create(Host& host, const std::string& throws = "") {
    return host.create<K>("thrower", {{"throw", throws}}).value();
  }
  /// Expects one fault, and one restart because of it.
  void expect_one_restart(const Host& host, RestartReason reason = RestartReason::exception) {
    EXPECT_TRUE(eventually([&] { return count_events(Event::Type::restarted) == 1; }));
    EXPECT_EQ(module(host, package).generation, 2u);
    const std::vector<Event> faults = events(Event::Type::faulted);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].reason, reason);
  }
};

TEST_F(LifecycleExceptions, InConfigureRestartTheModule) {
  Host host(options());
  auto counter = create<test::Counter>(host);
  ASSERT_TRUE(counter->add(5));
  const auto failed = counter->configure({{"throw", "configure"}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().status(), TENON_INTERNAL);
  EXPECT_EQ(failed.error().message(), text);
  expect_one_restart(host);
  EXPECT_EQ(counter->add(1).value(), 6) << "the last valid configuration, and the state";
}

TEST_F(LifecycleExceptions, InConfigureOfCreateLeaveNoInstance) {
  Host host(options());
  const auto failed = host.create<test::Counter>("thrower", {{"throw", "configure"}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().method(), "configure");
  EXPECT_EQ(failed.error().message(), text);
  EXPECT_EQ(module(host, package).instances, 0u);
  EXPECT_TRUE(eventually([] { return !is_mapped("thrower.g"); }));
  EXPECT_TRUE(host.create<test::Counter>("thrower"));
}

TEST_F(LifecycleExceptions, InConfigureOfTheNewCodeFailTheRestart) {
  Host host(options());
  auto counter = create<test::Counter>(host);
  ASSERT_TRUE(counter->add(5));
  place("thrower-configure.so", "thrower.so");
  const auto failed = host.restart(package);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().method(), "configure");
  EXPECT_EQ(failed.error().message(), text);
  EXPECT_EQ(counter->add(1).value(), 6);
  EXPECT_EQ(module(host, package).generation, 1u);
  EXPECT_EQ(count_events(Event::Type::faulted), 0u) << "the old code has not failed";
}

TEST_F(LifecycleExceptions, InSaveStateRestartTheModuleWithoutTheState) {
  Host host(options());
  auto counter = create<test::Counter>(host, "save_state");
  ASSERT_TRUE(counter->add(5));
  const auto failed = host.restart(package);
  ASSERT_FALSE(failed) << "a requested restart must not lose state";
  EXPECT_EQ(failed.error().method(), "save_state");
  EXPECT_EQ(failed.error().message(), text);
  expect_one_restart(host);
  EXPECT_EQ(events(Event::Type::restarted)[0].message,
            "the state was lost: test.example/thrower: save_state: internal: " + std::string(text));
  EXPECT_EQ(counter->add(1).value(), 1);
}

TEST_F(LifecycleExceptions, InRestoreStateFailTheRestart) {
  Host host(options());
  auto counter = create<test::Counter>(host, "restore_state");
  ASSERT_TRUE(counter->add(5));
  const auto failed = host.restart(package);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().method(), "restore_state");
  EXPECT_EQ(counter->add(1).value(), 6);
  EXPECT_EQ(count_events(Event::Type::faulted), 0u) << "the old code has not failed";
}

/// A function of a stream that throws.
class StreamExceptions : public LifecycleExceptions,
                         public testing::WithParamInterface<const char*> {
 protected:
  /// Returns the error of the function that throws; `release` returns none.
  std::optional<Error> use(Handle<test::Vault>& vault) {
    const std::string function = GetParam();
    std::uint8_t room[8];
    if (function == "read") return vault->get("k").value().body.read(room).error();
    if (function == "release") {
      const Reader released = vault->get("k").value().body;
      return std::nullopt;
    }
    Writer writer = vault->open("k").value();
    return function == "write" ? writer.write(BytesView("x")).error() : writer.commit().error();
  }
};

TEST_P(StreamExceptions, RestartTheModule) {
  Host host(options());
  auto vault = create<test::Vault>(host, GetParam());
  if (const auto failed = use(vault)) {
    EXPECT_EQ(failed->method(), GetParam());
    EXPECT_EQ(failed->status(), TENON_INTERNAL);
    EXPECT_EQ(failed->message(), text);
  }
  expect_one_restart(host);
  EXPECT_TRUE(vault->open("k"));
}

INSTANTIATE_TEST_SUITE_P(Functions, StreamExceptions,
                         testing::Values("read", "write", "commit", "release"),
                         [](const auto& info) { return std::string(info.param); });

// Version 2 of the vault has no trailers, so that the adapter releases the one of version 1.
TEST_F(LifecycleExceptions, InTheReleaseOfADroppedStreamRestartTheModule) {
  for (const bool contain : {false, true}) {
    HostOptions chosen = options();
    chosen.contain_crashes = contain;
    Host host(chosen);
    auto vault = create<test::Vault>(host, "release");
    const auto got = vault->get("trailer");
    EXPECT_TRUE(got) << "the method itself has succeeded";
    EXPECT_TRUE(eventually([&] { return module(host, package).generation == 2; }));
  }
}

/// Several threads in methods or streams of a module that fails.
class ConcurrentFailures : public LifecycleExceptions,
                           public testing::WithParamInterface<const char*> {
 protected:
  static constexpr int threads = 4;

  /// A second failure would quarantine the module.
  HostOptions strict() {
    HostOptions options = this->options();
    options.restart.failures.max_failures = 1;
    return options;
  }
  RestartReason reason() const {
    return std::string(GetParam()) == "throw" ? RestartReason::exception
                                              : RestartReason::fatal_status;
  }
};

TEST_P(ConcurrentFailures, CauseOneRestartFromMethods) {
  Script script(world_.root());
  Host host(strict());
  auto counter = create<test::Counter>(host);
  script.hang(GetParam());
  std::atomic<int> failed{0};
  std::vector<std::thread> calling;
  for (int i = 0; i < threads; ++i) {
    calling.emplace_back([&] { failed += !counter->call_back(GetParam()); });
  }
  ASSERT_TRUE(eventually([&] { return script.hanging_count() == threads; }));
  script.release();
  for (std::thread& thread : calling) thread.join();
  EXPECT_EQ(failed, threads);
  expect_one_restart(host, reason());
  EXPECT_TRUE(counter->add(1)) << "and no quarantine";
}

TEST_P(ConcurrentFailures, CauseOneRestartFromStreams) {
  Script script(world_.root());
  Host host(strict());
  auto vault = create<test::Vault>(host);
  script.hang(GetParam());
  std::atomic<int> failed{0};
  std::vector<std::thread> reading;
  for (int i = 0; i < threads; ++i) {
    reading.emplace_back([&, reader = vault->get(GetParam()).value().body]() mutable {
      std::uint8_t room[8];
      failed += !reader.read(room);
    });
  }
  ASSERT_TRUE(eventually([&] { return script.hanging_count() == threads; }));
  script.release();
  for (std::thread& thread : reading) thread.join();
  EXPECT_EQ(failed, threads);
  expect_one_restart(host, reason());
  EXPECT_TRUE(vault->get("k")) << "and no quarantine";
}

TEST_P(ConcurrentFailures, DoNotCountForTheNewCodeAfterTheRestart) {
  const std::string late = std::string(GetParam()) + " late";
  Script script(world_.root());
  Host host(strict());
  auto vault = create<test::Vault>(host);
  script.hang(late);
  auto reader = vault->get(late).value().body;
  std::uint8_t room[8];
  std::thread reading([&] { EXPECT_FALSE(reader.read(room)); });
  ASSERT_TRUE(script.hangs(late));
  EXPECT_FALSE(vault->get(GetParam()).value().body.read(room));
  expect_one_restart(host, reason());
  script.release();
  reading.join();
  EXPECT_EQ(count_events(Event::Type::faulted), 1u);
  EXPECT_TRUE(host.restart(package));
  EXPECT_EQ(module(host, package).generation, 3u) << "there was no other restart";
}

INSTANTIATE_TEST_SUITE_P(Ways, ConcurrentFailures, testing::Values("throw", "fail"),
                         [](const auto& info) { return std::string(info.param); });

/// Statuses with TENON_FATAL.
class FatalStatus : public Exceptions {};

TEST_F(FatalStatus, RestartsTheModule) {
  Host host(options());
  auto unruly = host.create<test::Echo>("unruly").value();
  const auto failed = unruly->say("fail for good");
  EXPECT_TRUE(failed.error().fatal());
  EXPECT_EQ(failed.error().code(), "data-loss");
  EXPECT_TRUE(eventually([&] { return module(host, package).generation == 2; }));
  EXPECT_EQ(events(Event::Type::faulted).at(0).reason, RestartReason::fatal_status);
}

TEST_F(FatalStatus, RestartsOnlyTheFailingPluginOfANestedCall) {
  Host host(options());
  auto unruly = host.create<test::Echo>("unruly").value();
  auto probe = host.create<test::Probe>("probe").value();
  const auto failed = probe->ask("unruly", "fail for good");
  EXPECT_EQ(failed.error().code(), "data-loss");
  EXPECT_FALSE(failed.error().fatal()) << "the other plugin forwards the status";
  EXPECT_TRUE(eventually([&] { return module(host, package).generation == 2; }));
  EXPECT_EQ(module(host, probes).generation, 1u);
}

}}  // namespace tenon::tests
