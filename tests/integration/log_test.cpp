// SPDX-License-Identifier: BSL-1.0
//
// Logs of plugins and hosts, written to sinks and to standard error.
#include <gtest/gtest.h>
#include <test/echo.hpp>
#include <test/tape.hpp>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "integration/hosting.hpp"

namespace {

thread_local std::size_t allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size != 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// The operator of a sanitizer does not match this operator delete.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size != 0 ? size : 1);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace tenon::tests { namespace {

constexpr const char* package = "test.example/talkers";
constexpr const char* talker = "test.example/talker";
constexpr const char* tape = "test.example/talking-tape";
constexpr const char* sdk_talker = "test.example/sdk-talker";

class LogTest : public Hosting {
 protected:
  LogTest() {
    place("talker.so");
    place("sdk-talker.so");
  }
  ~LogTest() override { set_variable("LOG_TEST_LOG", nullptr); }

  /// Options with a sink that stores all lines.
  HostOptions options(LogLevel level = LogLevel::warn) {
    HostOptions options = Hosting::options();
    options.app = "log-test";
    options.log_level = level;
    options.log_sink = [this](const LogLine& line) {
      const std::lock_guard lock(mutex_);
      (line.package.empty() ? own_ : lines_).push_back(text_of(line));
    };
    return options;
  }
  static HostOptions without_sink(HostOptions options) {
    options.log_sink = nullptr;
    return options;
  }

  /// Returns the lines of modules since the last call.
  Texts take_lines() { return take(lines_); }
  /// Returns the lines of the host since the last call.
  Texts take_own() { return take(own_); }

  static std::string text_of(const LogLine& line) {
    std::string text = std::to_string(static_cast<int>(line.level)) + " " + line.to_string();
    return text;
  }
  static std::string by_plugin(std::string_view plugin, std::string_view message) {
    return "3 " + std::string(plugin) + " (" + package + "): " + std::string(message);
  }
  static std::string by_module(std::string_view message) {
    return "3 " + std::string(package) + ": " + std::string(message);
  }

  /// Returns the lines that `body` writes to standard error, without their times.
  template <class Body>
  static Texts error_output(Body&& body) {
    testing::internal::CaptureStderr();
    body();
    std::istringstream all(testing::internal::GetCapturedStderr());
    Texts lines;
    for (std::string line; std::getline(all, line);) {
      constexpr std::string_view name = "[tenon] ";
      lines.push_back(line.substr(line.find(name) + name.size()));
    }
    return lines;
  }

 private:
  Texts take(Texts& lines) {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines, {});
  }

  std::mutex mutex_;
  Texts lines_;
  Texts own_;
};

// -- Lines ------------------------------------------------------------------------

TEST_F(LogTest, LinesNamePluginAndPackage) {
  {
    Host host(options());
    auto echo = host.create<test::Echo>(talker).value();
    EXPECT_EQ(take_lines(), (Texts{by_module("start"), by_module("start of the module"),
                                   by_plugin(talker, "create")}));
    echo->say("hello").value();
    EXPECT_EQ(take_lines(),
              (Texts{by_plugin(talker, "hello"), by_plugin(talker, "said text=hello rows=12")}));
    echo->say("host").value();
    EXPECT_EQ(take_lines(), (Texts{by_plugin(talker, "host")}));
    host.restart(package).value();
    EXPECT_EQ(take_lines(), (Texts{by_module("start"), by_module("start of the module"),
                                   by_plugin(talker, "create"), by_plugin(talker, "save_state"),
                                   by_plugin(talker, "restore_state"), by_plugin(talker, "destroy"),
                                   by_module("stop")}));
  }
  EXPECT_EQ(take_lines(), (Texts{by_plugin(talker, "destroy"), by_module("stop")}));
}

TEST_F(LogTest, LinesNameThePluginThatTheModuleGives) {
  Host host(options());
  auto echo = host.create<test::Echo>(talker).value();
  take_lines();
  echo->say("named").value();
  EXPECT_EQ(take_lines(), (Texts{by_plugin(tape, "named"), by_plugin(tape, "named")}));
}

TEST_F(LogTest, LinesOfStreamsNameTheirPlugin) {
  Host host(options());
  auto player = host.create<test::Tape>(tape).value();
  auto reader = player->play("").value();
  take_lines();
  Call call;
  std::uint8_t bytes[4];
  EXPECT_EQ(reader.read(call, bytes).value(), 0u);
  EXPECT_EQ(take_lines(), (Texts{by_plugin(tape, "read")}));
}

TEST_F(LogTest, LinesFromThreadsOfTheModuleNameItsPackage) {
  Host host(options());
  auto echo = host.create<test::Echo>(talker).value();
  take_lines();
  echo->say("thread").value();
  EXPECT_EQ(take_lines(), (Texts{by_module("thread"), by_module("call of a thread")}));
}

TEST_F(LogTest, LinesOfPluginsInCppHaveConvertedPairs) {
  Host host(options());
  auto echo = host.create<test::Echo>(sdk_talker).value();
  EXPECT_EQ(take_lines(), (Texts{"3 test.example/sdk-talker: start version=1"}));
  echo->say("hello").value();
  EXPECT_EQ(take_lines(),
            (Texts{"3 test.example/sdk-talker: said hello 12",
                   "3 test.example/sdk-talker: said text=hello literal=\"a b\" rows=12 ratio=0.5 "
                   "letter=x whole=true"}));
  echo->say("thread").value();
  echo->say("module").value();
  EXPECT_EQ(take_lines(), (Texts{"3 test.example/sdk-talker: on a thread",
                                 "3 test.example/sdk-talker: the module wanted=true"}));
}

TEST_F(LogTest, SinksReceiveUnchangedTexts) {
  HostOptions options = this->options();
  std::vector<std::pair<std::string, std::string>> pairs;
  std::string message;
  std::string plugin;
  const auto before = std::chrono::system_clock::now();
  options.log_sink = [&](const LogLine& line) {
    message = line.message;
    plugin = line.plugin;
    EXPECT_GE(line.time, before);
    EXPECT_LE(line.time, std::chrono::system_clock::now());
    for (const LogPair& pair : line.pairs) pairs.emplace_back(pair.key, pair.value);
  };
  Host host(options);
  auto echo = host.create<test::Echo>(talker).value();
  echo->say("two\nlines").value();
  EXPECT_EQ(plugin, talker);
  EXPECT_EQ(message, "said");
  EXPECT_EQ(pairs, (std::vector<std::pair<std::string, std::string>>{{"text", "two\nlines"},
                                                                     {"rows", "12"}}));
}

TEST_F(LogTest, EscapesControlCharactersAndQuotes) {
  Host host(without_sink(options()));
  auto echo = host.create<test::Echo>(talker).value();
  EXPECT_EQ(error_output([&] { echo->say("a\n[tenon] [error] \x1b[2J").value(); }),
            (Texts{"[warning] test.example/talker (test.example/talkers): "
                   "a\\x0a[tenon] [error] \\x1b[2J",
                   "[warning] test.example/talker (test.example/talkers): said "
                   "text=\"a\\x0a[tenon] [error] \\x1b[2J\" rows=12"}));
  EXPECT_EQ(error_output([&] { echo->say("\\\" rows=\"13").value(); }).at(1),
            "[warning] test.example/talker (test.example/talkers): said "
            "text=\"\\\\\\\" rows=\\\"13\" rows=12");
  EXPECT_EQ(error_output([&] { echo->say("\x1b[2J").value(); }).at(1),
            "[warning] test.example/talker (test.example/talkers): said text=\\x1b[2J rows=12");
  EXPECT_EQ(error_output([&] { echo->say("").value(); }).at(1),
            "[warning] test.example/talker (test.example/talkers): said text=\"\" rows=12");
}

TEST_F(LogTest, LinesOfTheHostHaveNoPackage) {
  Host host(options(LogLevel::debug));
  auto echo = host.create<test::Echo>(sdk_talker).value();
  const Texts lines = take_own();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("1 test.example/sdk-talker 1.0.0: loaded, generation 1"))
      << lines[0];
}

// -- Levels -------------------------------------------------------------------------

TEST_F(LogTest, PluginsSeeTheLevelOfTheHost) {
  const std::pair<LogLevel, std::string> expected[] = {
      {LogLevel::trace, "+++++"}, {LogLevel::debug, "-++++"}, {LogLevel::info, "--+++"},
      {LogLevel::warn, "---++"},  {LogLevel::error, "----+"}, {LogLevel::off, "-----"}};
  for (const auto& [level, wanted] : expected) {
    Host host(options(level));
    EXPECT_EQ(host.create<test::Echo>(talker).value()->say("levels").value(), wanted + wanted);
    EXPECT_EQ(host.create<test::Echo>(sdk_talker).value()->say("levels").value(), wanted);
  }
}

TEST_F(LogTest, UnknownLevelsBecomeTheNearest) {
  Host host(options(LogLevel::trace));
  auto echo = host.create<test::Echo>(talker).value();
  take_lines();
  echo->say("loud").value();
  EXPECT_EQ(take_lines(), (Texts{"4 test.example/talker (test.example/talkers): loud",
                                 "0 test.example/talker (test.example/talkers): loud"}));
}

TEST_F(LogTest, HostsHaveSeparateLevels) {
  Host loud(options(LogLevel::trace));
  Host quiet(options(LogLevel::off));
  auto first = loud.create<test::Echo>(talker).value();
  auto second = quiet.create<test::Echo>(talker).value();
  EXPECT_EQ(first->say("levels").value(), "++++++++++");
  EXPECT_EQ(second->say("levels").value(), "----------");
}

TEST_F(LogTest, EnvironmentOverridesTheLevel) {
  set_variable("LOG_TEST_LOG", "info");
  Host host(options(LogLevel::off));
  EXPECT_EQ(host.create<test::Echo>(sdk_talker).value()->say("levels").value(), "--+++");
  EXPECT_EQ(codes(host.problems()), Texts());
}

TEST_F(LogTest, WarnsOfAWrongLevelInTheEnvironment) {
  set_variable("LOG_TEST_LOG", "loud");
  Host host(options());
  EXPECT_EQ(host.create<test::Echo>(sdk_talker).value()->say("levels").value(), "---++");
  ASSERT_EQ(codes(host.problems()), Texts{"bad-log-level"});
  const Error warning = host.problems()[0];
  EXPECT_EQ(warning.severity(), Severity::warning);
  EXPECT_EQ(warning.where(), "$LOG_TEST_LOG");
  EXPECT_EQ(warning.found(), "loud");
  EXPECT_EQ(warning.needed(), "trace, debug, info, warn, error or off");
  ASSERT_EQ(take_own().size(), 1u);
}

TEST_F(LogTest, DiscardedLinesAllocateNothing) {
  for (const char* plugin : {talker, sdk_talker}) {
    Host host(options());
    auto echo = host.create<test::Echo>(plugin).value();
    take_lines();
    const auto allocations_of = [&](std::string_view text) {
      Call call;
      for (int i = 0; i < 2; ++i) {
        call.reset();
        allocations = 0;
        EXPECT_EQ(echo->say(call, text).value(), text);
      }
      return allocations;
    };
    const std::size_t discarding = allocations_of("discard");
    EXPECT_EQ(take_lines(), Texts());
    EXPECT_EQ(discarding, 0u) << plugin;
    EXPECT_GT(allocations_of("hello"), 0u) << plugin;
  }
}

// -- Sinks ----------------------------------------------------------------------------

TEST_F(LogTest, WarningsGoToStandardErrorWithoutASink) {
  Host host(without_sink(options()));
  Texts lines = error_output([&] {
    auto echo = host.create<test::Echo>(sdk_talker).value();
    echo->say("discard").value();
    echo->say("thread").value();
  });
  EXPECT_EQ(lines, (Texts{"[warning] test.example/sdk-talker: start version=1",
                          "[warning] test.example/sdk-talker: on a thread"}));
}

TEST_F(LogTest, LinesGoToStandardErrorIfTheSinkThrows) {
  HostOptions options = this->options();
  options.log_sink = [](const LogLine& line) {
    if (line.message == "host") throw 1;
    if (line.plugin == talker) throw std::runtime_error("the disk is full");
  };
  Host host(options);
  const Texts lines = error_output([&] {
    auto echo = host.create<test::Echo>(talker).value();
    EXPECT_EQ(echo->say("host").value(), "host");
  });
  EXPECT_EQ(lines,
            (Texts{"[warning] the log sink of the host threw: the disk is full",
                   "[warning] test.example/talker (test.example/talkers): create",
                   "[warning] the log sink of the host threw: something that is no std::exception",
                   "[warning] test.example/talker (test.example/talkers): host",
                   "[warning] the log sink of the host threw: the disk is full",
                   "[warning] test.example/talker (test.example/talkers): destroy"}));
}

TEST_F(LogTest, LinesReportExceptionsOfTheEventListener) {
  HostOptions options = this->options();
  options.on_event = [](const Event& event) {
    if (event.type == Event::Type::loaded) throw std::runtime_error("the disk\nis full");
    if (event.type == Event::Type::restarted) throw 1;
  };
  Host host(options);
  const auto echo = host.create<test::Echo>(talker).value();
  host.restart(package).value();
  EXPECT_EQ(take_own(),
            (Texts{"4 the event listener of the host threw an exception: the disk\\x0ais full",
                   "4 the event listener of the host threw the number 1"}));
}

TEST_F(LogTest, SinksMayCallTheHostAndPlugins) {
  std::optional<Host> host;
  std::optional<Handle<test::Echo>> echo;
  HostOptions options = this->options();
  options.log_sink = [&](const LogLine& line) {
    if (!echo || line.message != "host") return;
    EXPECT_EQ(host->modules().size(), 3u);
    EXPECT_EQ((*echo)->say("again").value(), "again");
  };
  host.emplace(options);
  echo = host->create<test::Echo>(talker).value();
  const Texts lines = error_output([&] { (*echo)->say("host").value(); });
  EXPECT_EQ(lines, (Texts{"[warning] test.example/talker (test.example/talkers): again",
                          "[warning] test.example/talker (test.example/talkers): said text=again "
                          "rows=12"}));
}

TEST_F(LogTest, SinksRunOnSeveralThreadsAtOnce) {
  std::atomic<int> inside{0};
  std::atomic<int> lines{0};
  HostOptions options = this->options();
  options.log_sink = [&](const LogLine& line) {
    if (line.message == "host") {
      ++inside;
      while (inside.load() < 2) std::this_thread::yield();  // waits for the other thread
    }
    ++lines;
  };
  Host host(options);
  auto first = host.create<test::Echo>(talker).value();
  auto second = host.create<test::Echo>(talker).value();
  lines = 0;
  const auto talk = [](test::Echo& echo) {
    echo.say("host").value();
    for (int i = 0; i < 1000; ++i) echo.say("hello").value();
  };
  std::thread other([&] { talk(*second); });
  talk(*first);
  other.join();
  EXPECT_EQ(lines.load(), 2 * (1 + 2000));
}

TEST_F(LogTest, SinksAreNotCalledAfterTheHostEnds) {
  std::optional<Host> host(options());
  auto echo = host->create<test::Echo>(talker).value();
  host.reset();
  take_lines();
  const Texts lines = error_output([&] { echo->say("host").value(); });
  EXPECT_EQ(lines, (Texts{"[warning] test.example/talker (test.example/talkers): host"}));
  EXPECT_EQ(take_lines(), Texts());
}

TEST_F(LogTest, HostWaitsForTheSinkAtItsEnd) {
  std::atomic<bool> inside{false};
  std::atomic<bool> ended{false};
  HostOptions options = this->options();
  options.log_sink = [&](const LogLine& line) {
    if (line.message != "host") return;
    inside = true;
    std::this_thread::sleep_for(
        std::chrono::milliseconds(50));  // lets the host end first if it does not wait
    EXPECT_FALSE(ended.load());
  };
  std::optional<Host> host(options);
  auto echo = host->create<test::Echo>(talker).value();
  std::thread talking([&] { echo->say("host").value(); });
  while (!inside) std::this_thread::yield();
  host.reset();
  ended = true;
  talking.join();
}

}}  // namespace tenon::tests
