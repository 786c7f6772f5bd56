// SPDX-License-Identifier: BSL-1.0
//
// The commands of tenon for running hosts. TENON is the command, CONTROLLED_HOST the host, MODULES
// the directory of its modules.
#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "framework/control_socket.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

class RunningHosts : public testing::Test {
 protected:
  RunningHosts() {
    fs::permissions(world_.root(), fs::perms(0700));
    world_.set("XDG_RUNTIME_DIR", world_.root().string());
    world_.place(MODULES "/counter-1.so", "counter.so");
  }

  Child start(std::vector<std::string> arguments = {"1"}) const {
    arguments.insert(arguments.begin(), {CONTROLLED_HOST, world_.plugins().string()});
    Child host = world_.start(arguments);
    EXPECT_TRUE(eventually([&] { return host.out() == "ready\n"; })) << host.err();
    return host;
  }
  Outcome tenon(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), TENON);
    return world_.run(arguments);
  }
  static std::string pid(const Child& host) { return std::to_string(host.pid()); }
  static bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  World world_{"photo"};
};

TEST_F(RunningHosts, AreListed) {
  EXPECT_EQ(tenon({"ps"}).out, "HOST  APP  UPTIME  LOADED  RESTARTS  PROBLEMS\n");
  const Child host = start();
  const Outcome listed = tenon({"ps"});
  EXPECT_EQ(listed.exit, 0) << listed.err;
  EXPECT_TRUE(std::regex_search(
      listed.out, std::regex("\n" + pid(host) + "\\.1 +photo +[0-9]+s +1 of 1 +0 +-\n")))
      << listed.out;
  const auto output = boost::json::parse(tenon({"ps", "--json"}).out);
  EXPECT_EQ(output.at("hosts").at(0).at("app"), "photo");
}

TEST_F(RunningHosts, ShowTheirModules) {
  const Child host = start();
  const Outcome shown = tenon({"status", pid(host)});
  EXPECT_EQ(shown.exit, 0) << shown.err;
  EXPECT_TRUE(contains(shown.out, pid(host) + ".1  photo  up ")) << shown.out;
  EXPECT_TRUE(
      std::regex_search(shown.out, std::regex("test.example/counters +[0-9.]+ +loaded +1 +1")))
      << shown.out;
  EXPECT_TRUE(std::regex_search(shown.out, std::regex("counter +add +1 +0 +0"))) << shown.out;
  const auto output = boost::json::parse(tenon({"status", pid(host), "--json"}).out);
  EXPECT_EQ(output.at("status").at("modules").at(0).at("generation"), 1);
}

TEST_F(RunningHosts, ShowTheFiguresOfTheProgram) {
  const Child host = start({"1", "calls"});
  const Outcome shown = tenon({"status", pid(host)});
  EXPECT_TRUE(
      std::regex_search(shown.out, std::regex("PART +FIGURE +VALUE\norders +read +12 records\n"
                                              "orders/source +calls +0.25 seconds\n")))
      << shown.out;
  EXPECT_TRUE(contains(shown.out, "\nfailing: orders: the disk is full\n")) << shown.out;
  EXPECT_TRUE(contains(tenon({"ps"}).out, " 1 failing\n"));
  const std::string labels = "{host=\"" + pid(host) + ".1\",app=\"photo\",part=\"orders";
  const std::string metrics = tenon({"status", pid(host), "--metrics"}).out;
  for (const std::string& line :
       {"# TYPE tenon_program_read_records_total counter\ntenon_program_read_records_total" +
            labels + "\"} 12\n",
        "tenon_program_calls_seconds_total" + labels + "/source\"} 0.25\n",
        "tenon_program_works" + labels + "\"} 0\n"}) {
    EXPECT_TRUE(contains(metrics, line)) << line << metrics;
  }
}

TEST_F(RunningHosts, HaveMetrics) {
  const Child host = start();
  const Outcome shown = tenon({"status", pid(host), "--metrics"});
  EXPECT_EQ(shown.exit, 0) << shown.err;
  EXPECT_TRUE(contains(shown.out, "# TYPE tenon_calls_total counter\ntenon_calls_total{host=\"" +
                                      pid(host) + ".1\",app=\"photo\",package="))
      << shown.out;
  EXPECT_TRUE(contains(shown.out, "method=\"add\",le=\"+Inf\"} 1\ntenon_call_seconds_sum{"))
      << shown.out;
  const std::regex line("# (HELP|TYPE) [a-z_]+ .*|[a-z_]+\\{([a-z]+=\"[^\"]*\",?)+\\} [0-9.]+");
  std::istringstream lines(shown.out);
  for (std::string one; std::getline(lines, one);) EXPECT_TRUE(std::regex_match(one, line)) << one;
}

TEST_F(RunningHosts, CountCallsOnRequest) {
  const Child host = start();
  EXPECT_EQ(tenon({"count", pid(host), "maybe"}).exit, 2);
  EXPECT_EQ(tenon({"count", pid(host), "off"}).exit, 0);
  const Outcome refused = tenon({"top", pid(host)});
  EXPECT_EQ(refused.exit, 1);
  EXPECT_TRUE(contains(refused.err, "calls-not-counted")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "run tenon count " + pid(host) + " on")) << refused.err;
  EXPECT_EQ(tenon({"count", pid(host), "on"}).exit, 0);
}

TEST_F(RunningHosts, ShowTheirCallsOfAMoment) {
  const Child host = start({"1", "calls"});
  const Outcome shown = tenon({"top", pid(host), "--interval", "200ms", "--tables", "2"});
  EXPECT_EQ(shown.exit, 0) << shown.err;
  const std::regex table(
      "CALLS/S +FAILURES/S +IN FLIGHT +MEDIAN +P99 +PLUGIN +METHOD +PACKAGE\n"
      "[0-9.]+ +0.0 +[01] +[0-9]+ [mun]s +[0-9]+ [mun]s +test.example/counter +add +"
      "test.example/counters@1.0.0\n");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(shown.out, found, table)) << shown.out;
  EXPECT_TRUE(std::regex_search(found.suffix().str(), table)) << "the second one";
  EXPECT_FALSE(contains(shown.out, "\n0.0 ")) << "something was called: " << shown.out;
  EXPECT_EQ(tenon({"top", "4000000", "--tables", "1"}).exit, 1);
  const Outcome wrong = tenon({"top", pid(host), "--tables", "0"});
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_EQ(wrong.err,
            "tenon top: --tables: found \"0\", needed a number from 1 to 1000000\n"
            "See tenon top --help.\n");
}

class Traces : public RunningHosts {
 protected:
  /// Returns the elements of the file, which has to be complete.
  boost::json::array elements() const {
    boost::system::error_code failed;
    const auto all = boost::json::parse(read_file(file_.string()), failed);
    EXPECT_FALSE(failed) << failed.message();
    return all.is_array() ? all.get_array() : boost::json::array();
  }
  /// Checks each element against the Trace Event Format: what Perfetto needs to import it.
  static void check(const boost::json::array& elements) {
    for (const auto& element : elements) {
      const auto& one = element.as_object();
      const std::string phase(one.at("ph").as_string());
      EXPECT_TRUE(phase == "X" || phase == "M" || phase == "i") << one;
      EXPECT_FALSE(one.at("name").as_string().empty()) << one;
      EXPECT_TRUE(one.at("pid").is_int64() && one.at("tid").is_int64()) << one;
      if (phase == "M") {
        EXPECT_FALSE(one.at("args").at("name").as_string().empty()) << one;
        continue;
      }
      EXPECT_GT(one.at("ts").to_number<double>(), 0) << one;
      if (phase == "X") {
        EXPECT_GE(one.at("dur").to_number<double>(), 0) << one;
      } else {
        EXPECT_TRUE(one.at("s") == "t" || one.at("s") == "p") << one;
      }
    }
  }
  static std::size_t calls(const boost::json::array& elements) {
    return static_cast<std::size_t>(std::count_if(
        elements.begin(), elements.end(),
        [](const auto& element) { return element.at("name") == "test.example/counter.add"; }));
  }
  Child start_trace(const Child& host) const {
    Child trace = world_.start({TENON, "trace", pid(host), file_.string()});
    EXPECT_TRUE(eventually([&] { return contains(read_file(file_.string()), "counter.add"); }))
        << trace.err();
    return trace;
  }

  const fs::path file_ = world_.root() / "trace.json";
};

TEST_F(Traces, OfATimeAreComplete) {
  const Child host = start({"1", "calls"});
  const Outcome traced = tenon({"trace", pid(host), file_.string(), "--for", "200ms"});
  EXPECT_EQ(traced.exit, 0);
  EXPECT_TRUE(
      std::regex_match(traced.err, std::regex("tenon: [0-9]+ calls, 0 events(; [0-9]+ lost)?\n")))
      << traced.err;
  const auto all = elements();
  check(all);
  EXPECT_NE(calls(all), 0u);
  EXPECT_EQ(all.front().at("name"), "process_name");
}

TEST_F(Traces, AreCompleteAfterASignal) {
  const Child host = start({"1", "calls"});
  Child trace = start_trace(host);
  trace.signal(SIGINT);
  trace.signal(SIGINT);
  const Outcome traced = trace.wait();
  EXPECT_EQ(traced.exit, 0) << traced.err;
  const auto all = elements();
  check(all);
  EXPECT_NE(calls(all), 0u);
}

TEST_F(Traces, AreCompleteAfterTheDeathOfTheHost) {
  Child host = start({"1", "calls"});
  Child trace = start_trace(host);
  host.kill();
  const Outcome traced = trace.wait();
  EXPECT_EQ(traced.exit, 0) << traced.err;
  check(elements());
}

TEST_F(Traces, HaveAFileThatCanBeWritten) {
  const Child host = start();
  const Outcome refused = tenon({"trace", pid(host), (world_.root() / "no/where").string()});
  EXPECT_EQ(refused.exit, 3);
  EXPECT_TRUE(contains(refused.err, "error[cannot-write] ")) << refused.err;
  const Outcome full = tenon({"trace", pid(host), "/dev/full", "--for", "1ms"});
  EXPECT_EQ(full.exit, 3);
  EXPECT_TRUE(contains(full.err, "error[cannot-write] /dev/full")) << full.err;
  EXPECT_EQ(tenon({"trace", "4000000", file_.string()}).exit, 1);
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_EQ(tenon({"trace", pid(host), file_.string(), "--for", "soon"}).exit, 2);
}

TEST_F(RunningHosts, AreRestarted) {
  const Child host = start();
  world_.place(MODULES "/counter-2.so", "counter.so");
  const Outcome restarted = tenon({"restart", pid(host), "test.example/counters"});
  EXPECT_EQ(restarted.exit, 0) << restarted.err;
  EXPECT_TRUE(contains(restarted.out, "generation 2")) << restarted.out;
  EXPECT_TRUE(contains(tenon({"events", pid(host)}).out, "restarted (requested), generation 2"));
  world_.place(MODULES "/counter-create-fails.so", "counter.so");
  const Outcome failed = tenon({"restart", pid(host)});
  EXPECT_EQ(failed.exit, 1);
  EXPECT_NE(failed.err, "");
  EXPECT_EQ(tenon({"restart", pid(host), "me.example/nobody"}).exit, 1);
}

TEST_F(RunningHosts, AreChanged) {
  const Child host = start();
  EXPECT_EQ(tenon({"rescan", pid(host)}).exit, 0);
  EXPECT_EQ(tenon({"log", pid(host), "debug"}).exit, 0);
  EXPECT_EQ(tenon({"log", pid(host), "loud"}).exit, 2);
  const Outcome released = tenon({"release", pid(host), "test.example/counters"});
  EXPECT_EQ(released.exit, 1);
  EXPECT_TRUE(contains(released.err, "not-quarantined")) << released.err;
}

TEST_F(RunningHosts, AreFollowedUntilTheyEnd) {
  Child host = start();
  Child following = world_.start({TENON, "events", pid(host), "--follow"});
  EXPECT_TRUE(eventually([&] { return contains(following.out(), "loaded"); }));
  EXPECT_EQ(tenon({"restart", pid(host)}).exit, 0);
  EXPECT_TRUE(eventually([&] { return contains(following.out(), "restarted"); }));
  host.kill();
  const Outcome followed = following.wait();
  EXPECT_EQ(followed.exit, 0) << followed.err;
  EXPECT_TRUE(contains(followed.err, "has ended"));
}

TEST_F(RunningHosts, OfOneProcessHaveNumbers) {
  const Child host = start({"2"});
  const Outcome ambiguous = tenon({"status", pid(host)});
  EXPECT_EQ(ambiguous.exit, 1);
  EXPECT_TRUE(contains(ambiguous.err, pid(host) + ".1, " + pid(host) + ".2")) << ambiguous.err;
  EXPECT_EQ(tenon({"status", pid(host) + ".2"}).exit, 0);
  EXPECT_EQ(tenon({"status", pid(host) + ".3"}).exit, 1);
  EXPECT_EQ(tenon({"status", "photo"}).exit, 2);
}

TEST_F(RunningHosts, AreNamedByTheirParentToo) {
  const std::string parent = std::to_string(getpid());
  const Child first = start();
  const Outcome shown = tenon({"status", parent});
  EXPECT_EQ(shown.exit, 0) << shown.err;
  EXPECT_TRUE(shown.out.starts_with(pid(first) + ".1 ")) << shown.out;
  const Child second = start();
  const Outcome asked = tenon({"status", parent});
  EXPECT_EQ(asked.exit, 1);
  EXPECT_TRUE(contains(asked.err, "several hosts: ")) << asked.err;
}

TEST_F(RunningHosts, ThatAreStoppedAreNamed) {
  const Child host = start();
  host.signal(SIGSTOP);
  ASSERT_TRUE(eventually([&] { return state_of(host.pid()) == 'T'; }));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"ps"}, std::vector<std::string>{"status", pid(host)}}) {
    std::vector<std::string> words = command;
    words.insert(words.end(), {"--timeout", "100ms"});
    const Outcome asked = tenon(words);
    EXPECT_EQ(asked.exit, 1);
    EXPECT_TRUE(contains(asked.err, "error[no-reply] " + pid(host) + ".1")) << asked.err;
    EXPECT_TRUE(contains(asked.err, "kill -CONT " + pid(host))) << asked.err;
  }
  host.signal(SIGCONT);
  EXPECT_EQ(tenon({"ps"}).exit, 0);
}

TEST_F(RunningHosts, ThatWereKilledLeaveNothing) {
  Child host = start();
  const std::string number = pid(host);
  host.kill();
  EXPECT_EQ(ControlSocket::names_in(world_.root() / "tenon").size(), 1u);
  const Outcome listed = tenon({"ps"});
  EXPECT_EQ(listed.exit, 0) << listed.err;
  EXPECT_FALSE(contains(listed.out, number));
  EXPECT_TRUE(ControlSocket::names_in(world_.root() / "tenon").empty());
  EXPECT_EQ(tenon({"status", number}).exit, 1);
}

TEST_F(RunningHosts, ThatWereKilledAreNamed) {
  for (const char* command : {"top", "status"}) {
    Child host = start();
    const std::string number = pid(host);
    host.kill();
    const Outcome asked = tenon({command, number});
    EXPECT_EQ(asked.exit, 1);
    EXPECT_TRUE(contains(asked.err, "tenon: error[not-found] " + number + "\n")) << asked.err;
  }
}

}}  // namespace tenon::tests
