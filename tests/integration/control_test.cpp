// SPDX-License-Identifier: BSL-1.0
//
// A host that other processes see and change through its socket.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <test/counter.hpp>
#include <test/echo.hpp>
#include <test/probe.hpp>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "framework/control_socket.hpp"
#include "integration/hosting.hpp"
#include "integration/script.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class ControlledHost : public Hosting {
 protected:
  static constexpr const char* counters = "test.example/counters";

  ControlledHost() { fs::permissions(world_.root(), fs::perms(0700)); }

  HostOptions controlled() {
    HostOptions all = short_drain();
    all.app = "photo";
    all.control = true;
    return all;
  }
  fs::path directory() const { return world_.root() / "tenon"; }
  fs::path socket(int number = 1) const {
    return directory() / (std::to_string(getpid()) + "." + std::to_string(number));
  }
  static std::string request(const std::string& word, const std::string& keys = "") {
    return R"({"control":1,"request":")" + word + "\"" + keys + "}";
  }
  std::string ask(const std::string& word, const std::string& keys = "") const {
    return ControlSocket(socket()).ask(request(word, keys));
  }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  const RuntimeDirectory runtime_{world_.root()};
};

TEST_F(ControlledHost, ReportsItsModules) {
  place("counter-1.so", "counter.so");
  world_.write("plugins/broken.so", "no module");
  HostOptions options = controlled();
  options.count_calls = true;
  Host host(options);
  EXPECT_TRUE(host.problems().size() == 1) << "only the broken module";
  auto counter = host.create<test::Counter>("counter").value();
  EXPECT_EQ(counter->add(1).value(), 1);
  const std::string status = ask("status");
  EXPECT_TRUE(contains(status, R"("app":"photo")")) << status;
  EXPECT_TRUE(contains(status, "\"host\":\"" + std::to_string(getpid()) + ".1\"")) << status;
  EXPECT_TRUE(contains(status, R"("package":"test.example/counters")")) << status;
  EXPECT_TRUE(contains(status, R"("loaded":true,"generation":1,"instances":1)")) << status;
  EXPECT_TRUE(contains(status, R"("method":"add","calls":1,"failures":0)")) << status;
  EXPECT_TRUE(contains(status, R"("kind":"test.example/counter","version":1)")) << status;
  EXPECT_TRUE(contains(status, "broken.so")) << status;
}

TEST_F(ControlledHost, CountsCallsOnRequest) {
  place("counter-1.so", "counter.so");
  Host host(controlled());
  auto counter = host.create<test::Counter>("counter").value();
  EXPECT_TRUE(contains(ask("count", R"(,"calls":"on")"), R"("counts_calls":true)"));
  EXPECT_EQ(counter->add(1).value(), 1);
  const std::string status = ask("status");
  EXPECT_TRUE(contains(status, R"("counts_calls":true)")) << status;
  EXPECT_TRUE(contains(status, R"("method":"add","calls":1,)")) << status;
  EXPECT_TRUE(contains(status, R"("p99_ns":)")) << status;
  EXPECT_TRUE(contains(ask("count", R"(,"calls":"off")"), R"("counts_calls":false)"));
  EXPECT_EQ(counter->add(1).value(), 2);
  EXPECT_TRUE(contains(ask("status"), R"("method":"add","calls":1,)"));
  EXPECT_TRUE(contains(ask("count", R"(,"calls":"maybe")"), "unknown-word"));
  EXPECT_TRUE(contains(ask("count"), "unknown-word"));
}

TEST_F(ControlledHost, ReportsFiguresOfTheProgram) {
  Host host(controlled());
  Figure read = host.figure({.name = "read", .unit = "records", .part = "orders"});
  read.add(3);
  host.figure({.name = "read", .unit = "records", .part = "orders"}).add(2);
  host.figure({.name = "queue", .total = false}).set(0.25);
  EXPECT_EQ(read.value(), 5);
  host.set_health("orders", "the disk is full");
  const std::string status = ask("status");
  EXPECT_TRUE(contains(
      status, R"({"part":"orders","name":"read","unit":"records","total":true,"value":5.0})"))
      << status;
  EXPECT_TRUE(contains(status, R"("name":"queue","unit":"","total":false,"value":0.25})"));
  EXPECT_TRUE(contains(status, R"({"part":"orders","works":false,"problem":"the disk is full"})"));
  host.set_health("orders", "");
  EXPECT_TRUE(contains(ask("status"), R"({"part":"orders","works":true,"problem":""})"));
}

TEST_F(ControlledHost, LetsFiguresOutliveIt) {
  Figure figure;
  figure.add(1);
  {
    Host host(controlled());
    figure = host.figure({.name = "read"});
  }
  figure.add(2);
  EXPECT_EQ(figure.value(), 2);
}

TEST_F(ControlledHost, HasNoSocketByDefault) {
  HostOptions options = controlled();
  options.control = false;
  const Host host(options);
  EXPECT_FALSE(fs::exists(directory()));
}

TEST_F(ControlledHost, RestartsAPackage) {
  place("counter-1.so", "counter.so");
  Host host(controlled());
  auto counter = host.create<test::Counter>("counter").value();
  place("counter-2.so", "counter.so");
  const std::string reply = ask("restart", R"(,"package":"test.example/counters")");
  EXPECT_TRUE(contains(reply, R"("outcome":"restarted")")) << reply;
  EXPECT_TRUE(contains(reply, R"("generation":2)")) << reply;
  EXPECT_FALSE(contains(reply, R"("load_us":0,)")) << reply;
  EXPECT_EQ(counter->edition().value(), 2);
  EXPECT_TRUE(contains(ask("status"), R"("restarts":1)"));
  EXPECT_TRUE(contains(ask("restart"), R"("generation":3)")) << "all that are loaded";
}

TEST_F(ControlledHost, ReportsWhyARestartFails) {
  place("counter-1.so", "counter.so");
  Host host(controlled());
  auto counter = host.create<test::Counter>("counter").value();
  place("counter-create-fails.so", "counter.so");
  const std::string reply = ask("restart", R"(,"package":"test.example/counters")");
  EXPECT_TRUE(contains(reply, R"("outcome":"failed")")) << reply;
  EXPECT_TRUE(contains(reply, R"("error":{"code":")")) << reply;
  EXPECT_EQ(counter->edition().value(), 1);
  EXPECT_TRUE(contains(ask("restart", R"(,"package":"me.example/nobody")"), "not-found"));
}

TEST_F(ControlledHost, ReleasesAQuarantinedPackage) {
  place("counter-1.so", "counter.so");
  HostOptions options = controlled();
  options.restart.failures.max_failures = 0;
  Host host(options);
  auto counter = host.create<test::Counter>("counter").value();
  const std::string package = R"(,"package":"test.example/counters")";
  EXPECT_TRUE(contains(ask("release", package), "not-quarantined"));
  EXPECT_TRUE(contains(ask("release"), "missing-key"));
  EXPECT_FALSE(counter->refuse(TENON_INTERNAL | TENON_FATAL, "broken"));
  ASSERT_TRUE(eventually([&] { return module(host, counters).quarantined; }));
  ASSERT_TRUE(eventually([&] { return contains(ask("status"), "quarantined, generation"); }))
      << "with its reasons";
  EXPECT_TRUE(contains(ask("status"), R"("quarantined":true)"));
  EXPECT_TRUE(contains(ask("release", package), R"("outcome":"restarted")"));
  EXPECT_FALSE(module(host, counters).quarantined);
  EXPECT_TRUE(counter->edition());
}

TEST_F(ControlledHost, ScansAgain) {
  Host host(controlled());
  place("counter-1.so", "counter.so");
  const std::string reply = ask("rescan");
  EXPECT_TRUE(contains(reply, R"("added":["test.example/counters@)")) << reply;
  EXPECT_TRUE(contains(reply, R"("removed":[])")) << reply;
  EXPECT_TRUE(host.create<test::Counter>("counter"));
}

TEST_F(ControlledHost, ChangesItsLogLevel) {
  place("counter-1.so", "counter.so");
  std::atomic<int> lines{0};
  HostOptions options = controlled();
  options.log_sink = [&](const LogLine&) { ++lines; };
  Host host(options);
  { auto counter = host.create<test::Counter>("counter").value(); }
  const int before = lines;
  EXPECT_TRUE(contains(ask("log", R"(,"level":"debug")"), R"("level":"debug")"));
  { auto counter = host.create<test::Counter>("counter").value(); }
  EXPECT_GT(lines, before) << "events are logged with the level debug";
  EXPECT_TRUE(contains(ask("log", R"(,"level":"loud")"), "unknown-word"));
  EXPECT_TRUE(contains(ask("log"), "unknown-word"));
  EXPECT_TRUE(contains(ask("shut-down"), "unknown-word"));
}

TEST_F(ControlledHost, SendsItsEvents) {
  place("counter-1.so", "counter.so");
  Host host(controlled());
  ControlSocket client(socket());
  EXPECT_TRUE(contains(client.ask(request("events")), R"("recent":[])"));
  auto counter = host.create<test::Counter>("counter").value();
  const std::string loaded = client.line().value_or("");
  EXPECT_TRUE(contains(loaded, R"("type":"loaded","package":"test.example/counters")")) << loaded;
  EXPECT_TRUE(host.restart(counters));
  const std::string restarted = client.line().value_or("");
  EXPECT_TRUE(contains(restarted, R"("type":"restarted")")) << restarted;
  EXPECT_GE(count_events(Event::Type::restarted), 1u) << "the program gets them, too";
}

TEST_F(ControlledHost, ServesOthersDuringARestart) {
  Script script(world_.root());
  place("counter-asks-1.so", "counter.so");
  Host host(controlled());
  auto counter = host.create<test::Counter>("counter").value();
  place("counter-asks-2.so", "counter.so");
  script.hang("2:create");
  ControlSocket restarting(socket());
  ASSERT_TRUE(restarting.send(request("restart") + "\n"));
  ASSERT_TRUE(script.hangs());
  const std::string status = ask("status");
  EXPECT_TRUE(contains(status, R"("generation":1)")) << status;
  EXPECT_TRUE(contains(status, R"("restarting":{"step":"create","plugin":"test.example/counter",)"))
      << status;
  script.release();
  EXPECT_TRUE(contains(restarting.line().value_or(""), R"("outcome":"restarted")"));
  EXPECT_FALSE(contains(ask("status"), "restarting"));
}

TEST_F(ControlledHost, ReportsThatARestartWaitsForCalls) {
  place("counter-1.so", "counter.so");
  HostOptions options = controlled();
  options.restart.gate_timeout = 60s;
  options.count_calls = true;
  Host host(options);
  auto counter = host.create<test::Counter>("counter").value();
  Call call;
  std::thread inside([&] { static_cast<void>(counter->block(call)); });
  EXPECT_TRUE(eventually([&] { return module(host, counters).calls.in_flight == 1; }));
  ControlSocket restarting(socket());
  EXPECT_TRUE(restarting.send(request("restart") + "\n"));
  EXPECT_TRUE(eventually([&] {
    return contains(ask("status"),
                    R"("restarting":{"step":"wait for calls","plugin":"test.example/counters",)");
  }));
  call.cancel();
  inside.join();
  EXPECT_TRUE(contains(restarting.line().value_or(""), R"("outcome":"restarted")"));
}

TEST_F(ControlledHost, EndsDuringARestart) {
  Script script(world_.root());
  place("counter-asks-1.so", "counter.so");
  auto host = std::make_unique<Host>(controlled());
  std::optional counter = host->create<test::Counter>("counter").value();
  place("counter-asks-2.so", "counter.so");
  script.hang("2:create");
  ControlSocket restarting(socket());
  ASSERT_TRUE(restarting.send(request("restart") + "\n"));
  ASSERT_TRUE(script.hangs());
  counter.reset();
  host = nullptr;
  EXPECT_FALSE(restarting.line()) << "the connection has ended";
  EXPECT_FALSE(fs::exists(socket()));
}

TEST_F(ControlledHost, MayBeDestroyedInTheEventOfARestart) {
  place("counter-1.so", "counter.so");
  std::unique_ptr<Host> host;
  std::atomic<bool> gone{false};
  HostOptions options = controlled();
  options.on_event = [&](const Event& event) {
    if (event.type != Event::Type::restarted || gone) return;
    host = nullptr;
    gone = true;
  };
  host = std::make_unique<Host>(options);
  std::optional counter = host->create<test::Counter>("counter").value();
  ControlSocket client(socket());
  ASSERT_TRUE(client.send(request("restart") + "\n"));
  EXPECT_TRUE(eventually([&] { return gone.load(); }));
  EXPECT_FALSE(client.line());
  EXPECT_TRUE(counter.value()->edition()) << "the handle stays usable";
  counter.reset();
  EXPECT_TRUE(eventually([] { return !is_mapped("counter.g"); }));
}

TEST_F(ControlledHost, ClosesItsSocketInAForkedChild) {
  auto host = std::make_unique<Host>(controlled());
  ControlSocket client(socket());
  ASSERT_TRUE(contains(client.ask(request("status")), "result"));
  int go[2];
  ASSERT_EQ(pipe(go), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(go[1]);
    char c;
    static_cast<void>(!read(go[0], &c, 1));
    _exit(0);
  }
  close(go[0]);
  host = nullptr;
  EXPECT_FALSE(client.line()) << "the child does not keep the connection open";
  EXPECT_FALSE(ControlSocket(socket()).connected());
  close(go[1]);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
}

TEST_F(ControlledHost, ReplacesTheSocketOfAKilledProcessWithItsNumber) {
  fs::create_directory(directory());
  fs::permissions(directory(), fs::perms(0700));
  {
    const int dead = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket().string().copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(dead, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ::close(dead);
  }
  const Host first(controlled());
  const Host second(controlled());
  EXPECT_TRUE(ControlSocket(socket(1)).connected());
  EXPECT_TRUE(ControlSocket(socket(2)).connected());
  EXPECT_EQ(ControlSocket::names_in(directory()).size(), 2u) << "no unfinished one is left";
}

TEST_F(ControlledHost, HasAPathOfAnyLength) {
  const fs::path deep = world_.root() / std::string(120, 'x');
  fs::create_directory(deep);
  fs::permissions(deep, fs::perms(0700));
  const RuntimeDirectory runtime(deep);
  const Host host(controlled());
  EXPECT_TRUE(host.problems().empty());
  EXPECT_EQ(ControlSocket::names_in(deep / "tenon").size(), 1u);
}

class UnsafeDirectory : public ControlledHost {
 protected:
  std::string warning() {
    const Host host(controlled());
    const auto problems = host.problems();
    if (problems.size() != 1) return std::to_string(problems.size()) + " problems";
    EXPECT_EQ(problems[0].severity(), Severity::warning);
    return std::string(problems[0].code());
  }
};

TEST_F(UnsafeDirectory, IsNotUsedIfOthersMayWriteAboveIt) {
  fs::permissions(world_.root(), fs::perms(0777));
  EXPECT_EQ(warning(), "untrusted-owner");
  EXPECT_FALSE(fs::exists(directory()));
}

TEST_F(UnsafeDirectory, IsNotUsedIfOthersMayReadIt) {
  fs::create_directory(directory());
  fs::permissions(directory(), fs::perms(0755));
  EXPECT_EQ(warning(), "untrusted-owner");
}

TEST_F(UnsafeDirectory, IsNotUsedIfItIsALink) {
  fs::create_directory(world_.root() / "elsewhere");
  fs::create_directory_symlink(world_.root() / "elsewhere", directory());
  EXPECT_EQ(warning(), "cannot-write");
  EXPECT_TRUE(fs::is_empty(world_.root() / "elsewhere"));
}

TEST_F(UnsafeDirectory, IsNotUsedIfItIsAnotherUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a directory away";
  fs::create_directory(directory());
  fs::permissions(directory(), fs::perms(0700));
  ASSERT_EQ(::chown(directory().c_str(), 65534, 65534), 0);
  EXPECT_EQ(warning(), "untrusted-owner");
  ASSERT_EQ(::chown(world_.root().c_str(), 65534, 65534), 0);
  EXPECT_EQ(warning(), "untrusted-owner") << "nor the directory above it";
}

TEST_F(UnsafeDirectory, IsReportedIfThereIsNone) {
  const RuntimeDirectory runtime(world_.root() / "missing");
  EXPECT_EQ(warning(), "not-found");
}

}}  // namespace tenon::tests
