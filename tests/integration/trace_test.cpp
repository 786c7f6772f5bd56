// SPDX-License-Identifier: BSL-1.0
//
// A trace of a host, in a file or for a control client.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <test/counter.hpp>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <thread>

#include "framework/control_socket.hpp"
#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

class TracedHost : public Hosting {
 protected:
  static constexpr const char* counters = "test.example/counters";

  TracedHost() {
    fs::permissions(world_.root(), fs::perms(0700));
    place("counter-1.so", "counter.so");
  }

  HostOptions controlled() {
    HostOptions all = short_drain();
    all.app = "photo";
    all.control = true;
    return all;
  }
  HostOptions traced() {
    HostOptions all = short_drain();
    all.app = "photo";
    all.trace_file = file_;
    return all;
  }
  fs::path socket() const { return world_.root() / "tenon" / (std::to_string(getpid()) + ".1"); }
  static std::string trace_request() { return R"({"control":1,"request":"trace"})"; }
  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
  static bool contains(const std::string& text, const std::string& part) {
    return count(text, part) != 0;
  }

  const RuntimeDirectory runtime_{world_.root()};
  const fs::path file_ = world_.root() / "trace.json";
  const std::string add_ = R"("ph":"X","name":"test.example/counter.add",)";
};

TEST_F(TracedHost, WritesLoadsRestartsAndCalls) {
  std::string thread;
  {
    Host host(traced());
    EXPECT_TRUE(host.problems().empty());
    auto counter = host.create<test::Counter>("counter").value();
    for (int i = 0; i < 40; ++i) EXPECT_TRUE(counter->add(1));
    EXPECT_TRUE(host.restart(counters));
    EXPECT_FALSE(counter->refuse(TENON_ABORTED, "no"));
    std::thread([&] {
      thread = std::to_string(gettid());
      EXPECT_TRUE(counter->add(1));
    }).join();
  }
  const std::string trace = read_file(file_);
  EXPECT_EQ(trace.substr(0, 3), "[\n{");
  EXPECT_EQ(trace.substr(trace.size() - 4), "}\n]\n");
  EXPECT_TRUE(
      contains(trace, R"({"ph":"M","name":"process_name","pid":)" + std::to_string(getpid())));
  EXPECT_TRUE(contains(trace, R"("args":{"name":"photo"})"));
  EXPECT_TRUE(contains(trace, R"("args":{"name":"test.example/counters@1.0.0"})"));
  EXPECT_EQ(count(trace, add_), 41u) << "each call, also the short ones";
  EXPECT_EQ(count(trace, add_ + R"("pid":)" + std::to_string(getpid()) + R"(,"tid":)" + thread),
            1u);
  EXPECT_EQ(count(trace, R"("args":{"failed":true})"), 1u);
  for (const char* event : {"loaded", "restarted"}) {
    EXPECT_EQ(count(trace, R"("ph":"X","name":")" + std::string(event)), 1u) << event;
  }
  EXPECT_EQ(count(trace, R"("ph":"i","name":"unloaded")"), 1u) << "up to the end of the host";
  EXPECT_FALSE(contains(trace, "lost"));
}

TEST_F(TracedHost, LeavesOutCallsOfAForkedChild) {
  {
    Host host(traced());
    auto counter = host.create<test::Counter>("counter").value();
    EXPECT_TRUE(counter->add(1));
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      _exit(counter->add(1) && counter->add(1) ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(count(read_file(file_), add_), 1u);
}

TEST_F(TracedHost, ReportsAFileThatCannotBeCreated) {
  HostOptions options = traced();
  options.trace_file = world_.root() / "nowhere" / "trace.json";
  const Host host(options);
  ASSERT_EQ(host.problems().size(), 1u);
  EXPECT_EQ(host.problems()[0].severity(), Severity::warning);
  EXPECT_EQ(host.problems()[0].where(), options.trace_file.string());
}

TEST_F(TracedHost, CountsNoCallsAfterwards) {
  Host host(controlled());
  auto counter = host.create<test::Counter>("counter").value();
  EXPECT_TRUE(counter->add(1));
  {
    ControlSocket client(socket());
    EXPECT_EQ(client.ask(trace_request()), R"({"control":1,"request":"trace","result":{}})");
    EXPECT_TRUE(counter->add(1));
    EXPECT_TRUE(contains(ControlSocket(socket()).ask(trace_request()), "in-use"));
  }
  std::optional<ControlSocket> next;
  EXPECT_TRUE(eventually([&] {
    next.emplace(socket());
    return contains(next->ask(trace_request()), "result");
  }));
  next.reset();
  EXPECT_TRUE(eventually([&] {
    const std::uint64_t before = module(host, counters).calls.calls;
    EXPECT_TRUE(counter->add(1));
    return module(host, counters).calls.calls == before;
  }));
}

TEST_F(TracedHost, SendsItsTraceUntilItEnds) {
  std::optional<ControlSocket> client;
  {
    Host host(controlled());
    auto counter = host.create<test::Counter>("counter").value();
    client.emplace(socket());
    EXPECT_TRUE(contains(client->ask(trace_request()), "result"));
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(counter->add(1));
    EXPECT_TRUE(host.restart(counters));
  }
  std::string trace;
  while (const auto line = client->line()) trace += *line + "\n";
  EXPECT_EQ(trace.find(R"({"control":1,"trace":[{"ph":"M","name":"process_name")"), 0u) << trace;
  EXPECT_EQ(count(trace, add_), 100u);
  EXPECT_EQ(count(trace, R"("ph":"X","name":"restarted")"), 1u);
}

TEST_F(TracedHost, HasTheFirstCallsIfCallsWereCountedBefore) {
  HostOptions all = controlled();
  all.count_calls = true;
  Host host(all);
  auto counter = host.create<test::Counter>("counter").value();
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(counter->add(1));
  ControlSocket client(socket());
  EXPECT_TRUE(contains(client.ask(trace_request()), "result"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(counter->add(1));
  std::size_t traced = 0;
  while (traced < 3) {
    const auto line = client.line();
    ASSERT_TRUE(line);
    traced += count(*line, add_);
  }
}

TEST_F(TracedHost, CountsWhatAClientDoesNotRead) {
  constexpr std::uint64_t calls = 200'000;
  Host host(controlled());
  auto counter = host.create<test::Counter>("counter").value();
  ControlSocket client(socket());
  EXPECT_TRUE(contains(client.ask(trace_request()), "result"));
  for (std::uint64_t i = 0; i < calls; ++i) EXPECT_TRUE(counter->add(1));
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
  const std::regex count_of_lost(R"("name":"calls lost".*"args":\{"count":([0-9]+)\})");
  while (sent + lost < calls) {
    const auto line = client.line();
    ASSERT_TRUE(line) << sent << " and " << lost;
    sent += count(*line, add_);
    const auto at = line->find(R"("name":"calls lost")");
    std::smatch found;
    const std::string rest = at != line->npos ? line->substr(at) : "";
    if (std::regex_search(rest, found, count_of_lost)) lost += std::stoull(found[1]);
  }
  EXPECT_EQ(sent + lost, calls);
  EXPECT_NE(lost, 0u);
}

}}  // namespace tenon::tests
