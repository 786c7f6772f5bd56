// SPDX-License-Identifier: BSL-1.0
//
// Hosts that are destroyed during events and calls.
#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/echo.hpp>
#include <test/probe.hpp>
#include <test/vault.hpp>
#ifndef _WIN32
#include <dirent.h>
#include <dlfcn.h>
#endif

#include <atomic>
#include <memory>
#include <thread>

#include "integration/hosting.hpp"

#ifndef _WIN32
namespace {
std::atomic<bool> directories_hang{false};
std::atomic<bool> directory_opened{false};  // while directories hang
}  // namespace

/// Replaces the function of the system. It hangs like one of a network file system.
extern "C" DIR* opendir(const char* name) {
  static const auto next = reinterpret_cast<DIR* (*)(const char*)>(dlsym(RTLD_NEXT, "opendir"));
  if (directories_hang.load()) {
    directory_opened = true;
    if (!tenon::tests::eventually([] { return !directories_hang.load(); }))
      directories_hang = false;
  }
  return next(name);
}
#endif

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

class HostEnd : public Hosting {
 protected:
  static constexpr const char* counters = "test.example/counters";
};

/// The cause of the event in which the listener destroys the host.
class ListenerEndsHost : public HostEnd, public testing::WithParamInterface<const char*> {};

TEST_P(ListenerEndsHost, GetsNoFurtherEvents) {
  const std::string cause = GetParam();
  place("counter-1.so", "counter.so");
  std::unique_ptr<Host> host;
  std::atomic<bool> ended{false};
  std::atomic<bool> gone{false};
  std::atomic<int> later{0};
  HostOptions options = short_drain();
  options.watch = cause == "watch";
  options.on_event = [&](const Event& event) {
    if (gone) ++later;
    const bool ends = cause == "load" ? event.type == Event::Type::loaded
                                      : event.type == Event::Type::restarted ||
                                            event.type == Event::Type::faulted;
    if (!ends || ended.exchange(true)) return;
    host = nullptr;
    gone = true;
  };
  host = std::make_unique<Host>(options);
  {
    auto counter = host->create<test::Counter>("counter");
    if (cause != "load") {
      ASSERT_TRUE(counter);
      if (cause == "restart") {
        EXPECT_TRUE(host->restart(counters));
      } else if (cause == "fault") {
        EXPECT_FALSE((*counter)->refuse(TENON_INTERNAL | TENON_FATAL, "broken"));
      } else {
        place("counter-2.so", "counter.so");
      }
    }
    EXPECT_TRUE(eventually([&] { return gone.load(); }));
    EXPECT_TRUE(!counter || (*counter)->edition()) << "the handle stays usable";
  }
  EXPECT_TRUE(eventually([] { return !is_mapped("counter.g"); }));
  EXPECT_EQ(later, 0);
}

INSTANTIATE_TEST_SUITE_P(Causes, ListenerEndsHost,
                         testing::Values("load", "restart", "fault", "watch"),
                         [](const auto& info) { return std::string(info.param); });

TEST_F(HostEnd, StopsEventsWhileHandlesLive) {
  place("counter-1.so", "counter.so");
  auto host = std::make_unique<Host>(options());
  auto counter = std::make_optional(host->create<test::Counter>("counter").value());
  host = nullptr;
  const std::size_t before = events().size();
  EXPECT_EQ(counter.value()->add(2).value(), 2);
  counter.reset();
  EXPECT_FALSE(is_mapped("counter.g1"));
  EXPECT_EQ(events().size(), before);
}

TEST_F(HostEnd, ReturnsErrorsToAListenerThatUsesTheHost) {
  place("counter-1.so", "counter.so");
  Host* host = nullptr;
  std::atomic<bool> inside{false};
  Texts errors;
  std::size_t listed = 0;
  HostOptions options = short_drain();
  options.on_event = [&](const Event& event) {
    if (event.type != Event::Type::restarted) return;
    inside = true;
    if (!eventually([&] { return !host->problems().empty(); })) return;
    errors = codes({host->problems().at(0), host->create<test::Counter>("counter").error(),
                    host->find_all("counter").error(), host->restart(counters).error(),
                    host->restart_changed().failed.at(0), host->resolve({}).errors.at(0)});
    listed = host->modules().size() + host->packages().size() + host->registered().size();
    host->rescan();
  };
  auto owner = std::make_unique<Host>(options);
  host = owner.get();
  auto counter = std::make_optional(host->create<test::Counter>("counter").value());
  EXPECT_FALSE((*counter)->refuse(TENON_INTERNAL | TENON_FATAL, "broken"));
  ASSERT_TRUE(eventually([&] { return inside.load(); }));
  counter.reset();
  owner = nullptr;
  EXPECT_EQ(errors, Texts(6, "host-ended"));
  EXPECT_EQ(listed, 0U);
}

TEST_F(HostEnd, KeepsCodeMappedForACallInAStream) {
  place("giver-1.so", "outlived.so");
  place("taker-1.so", "taker.so");
  place("stream-1.so", "stream.so");
  auto host = std::make_unique<Host>(short_drain());
  std::atomic<bool> inside{false};
  std::atomic<bool> let_go{false};
  host_echo_says = [&](std::string_view) {
    inside = true;
    return eventually([&] { return let_go.load(); }) ? "go on" : "";
  };
  auto vault = std::make_optional(host->create<test::Vault>("giver-vault").value());
  auto reader = vault.value()->get("asks").value().body;
  std::string code;
  std::thread reading([&] {
    std::uint8_t room[8];
    const auto read = reader.read(room);
    code = read ? "" : std::string(read.error().code());
  });
  ASSERT_TRUE(eventually([&] { return inside.load(); }));
  vault.reset();
  host = nullptr;
  EXPECT_TRUE(is_mapped("outlived.g1")) << "the call is still active";
  let_go = true;
  reading.join();
  EXPECT_EQ(code, "aborted");
}

/// The echo of the host, whose start waits.
struct LateEcho {
  static inline std::atomic<bool> starts{false};
  static inline std::atomic<bool> let_go{false};
  static inline std::atomic<bool> stopped{false};

  static const tenon_module* module() {
    static const tenon_module late = [] {
      tenon_module made = *host_echo();
      made.start = [](tenon_call*, const tenon_host*) -> tenon_status {
        starts = true;
        return eventually([] { return let_go.load(); }) ? TENON_OK : TENON_INTERNAL;
      };
      made.stop = [] { stopped = true; };
      return made;
    }();
    return &late;
  }
};

TEST_F(HostEnd, StopsAModuleThatStartsLate) {
  place_fault("thread-calls-host", "echo.so");
  LateEcho::starts = LateEcho::let_go = LateEcho::stopped = false;
  HostOptions options = short_drain();
  options.builtins = {LateEcho::module()};
  options.restart.step_timeout = 200ms;
  auto host = std::make_unique<Host>(options);
  {
    auto echo = host->create<test::Echo>("echo").value();
    ASSERT_TRUE(eventually([] { return LateEcho::starts.load(); })) << "for a thread of the module";
  }
  host = nullptr;
  EXPECT_FALSE(LateEcho::stopped);
  LateEcho::let_go = true;
  EXPECT_TRUE(eventually([] { return LateEcho::stopped.load(); }));
  EXPECT_TRUE(eventually([] { return !is_mapped("echo.g1"); })) << "its thread has ended";
}

TEST_F(HostEnd, ToleratesAPluginThatDetachesTheThreadsOfTheHost) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer ends the process at pthread_tryjoin_np of a detached thread";
#endif
  place_fault("good", "echo.so");
  Host host(options());
  auto echo = host.create<test::Echo>("echo").value();
  place_fault("thread-detached", "echo.so");
  for (int restarts = 0; restarts < 3; ++restarts) {
    ASSERT_TRUE(host.restart("test.example/faults"));
    EXPECT_EQ(echo->say("hello").value(), "2: hello");
  }
}

#ifndef _WIN32  // nothing is watched, and no function can be replaced
TEST_F(HostEnd, DoesNotWaitForARescan) {
  place("counter-1.so", "counter.so");
  std::unique_ptr<Host> host;
  HostOptions options = short_drain();
  options.watch = true;
  options.on_event = [&](const Event& event) {
    if (event.type != Event::Type::restarted) return;
    directories_hang = true;
    host->rescan();
  };
  host = std::make_unique<Host>(options);
  {
    auto counter = host->create<test::Counter>("counter").value();
    EXPECT_FALSE(counter->refuse(TENON_INTERNAL | TENON_FATAL, "broken"));
    ASSERT_TRUE(eventually([] { return directory_opened.load(); }));
  }
  host = nullptr;
  EXPECT_TRUE(directories_hang.exchange(false));
  EXPECT_TRUE(eventually([] { return !is_mapped("counter.g2"); })) << "the rescan has ended";
}
#endif

// A restart compares the file with the lock file. For a large file, this takes so long that some of
// the hosts end meanwhile.
TEST_F(HostEnd, WaitsForARestartThatChecksTheFile) {
  place("counter-1.so", "counter.so");
  std::filesystem::resize_file(placed("counter.so"), 16 << 20);
  HostOptions options = this->options();
  options.lock_file = world_.root() / "tenon.lock";
  ASSERT_TRUE(Host(this->options()).write_lock(options.lock_file));
  for (int delay = 0; delay < 60; delay += 4) {
    {
      Host host(options);
      auto counter = host.create<test::Counter>("counter").value();
      ASSERT_FALSE(counter->refuse(TENON_INTERNAL | TENON_FATAL, "broken"));
      std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    }
    EXPECT_FALSE(is_mapped("counter.g1")) << "after " << delay << " ms";
  }
  const std::vector<Event> all_failed = events(Event::Type::restart_failed);
  EXPECT_FALSE(all_failed.empty());
  for (const Event& failed : all_failed) {
    EXPECT_TRUE(failed.message.ends_with("restart-refused: the host has ended")) << failed.message;
  }
}

}}  // namespace tenon::tests
