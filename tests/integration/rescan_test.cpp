// SPDX-License-Identifier: BSL-1.0
//
// Rescans of a host while its plugins are in use.
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <test/probe.hpp>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

class Rescan : public Hosting {
 protected:
  Rescan() { place("probe-1.so", "probe.so"); }
};

TEST_F(Rescan, KeepsModulesWhileHandlesComeAndGo) {
  Host host(options());
  std::atomic<bool> done{false};
  std::thread rescanning([&] {
    while (!done.load()) host.rescan();
  });
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    auto probe = host.create<test::Probe>("probe");
    EXPECT_TRUE(probe);
    EXPECT_EQ(module(host, probes).instances, 1u) << "in round " << i;
    EXPECT_EQ(host.restart(probes).value(), RestartOutcome::restarted);
  }
  done.store(true);
  rescanning.join();
}

TEST_F(Rescan, KeepsTheManifestOfAModuleInUseUntilItRestarts) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  place("probe-2.so", "probe.so");
  host.rescan();
  EXPECT_EQ(host.find<test::Probe>("probe").value().package_version(), "1.0.0");
  ASSERT_TRUE(host.restart(probes));
  EXPECT_EQ(host.find<test::Probe>("probe@2.0.0").value().package_version(), "2.0.0");
}

TEST_F(Rescan, FollowsAFileThatWasAbsent) {
  Host host(options());
  auto probe = host.create<test::Probe>("probe").value();
  fs::remove(placed("probe.so"));
  host.rescan();
  place("probe-2.so", "probe.so");
  host.rescan();
  ASSERT_TRUE(host.restart(probes));
  EXPECT_EQ(probe->edition().value(), 2);
  EXPECT_EQ(host.registered().size(), 2u) << "one probe and the builtin";
}

TEST_F(Rescan, FindsTheNewManifestDuringTheRestartedEvent) {
  std::string found;
  const Host* asked = nullptr;
  HostOptions options = this->options();
  options.on_event = [&](const Event& event) {
    if (event.type != Event::Type::restarted) return;
    const auto probe = asked->find<test::Probe>("probe@2.0.0");
    found = probe ? probe.value().package_version() : std::string(probe.error().code());
  };
  Host host(options);
  asked = &host;
  auto probe = host.create<test::Probe>("probe").value();
  place("probe-2.so", "probe.so");
  ASSERT_TRUE(host.restart(probes));
  EXPECT_EQ(found, "2.0.0");
}

TEST_F(Rescan, IsNotNeededAfterTheFirstLoad) {
  Host host(options());
  place("probe-2.so", "probe.so");
  EXPECT_FALSE(host.find<test::Probe>("probe@2.0.0"));
  auto probe = host.create<test::Probe>("probe").value();
  EXPECT_TRUE(host.find<test::Probe>("probe@2.0.0"));
}

/// Counts how often a file was opened and closed.
class ReadWatch {
 public:
  explicit ReadWatch(const fs::path& file)
      : queue_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)),
        watch_(inotify_add_watch(queue_, file.c_str(), IN_OPEN | IN_CLOSE_NOWRITE)) {}
  ~ReadWatch() { close(queue_); }
  ReadWatch(const ReadWatch&) = delete;
  ReadWatch& operator=(const ReadWatch&) = delete;

  bool works() const { return watch_ >= 0; }
  int opened() {
    look();
    return opened_;
  }
  int closed() {
    look();
    return closed_;
  }

 private:
  void look() {
    alignas(inotify_event) char events[4096];
    for (ssize_t size; (size = read(queue_, events, sizeof events)) > 0;) {
      for (const char* at = events; at < events + size;) {
        const auto& event = *reinterpret_cast<const inotify_event*>(at);
        opened_ += (event.mask & IN_OPEN) != 0 ? 1 : 0;
        closed_ += (event.mask & IN_CLOSE_NOWRITE) != 0 ? 1 : 0;
        at += sizeof event + event.len;
      }
    }
  }

  const int queue_;
  const int watch_;
  int opened_ = 0;
  int closed_ = 0;
};

TEST_F(Rescan, NeverBlocksReadersOfTheCatalog) {
  const auto first = placed("probe.so");
  const auto second = placed("probe-again.so");
  Host host(options());
  fs::copy_file(first, second);
  for (const auto& file : {first, second}) fs::resize_file(file, 200 << 20);
  ReadWatch watch(first);
  ASSERT_TRUE(watch.works());
  // A read of the catalog must begin and end while the files are compared. If the reader gets no
  // processor time in between, the comparison is repeated.
  bool read_meanwhile = false;
  for (int round = 0; round < 20 && !read_meanwhile; ++round) {
    fs::last_write_time(second, fs::file_time_type::clock::now());
    const int scanned = watch.opened() + 1;
    std::atomic<bool> done{false};
    std::thread rescanning([&] {
      host.rescan();
      done.store(true);
    });
    while (watch.opened() <= scanned && !done.load()) std::this_thread::yield();
    const bool comparing = watch.closed() == scanned;
    EXPECT_TRUE(host.find<test::Probe>("probe"));
    EXPECT_GE(host.modules().size(), 2u);
    EXPECT_FALSE(host.packages().empty());
    read_meanwhile = comparing && watch.closed() == scanned;
    rescanning.join();
  }
  EXPECT_TRUE(read_meanwhile);
  EXPECT_EQ(codes(host.problems()), Texts{"duplicate-file"});
}

}}  // namespace tenon::tests
