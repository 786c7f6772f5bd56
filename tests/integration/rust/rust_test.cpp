// SPDX-License-Identifier: BSL-1.0
//
// Plugins in Rust: panics, streams, state, values of all types, memory. The module is cases.rs.
#include <tenon/abi.h>
#include <tenon/host.hpp>
#include <tenon/stream.hpp>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/session_counter.hpp>
#include <test/vault.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "integration/hosting.hpp"
#include "text_reader.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

constexpr const char* package = "test.example/cases";

class Rust : public Hosting {
 protected:
  Rust() { place("cases.so"); }
  ~Rust() override { EXPECT_EQ(live_, 0) << "each stream is released"; }

  Handle<test::Counter> counter(Host& host, std::string panics = {}) const {
    return host.create<test::Counter>("counter", {{"panics", std::move(panics)}}).value();
  }
  Handle<test::SessionCounter> session(Host& host, std::string panics = {}) const {
    auto made = host.create<test::SessionCounter>("session-counter", {{"panics", panics}}).value();
    EXPECT_TRUE(made->open());
    return made;
  }
  Reader text(std::string_view value) {
    return std::make_unique<TextReader>(std::string(value), live_);
  }

  static std::string all(Reader reader) {
    std::string text;
    std::uint8_t room[16];
    for (;;) {
      const auto got = reader.read(room);
      if (!got) return "error: " + std::string(got.error().message());
      if (*got == 0) return text;
      text.append(reinterpret_cast<char*>(room), *got);
    }
  }
  static void write(test::Vault& vault, const std::string& key, const std::string& value) {
    Writer sink = vault.open(key).value();
    ASSERT_TRUE(sink.write(to_bytes(value)));
    ASSERT_TRUE(sink.commit());
  }

  /// Expects the failure of a call whose function panicked.
  template <class T>
  static void expect_panic(const Result<T>& result, const std::string& where) {
    ASSERT_FALSE(result) << where;
    EXPECT_EQ(result.error().status(), TENON_INTERNAL) << result.error().to_string();
    EXPECT_NE(result.error().message().find("the plugin panicked: " + where), std::string::npos)
        << result.error().to_string();
  }

  std::atomic<int> live_ = 0;
};

TEST_F(Rust, PanicsOfMethodsFailOnlyTheCall) {
  HostOptions options = this->options();
  options.log_sink = [](const LogLine&) {};
  Host host(std::move(options));
  testing::internal::CaptureStderr();
  auto some = counter(host, "add total block call_back refuse");
  expect_panic(host.create<test::Counter>("panics"), "in create");
  expect_panic(host.create<test::Counter>("counter", {{"panics", "configure"}}), "in configure");
  for (int i = 0; i < 3; ++i) {
    expect_panic(some->add(1), "in add");
    expect_panic(some->total(), "in total");
    expect_panic(some->block(), "in block");
    expect_panic(some->call_back(""), "in call_back");
    expect_panic(some->refuse(TENON_INTERNAL, ""), "in refuse");
  }
  EXPECT_EQ(some->life().value(), "create configure");
  EXPECT_EQ(counter(host)->add(1).value(), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(module(host, package).generation, 1u);
}

TEST_F(Rust, PanicsInDropAndStopAreContained) {
  {
    Host host(options());
    EXPECT_EQ(counter(host, "destroy")->add(1).value(), 1);
    EXPECT_EQ(counter(host)->add(1).value(), 1);
  }
  EXPECT_FALSE(is_mapped("cases"));
}

TEST_F(Rust, PanicInStartFailsTheLoad) {
  place("cases.so", "panics-in-start.so");
  std::filesystem::remove(world_.plugins() / "cases.so");
  Host host(options());
  const auto made = host.create<test::Counter>("counter");
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().to_string().find("the plugin panicked: in start"), std::string::npos)
      << made.error().to_string();
}

TEST_F(Rust, PanicsInARestartKeepTheOldGeneration) {
  Host host(options());
  for (const std::string function : {"save_state", "restore_state"}) {
    auto some = counter(host, function);
    EXPECT_EQ(some->add(2).value(), 2);
    const auto restarted = host.restart(package);
    ASSERT_FALSE(restarted) << function;
    EXPECT_NE(restarted.error().to_string().find("the plugin panicked: in " + function),
              std::string::npos)
        << restarted.error().to_string();
    EXPECT_EQ(some->add(2).value(), 4);
  }
}

TEST_F(Rust, PanicsInSuspendAndResumeAreReported) {
  Host host(options());
  {
    auto some = session(host, "suspend");
    const auto restarted = host.restart(package);
    ASSERT_FALSE(restarted);
    EXPECT_NE(restarted.error().to_string().find("the plugin panicked: in suspend"),
              std::string::npos)
        << restarted.error().to_string();
    EXPECT_EQ(some->add(1).value(), 1);
  }
  // A restart that fails after `suspend` calls `resume`.
  auto some = session(host, "restore_state resume");
  EXPECT_FALSE(host.restart(package));
}

TEST_F(Rust, StateIsKeptOverRestartsUnderCalls) {
  Host host(options());
  auto some = host.create<test::Counter>("counter", {{"first", "100"}}).value();
  std::atomic<bool> done = false;
  std::atomic<std::int64_t> added = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      do {
        const auto total = some->add(1);
        EXPECT_TRUE(total) << total.error().to_string();
        ++added;
      } while (!done);
    });
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(host.restart(package).value(), RestartOutcome::restarted);
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(some->total().value().total, 100 + added);
  EXPECT_EQ(some->total().value().adds, added);
  EXPECT_EQ(some->life().value(), "create configure restore:1");
  EXPECT_EQ(module(host, package).still_mapped, 0u);
}

TEST_F(Rust, SessionIsSuspended) {
  Host host(options());
  auto some = session(host);
  EXPECT_EQ(some->add(5).value(), 5);
  ASSERT_EQ(host.restart(package).value(), RestartOutcome::restarted);
  EXPECT_EQ(some->life().value(), "create configure restore:1");
}

TEST_F(Rust, MissingMethodsAreUnimplemented) {
  Host host(options());
  auto some = counter(host);
  EXPECT_TRUE(some.supports("add"));
  EXPECT_FALSE(some.supports("edition"));
  EXPECT_EQ(some->edition().error().status(), TENON_UNIMPLEMENTED);
}

TEST_F(Rust, CallsAreCancelledAndErrorsHaveFlags) {
  Host host(options());
  auto some = counter(host);
  Call call;
  call.set_timeout(1ms);
  EXPECT_EQ(some->block(call).value(), TENON_CANCELLED_BY_DEADLINE);
  const auto refused = some->refuse(TENON_UNAVAILABLE | TENON_RETRYABLE, "later");
  EXPECT_EQ(refused.error().status(), TENON_UNAVAILABLE | TENON_RETRYABLE);
  EXPECT_EQ(refused.error().message(), "later");
  EXPECT_FALSE(host.create<test::Counter>("counter", {{"first", "many"}}));
}

TEST_F(Rust, LinesReachTheLog) {
  std::vector<std::string> lines;
  {
    HostOptions options = this->options();
    options.log_level = LogLevel::info;
    options.log_sink = [&lines](const LogLine& line) { lines.emplace_back(line.message); };
    Host host(std::move(options));
    EXPECT_EQ(counter(host)->call_back("log").value(), "yes");
    EXPECT_FALSE(counter(host, "add")->add(1));
  }
  const auto logged = [&lines](std::string_view text) {
    return std::any_of(lines.begin(), lines.end(), [text](const std::string& line) {
      return line.find(text) != std::string::npos;
    });
  };
  for (const char* line :
       {"a line", "a line with pairs", "a line of the module", "stopping", "in add", "in stop"}) {
    EXPECT_TRUE(logged(line)) << line;
  }
}

TEST_F(Rust, StreamsOfThePluginAreReadAndWritten) {
  Host host(options());
  auto vault = host.create<test::Vault>("vault").value();
  write(*vault, "a", "some words");
  EXPECT_EQ(all(std::move(vault->get("a").value().body)), "some words");
  EXPECT_EQ(vault->get("b").error().status(), TENON_NOT_FOUND);
}

TEST_F(Rust, PanicsInStreamsFailOnlyTheCall) {
  Host host(options());
  auto vault = host.create<test::Vault>("vault").value();
  Writer sink = vault->open("x").value();
  expect_panic(sink.write(to_bytes("write")), "in write");
  EXPECT_TRUE(sink.write(to_bytes("commit")));
  expect_panic(sink.commit(), "in commit");
  write(*vault, "a", "read");
  EXPECT_NE(all(std::move(vault->get("a").value().body)).find("the plugin panicked: in read"),
            std::string::npos);
  write(*vault, "b", "release");
  { Reader released = std::move(vault->get("b").value().body); }
  write(*vault, "c", "fine");
  EXPECT_EQ(all(std::move(vault->get("c").value().body)), "fine");
}

TEST_F(Rust, StreamsOfRequestsHaveOneOwner) {
  Host host(options());
  auto vault = host.create<test::Vault>("vault").value();
  EXPECT_TRUE(vault->put("a", text("value"), {}));
  EXPECT_EQ(all(std::move(vault->get("a").value().body)), "value");
  EXPECT_EQ(live_, 0) << "released by the method";
  EXPECT_FALSE(vault->put("a", text("!value"), {}));
  expect_panic(vault->put("a", text("put"), {}), "in put");
  EXPECT_EQ(live_, 0) << "released by the caller";

  EXPECT_TRUE(vault->keep(text("-kept")));
  EXPECT_EQ(live_, 1);
  EXPECT_EQ(vault->kept().value(), "kept");
  EXPECT_EQ(live_, 0);
  EXPECT_FALSE(vault->keep(text("!kept")));
  EXPECT_EQ(live_, 0) << "the plugin keeps an object without a stream";
  EXPECT_NE(vault->kept().error().message().find("belongs to its caller again"), std::string::npos);
  expect_panic(vault->kept(), "a stream");
}

// The newest version of the kind is 2.
/// A later version of the ABI may give them a meaning.
TEST_F(Rust, ReservedFieldsAreZero) {
  void* image = dlopen(placed("cases.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(image, nullptr) << dlerror();
  const auto& module = *static_cast<const tenon_module*>(dlsym(image, "tenon_module_v1"));
  EXPECT_GT(module.registrations.count, 0u);
  for (std::size_t i = 0; i < module.registrations.count; ++i) {
    EXPECT_EQ(TENON_AT(tenon_registration, module.registrations, i).reserved, 0) << i;
  }
  dlclose(image);
}

TEST_F(Rust, VersionOneIsAdapted) {
  Host host(options());
  auto vault = host.create<test::Vault>("vault").value();
  write(*vault, "a", "words");
  EXPECT_EQ(vault->get("a").value().tag, "none");
  EXPECT_TRUE(vault->drop(text("dropped")));
  EXPECT_TRUE(vault->put("b", text("value"), text("a note")));
  EXPECT_EQ(all(std::move(vault->get("b").value().body)), "value");
}

TEST_F(Rust, NothingLeaks) {
  Host host(options());
  auto meter = counter(host);
  auto vault = host.create<test::Vault>("vault").value();
  const auto round = [&] {
    auto some = counter(host, "add destroy");
    EXPECT_FALSE(some->add(1));
    EXPECT_FALSE(some->refuse(TENON_INTERNAL, "no"));
    EXPECT_FALSE(host.create<test::Counter>("panics"));
    EXPECT_FALSE(host.create<test::Counter>("counter", {{"panics", "configure"}}));
    EXPECT_TRUE(some->total());
    write(*vault, "a", "words");
    EXPECT_EQ(all(std::move(vault->get("a").value().body)), "words");
    write(*vault, "b", "read");
    all(std::move(vault->get("b").value().body));
    { Writer sink = vault->open("x").value(); }
    EXPECT_TRUE(vault->put("a", text("value"), {}));
    EXPECT_FALSE(vault->put("a", text("!value"), {}));
    EXPECT_TRUE(vault->keep(text("-kept")));
    EXPECT_TRUE(vault->kept());
  };
  round();
  const std::string before = meter->call_back("live").value();
  EXPECT_NE(before, "0");
  for (int i = 0; i < 20; ++i) round();
  EXPECT_EQ(meter->call_back("live").value(), before);
}

}}  // namespace tenon::tests
