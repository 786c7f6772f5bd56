// SPDX-License-Identifier: BSL-1.0
//
// The control server and its clients: hostile, slow, silent and too many.
#include "control/control_server.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "framework/control_socket.hpp"
#include "framework/world.hpp"
#include "platform/local_socket.hpp"

namespace tenon::detail { namespace {

using namespace std::chrono_literals;
using tests::ControlSocket;
using tests::eventually;

std::uint64_t first_of(const ControlEvents::Queue& queue) {
  return queue.events.empty() ? 0 : queue.events.front().first;
}

void report(ControlEvents& events, int count) {
  for (int i = 0; i < count; ++i) {
    events.report({.type = Event::Type::loaded, .package = "me.example/p", .package_version = "1"});
  }
}

TEST(ControlEvents, KeepTheLastHundredForNewSubscribers) {
  ControlEvents events;
  report(events, 100);
  EXPECT_EQ(first_of(events.subscribe()), 1u);
  report(events, 1);
  EXPECT_EQ(first_of(events.subscribe()), 2u);
  report(events, 1'000);
  const auto recent = events.subscribe();
  EXPECT_EQ(recent.events.size(), 100u);
  EXPECT_EQ(first_of(recent), 1'002u);
  EXPECT_EQ(events.history("me.example/p", "1").count(Event::Type::loaded), 1'101u);
}

TEST(ControlEvents, QueueAThousandForSubscribers) {
  ControlEvents events;
  report(events, 1);
  static_cast<void>(events.subscribe());
  report(events, 1'000);
  ControlEvents::Queue queue = events.take();
  EXPECT_EQ(queue.events.size(), 1'000u);
  EXPECT_EQ(queue.lost, 0u);
  report(events, 10'000);
  queue = events.take();
  EXPECT_EQ(queue.events.size(), 1'000u);
  EXPECT_EQ(first_of(queue), 1'002u);
  EXPECT_EQ(queue.lost, 9'000u);
  EXPECT_TRUE(events.take().events.empty());
  EXPECT_EQ(events.take().lost, 0u);
}

TEST(SocketDirectory, HasAThousandNamesForAProcess) {
  const tests::World world;
  const auto path = world.root() / "tenon";
  const auto directory = platform::SocketDirectory::open(path, true).value();
  const auto take = [&](int number) {
    std::filesystem::create_directory(path / to_string(platform::SocketName{getpid(), number}));
  };
  for (int i = 1; i < 1'000; ++i) take(i);
  EXPECT_EQ(directory.listen().value().name().number, 1'000);
  take(1'000);
  EXPECT_FALSE(directory.listen());
}

class ControlServerTest : public testing::Test {
 protected:
  ControlServerTest() { std::filesystem::permissions(world_.root(), std::filesystem::perms(0700)); }

  /// Replies to "hold" when the test wants, to "much" with 8 MiB, and to others with the counts.
  void start(const ControlLimits& limits = {}) {
    auto server = ControlServer::start(
        events_,
        [this](const ControlRequest& request, const ControlServer::Reply& reply) {
          if (request.request == "hold") {
            const std::lock_guard lock(mutex_);
            held_.push_back(reply);
          } else if (request.request == "much") {
            reply.send(std::string(std::size_t{8} << 20, 'x'));
          } else {
            reply.send(counts_text(reply.counts()));
          }
        },
        limits);
    ASSERT_TRUE(server) << server.error().to_string();
    server_ = *std::move(server);
  }

  static std::string counts_text(const ControlCounts& counts) {
    return "refused " + std::to_string(counts.refused) + ", malformed " +
           std::to_string(counts.malformed) + ", silent " + std::to_string(counts.silent) +
           ", slow " + std::to_string(counts.slow) + ", foreign " + std::to_string(counts.foreign);
  }

  std::filesystem::path directory() const { return world_.root() / "tenon"; }
  std::filesystem::path path() const {
    return directory() / ControlSocket::names_in(directory())[0];
  }
  /// Returns the counts, as a new client sees them. On a busy machine it may be dropped first.
  std::string counts() const {
    std::string counts;
    eventually([&] {
      counts = ControlSocket(path()).ask(R"({"control":1,"request":"x"})");
      return !counts.empty();
    });
    return counts;
  }
  std::size_t held() {
    const std::lock_guard lock(mutex_);
    return held_.size();
  }

  tests::World world_;
  const tests::RuntimeDirectory runtime_{world_.root()};
  const std::shared_ptr<ControlEvents> events_ = std::make_shared<ControlEvents>();
  std::mutex mutex_;
  std::vector<ControlServer::Reply> held_;
  std::unique_ptr<ControlServer> server_;
};

constexpr const char* hold = R"({"control":1,"request":"hold"})"
                             "\n";

TEST_F(ControlServerTest, ServesOthersWhileOneWaits) {
  start();
  ControlSocket waiting(path());
  ASSERT_TRUE(waiting.send(hold));
  ASSERT_TRUE(eventually([&] { return held() == 1; }));
  EXPECT_EQ(counts(), "refused 0, malformed 0, silent 0, slow 0, foreign 0");
  held_[0].send("at last");
  EXPECT_EQ(waiting.line(), "at last");
  EXPECT_EQ(waiting.ask(R"({"control":1,"request":"x"})"),
            "refused 0, malformed 0, silent 0, slow 0, foreign 0");
}

TEST_F(ControlServerTest, HandlesRequestsOfOneClientInTheirOrder) {
  start();
  ControlSocket client(path());
  const std::string other = R"({"control":1,"request":"x"})";
  ASSERT_TRUE(client.send(std::string(hold) + other + "\n" + other + "\n"));
  client.end_sending();
  ASSERT_TRUE(eventually([&] { return held() == 1; }));
  held_[0].send("first");
  EXPECT_EQ(client.line(), "first");
  EXPECT_TRUE(client.line());
  EXPECT_TRUE(client.line()) << "also if the client sends nothing more";
  EXPECT_FALSE(client.line());
}

TEST_F(ControlServerTest, EndsTheConnectionAfterGarbage) {
  start();
  ControlSocket client(path());
  EXPECT_NE(client.ask("GET / HTTP/1.1").find(R"("code":"not-json")"), std::string::npos);
  EXPECT_FALSE(client.line());
  EXPECT_EQ(counts(), "refused 0, malformed 1, silent 0, slow 0, foreign 0");
}

TEST_F(ControlServerTest, RefusesRequestsThatItDoesNotKnow) {
  start();
  ControlSocket client(path());
  const auto code = [&](const std::string& request) {
    const std::string line = client.ask(request);
    const auto begin = line.find(R"("code":")") + 8;
    return line.substr(begin, line.find('"', begin) - begin);
  };
  EXPECT_EQ(code("[]"), "missing-key");
  EXPECT_EQ(code(R"({"request":"x"})"), "missing-key");
  EXPECT_EQ(code(R"({"control":2,"request":"x"})"), "wrong-value");
  EXPECT_EQ(code(R"({"control":"1","request":"x"})"), "wrong-value");
  EXPECT_EQ(code(R"({"control":1})"), "missing-key");
  EXPECT_EQ(code(R"({"control":1,"request":7})"), "wrong-value");
  EXPECT_EQ(code(R"({"control":1,"request":"x","force":true})"), "wrong-value");
  EXPECT_EQ(client.ask(R"({"control":1,"request":"x"})"),
            "refused 0, malformed 0, silent 0, slow 0, foreign 0");
}

TEST_F(ControlServerTest, EndsTheConnectionAfterMegabytesWithoutALineEnd) {
  start();
  ControlSocket client(path());
  const std::string megabyte(std::size_t{1} << 20, 'x');
  while (client.send(megabyte)) {
  }
  EXPECT_EQ(counts(), "refused 0, malformed 1, silent 0, slow 0, foreign 0");
}

TEST_F(ControlServerTest, DropsASilentClient) {
  start({.patience = 50ms});
  ControlSocket client(path());
  EXPECT_TRUE(client.send("{")) << "an incomplete request";
  EXPECT_FALSE(client.line());
  EXPECT_EQ(counts().find("silent 0"), std::string::npos);
}

TEST_F(ControlServerTest, KeepsAClientThatWaitsForItsReply) {
  start({.patience = 300ms});
  ControlSocket waiting(path());
  ASSERT_TRUE(waiting.send(hold));
  ControlSocket silent(path());
  EXPECT_FALSE(silent.line()) << "the time has passed";
  ASSERT_EQ(held(), 1u);
  held_[0].send("at last");
  EXPECT_EQ(waiting.line(), "at last");
}

TEST_F(ControlServerTest, DropsAClientThatDoesNotRead) {
  start({.patience = 50ms});
  const ControlSocket client(path());
  ASSERT_TRUE(client.send("{\"control\":1,\"request\":\"much\"}\n"));
  EXPECT_TRUE(eventually([&] { return counts().find("slow 0") == std::string::npos; }));
}

TEST_F(ControlServerTest, EndsTheConnectionOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  start();
  // The directory keeps others out; this is what happens if it did not.
  namespace fs = std::filesystem;
  for (const auto& open : {world_.root(), directory()}) fs::permissions(open, fs::perms(0755));
  fs::permissions(path(), fs::perms(0777));
  const fs::path socket = path();
  const pid_t other = ::fork();
  if (other == 0) {
    if (::setresuid(65534, 65534, 65534) != 0) ::_exit(2);
    ControlSocket client(socket);
    ::_exit(client.connected() && !client.line() ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(::waitpid(other, &status, 0), other);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(eventually([&] { return counts().find("foreign 1") != std::string::npos; }));
}

TEST_F(ControlServerTest, RefusesMoreClientsThanAllowed) {
  start({.clients = 2});
  std::optional<ControlSocket> first(std::in_place, path());
  ControlSocket second(path());
  ASSERT_TRUE(second.send(hold) && first->send(hold));
  ASSERT_TRUE(eventually([&] { return held() == 2; }));
  ControlSocket third(path());
  EXPECT_NE(third.line().value_or("").find("too-many-clients"), std::string::npos);
  EXPECT_FALSE(third.line());
  first.reset();
  EXPECT_TRUE(eventually([&] { return counts().find("malformed") != std::string::npos; }));
}

TEST_F(ControlServerTest, CountsEventsThatAClientDoesNotRead) {
  start({.events = 10'000});
  ControlSocket client(path());
  ASSERT_NE(client.ask(R"({"control":1,"request":"events"})").find("recent"), std::string::npos);
  constexpr std::uint64_t sent = 5'000;
  for (std::uint64_t i = 0; i < sent; ++i) {
    events_->report(
        {.package = "me.example/blur", .generation = i, .message = std::string(300, 'x')});
  }
  std::uint64_t events = 0;
  std::uint64_t lost = 0;
  while (events + lost < sent) {
    const std::string line = client.line().value_or("");
    ASSERT_FALSE(line.empty()) << events << " + " << lost;
    const std::string lost_key = "{\"control\":1,\"lost\":";
    if (line.starts_with(lost_key)) {
      lost += std::stoull(line.substr(lost_key.size()));
    } else {
      ++events;
    }
  }
  EXPECT_EQ(events + lost, sent);
  EXPECT_GT(lost, 0u);
}

TEST_F(ControlServerTest, SendsEachEventOnce) {
  start();
  events_->report({.package = "me.example/old"});
  ControlSocket client(path());
  EXPECT_NE(client.ask(R"({"control":1,"request":"events"})").find("me.example/old"),
            std::string::npos);
  events_->report({.package = "me.example/new"});
  EXPECT_NE(client.line().value_or("").find("me.example/new"), std::string::npos);
  ControlSocket other(path());
  const std::string recent = other.ask(R"({"control":1,"request":"events"})");
  EXPECT_NE(recent.find("me.example/old"), std::string::npos);
  EXPECT_NE(recent.find("me.example/new"), std::string::npos);
  events_->report({.package = "me.example/newer"});
  EXPECT_NE(other.line().value_or("").find("me.example/newer"), std::string::npos);
  EXPECT_NE(client.line().value_or("").find("me.example/newer"), std::string::npos);
}

TEST_F(ControlServerTest, EndsWithItsConnectionsAndSocket) {
  start();
  ControlSocket waiting(path());
  ASSERT_TRUE(waiting.send(hold));
  ASSERT_TRUE(eventually([&] { return held() == 1; }));
  EXPECT_TRUE(server_->stop(std::chrono::steady_clock::now() + 60s));
  EXPECT_FALSE(waiting.line());
  EXPECT_TRUE(ControlSocket::names_in(directory()).empty());
  held_[0].send("too late");
  EXPECT_TRUE(server_->stop(std::chrono::steady_clock::now()));
}

}}  // namespace tenon::detail
