// SPDX-License-Identifier: BSL-1.0
#include "common/console.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <new>
#include <string>
#include <string_view>

#include "common/progress.hpp"
#include "common/stop_requests.hpp"
#include "framework/world.hpp"

namespace tenon::tools { namespace {

/// A terminal in place of standard error.
class Terminal {
 public:
  Terminal() {
    EXPECT_TRUE(grantpt(terminal_) == 0 && unlockpt(terminal_) == 0);
    const int end = ::open(ptsname(terminal_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    EXPECT_GE(::dup2(end, STDERR_FILENO), 0);
    ::close(end);
  }
  ~Terminal() {
    ::dup2(previous_, STDERR_FILENO);
    ::close(previous_);
    ::close(terminal_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Returns what it has shown. Waits until there is something.
  std::string shown() const {
    char text[4096];
    const ssize_t size = ::read(terminal_, text, sizeof text);
    return size > 0 ? std::string(text, size) : std::string();
  }

 private:
  const int previous_ = ::dup(STDERR_FILENO);
  const int terminal_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
};

std::string said(std::string_view message) {
  Console console("tenon-pipeline");
  testing::internal::CaptureStderr();
  console.say(message);
  return testing::internal::GetCapturedStderr();
}

TEST(Console, KeepsTheLinesOfAMessage) {
  EXPECT_EQ(said("error[x] file\n   found   nothing"),
            "tenon-pipeline: error[x] file\n   found   nothing\n");
}

TEST(Console, EscapesControlCharactersInMessages) {
  EXPECT_EQ(said("a\x1b[2Jb\rc\xff\ntenon-pipeline: forged"),
            "tenon-pipeline: a\\x1b[2Jb\\x0dc\\xff\n   tenon-pipeline: forged\n");
}

TEST(Console, WritesAMessageAtOnce) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_DIRECT | O_CLOEXEC), 0);  // a write to it is one packet
  const int previous = ::dup(STDERR_FILENO);
  ::dup2(ends[1], STDERR_FILENO);
  Console("tenon-pipeline").say("hello");
  ::dup2(previous, STDERR_FILENO);
  ::close(previous);
  ::close(ends[1]);
  char packet[64];
  const ssize_t size = ::read(ends[0], packet, sizeof packet);
  ::close(ends[0]);
  ASSERT_GT(size, 0);
  EXPECT_EQ(std::string_view(packet, size), "tenon-pipeline: hello\n");
}

TEST(Console, PrintsMessagesAboveTheProgress) {
  Console console("tenon-pipeline");
  const auto printed = [](auto&& body) {
    testing::internal::CaptureStderr();
    body();
    return testing::internal::GetCapturedStderr();
  };
  const std::string line = "\rrecords: 10\x1b[K";
  EXPECT_EQ(printed([&] { console.show("records: 10"); }), line);
  EXPECT_EQ(printed([&] { console.say("hello"); }), "\r\x1b[Ktenon-pipeline: hello\n" + line);
  EXPECT_EQ(printed([&] { console.clear(); }), "\r\x1b[K");
  EXPECT_EQ(printed([&] { console.clear(); }), "");
  EXPECT_EQ(printed([&] { console.say("hello"); }), "tenon-pipeline: hello\n");
}

TEST(Progress, ContinuesAfterALineThatThrows) {
  const Terminal terminal;
  Console console("tenon-pipeline");
  std::atomic<int> calls = 0;
  const Progress progress(console, [&](auto) -> std::string {
    if (++calls == 1) throw std::bad_alloc();
    return "records: 10";
  });
  ASSERT_TRUE(tenon::tests::eventually([&] { return calls > 2; }));
  EXPECT_NE(terminal.shown().find("\rrecords: 10\x1b[K"), std::string::npos);
}

TEST(StopRequests, CountTheSameSignalAtOnceOnce) {
  using std::chrono::milliseconds;
  StopRequests requests;
  const auto begin = StopRequests::Clock::time_point() + std::chrono::hours(1);
  EXPECT_TRUE(requests.add(SIGINT, begin));
  EXPECT_FALSE(requests.add(SIGINT, begin));
  EXPECT_FALSE(requests.add(SIGINT, begin + milliseconds(199)));
  EXPECT_TRUE(requests.add(SIGINT, begin + milliseconds(200))) << "repetitions prolong no request";
  EXPECT_TRUE(requests.add(SIGTERM, begin + milliseconds(201))) << "another signal";
}

}}  // namespace tenon::tools
