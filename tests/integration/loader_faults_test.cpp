// SPDX-License-Identifier: BSL-1.0
//
// Fault injection into the loader: each of its requests to the system fails in turn, in each way.
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <test/counter.hpp>
#include <test/echo.hpp>
#include <test/probe.hpp>
#include <test/session_counter.hpp>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "binary/bundle.hpp"
#include "framework/faulty.h"
#include "framework/faulty_inside.hpp"
#include "image/image.hpp"
#include "integration/hosting.hpp"
#include "integration/script.hpp"
#include "platform/replace_file.hpp"

namespace tenon::tests { namespace {

using detail::max_file_size;
using detail::read_bundle;

template <class T>
void expect_error(const Result<T>& result) {
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().code(), "");
  EXPECT_NE(result.error().to_string(), "");
}

class LoaderFaults : public Hosting {
 protected:
  static constexpr const char* counters = "test.example/counters";
  static constexpr const char* session_counters = "test.example/session-counters";
  static constexpr const char* echoes = "test.example/faults";

  /// Options without a listener, whose allocations would fail too.
  HostOptions quiet() const { return {.app = "", .plugin_path = {world_.plugins()}}; }

  std::vector<Request> for_each_fault(const InsideScenario& scenario) const {
    return tests::for_each_fault(world_.root(), scenario);
  }

  std::optional<Host> host_;
};

// -- Hosts --------------------------------------------------------------------

class HostFaults : public LoaderFaults {
 protected:
  HostFaults() {
    place("counter-1.so");
    std::filesystem::create_directories(world_.plugins() / "faults/1.0.0");
    place_fault("good", "faults/1.0.0/echo.so");
  }
  HostOptions watching() const {
    HostOptions options = quiet();
    options.watch = true;
    return options;
  }
  /// Expects each module to be registered, or an error that explains why not.
  static void expect_all_or_errors(const Host& host) {
    const auto all = host.registered();
    EXPECT_TRUE(all.size() == 2 || !host.problems().empty()) << all.size();
    for (const Error& error : host.problems()) EXPECT_NE(error.code(), "");
  }
};

TEST_F(HostFaults, AreReportedDuringConstruction) {
  for_each_fault({
      .prepare = [] {},
      .run = [&] { host_.emplace(watching()); },
      .check =
          [&](const Fault* fault) {
            if (host_) {
              expect_all_or_errors(*host_);
              if (fault == nullptr) {
                EXPECT_EQ(host_->registered().size(), 2u);
              }
              host_->rescan();
              EXPECT_EQ(host_->registered().size(), 2u);
              EXPECT_TRUE(host_->create<test::Counter>("counter"));
            }
            host_.reset();
            const Host second(watching());
            EXPECT_EQ(second.registered().size(), 2u);
            EXPECT_EQ(codes(second.problems()), Texts());
          },
  });
}

TEST_F(HostFaults, AreReportedDuringARescan) {
  for_each_fault({
      .prepare =
          [&] {
            std::filesystem::remove(world_.plugins() / "faults/1.0.0/echo.so");
            host_.emplace(watching());
            place_fault("good", "faults/1.0.0/echo.so");
          },
      .run = [&] { host_->rescan(); },
      .check =
          [&](const Fault* fault) {
            if (fault == nullptr || fault->request.name != "allocation") {
              expect_all_or_errors(*host_);
            }
            host_->rescan();
            EXPECT_EQ(host_->registered().size(), 2u);
            EXPECT_EQ(codes(host_->problems()), Texts());
            host_.reset();
          },
  });
}

// -- Modules ------------------------------------------------------------------

class LoadFaults : public LoaderFaults {
 protected:
  using Echo = tenon::Handle<test::Echo>;

  /// Leaves an image directory of a killed host.
  void leave_directory() const {
    world_.write("tenon-killed/lock", "files of one process of tenon\n");
    world_.write("tenon-killed/echo.g1.so", "");
    std::filesystem::permissions(world_.root() / "tenon-killed", std::filesystem::perms::owner_all);
  }

  /// Creates an instance, which loads its module. Expects that nothing stays loaded unless the
  /// create succeeded.
  void expect_load_or_nothing(const HostOptions& options) {
    std::optional<Result<Echo>> echo;
    for_each_fault({
        .prepare =
            [&] {
              leave_directory();
              host_.emplace(options);
            },
        .run = [&] { echo.emplace(host_->create<test::Echo>("test.example/echo")); },
        .check =
            [&](const Fault* fault) {
              const bool created = echo && *echo;
              if (echo && !created) expect_error(*echo);
              EXPECT_TRUE(created || fault != nullptr);
              EXPECT_EQ(module(*host_, echoes).loaded, created);
              EXPECT_EQ(module(*host_, echoes).instances, created ? 1u : 0u);
              std::filesystem::remove_all(world_.root() / "tenon-killed");
              EXPECT_TRUE(created || copies().empty());
              EXPECT_EQ(is_mapped("echo"), created);
              echo.reset();
              EXPECT_TRUE(host_->create<test::Echo>("test.example/echo").value()->say("hello"));
              host_.reset();
            },
    });
  }
};

TEST_F(LoadFaults, LeaveNothingAfterTheFirstCreate) {
  place_fault("good", "echo.so");
  expect_load_or_nothing(quiet());
}

TEST_F(LoadFaults, LeaveNothingOfLibrariesBesideAModule) {
  place_fault("sibling-user", "echo.so");
  world_.write("lib/libtests-sibling.so.1", read_file(FAULTS "/sibling-1.so"));
  world_.write("lib/libtests-deep.so.1", read_file(FAULTS "/deep.so"));
  expect_load_or_nothing(quiet());
}

TEST_F(LoadFaults, LeaveNothingWithMapOriginal) {
  place_fault("good", "echo.so");
  HostOptions options = quiet();
  options.load_in_place = true;
  expect_load_or_nothing(options);
}

TEST_F(LoadFaults, LeaveNothingOfACopyInMemory) {
  place_fault("good", "echo.so");
  const std::filesystem::path file = placed("echo.so");
  std::optional<Result<detail::Image>> image;
  const auto load = [&]() -> Result<detail::Image> {
    const auto open = platform::File::open(file);
    if (!open) return open.error();
    auto content = open->read_all(max_file_size);
    if (!content) return std::move(content).error();
    auto bundle = read_bundle(std::move(*content), file);
    if (!bundle) return std::move(bundle).error();
    return detail::Image::load(std::make_shared<detail::ImageDirectory>(detail::ImageOptions{
                                   .storage = detail::ImageOptions::Storage::memory}),
                               std::move(*bundle), {.joins_threads = true});
  };
  for_each_fault({
      .prepare = [] {},
      .run = [&] { image.emplace(load()); },
      .check =
          [&](const Fault* fault) {
            if (image && !*image) expect_error(*image);
            EXPECT_TRUE(fault != nullptr || *image);
            image.reset();
            EXPECT_TRUE(load());
          },
  });
}

// -- Exchanged files ----------------------------------------------------------

/// Exchanges files before each request of a load to the system, as another process could. The new
/// file answers with another number, and must never answer.
class ExchangedFiles : public LoaderFaults {
 protected:
  /// `prepare` places the files and returns the options of the host, `exchange` replaces them. The
  /// load must succeed with the first files, or fail with one of the codes.
  void expect_first_or_error(const std::function<HostOptions()>& prepare,
                             std::function<void()> exchange, const Texts& codes) {
    const Loads loads = load_with(prepare, std::move(exchange), codes);
    EXPECT_GT(loads.refused, 0U) << "exchanges before the file was read";
    EXPECT_LT(loads.refused, loads.requests) << "exchanges after it was read";
  }

  struct Loads {
    std::size_t requests = 0;  // of one load
    std::size_t refused = 0;   // loads
  };
  Loads load_with(const std::function<HostOptions()>& prepare, std::function<void()> exchange,
                  const Texts& codes) {
    now = std::move(exchange);
    Loads loads;
    for (std::size_t moment = 0; moment <= loads.requests; ++moment) {
      host_.emplace(prepare());
      const std::string log = world_.write("requests", "").string();
      faulty_begin(world_.root().c_str(), "", log.c_str(), 0, 0);
      if (moment != 0) faulty_act(static_cast<long>(moment), [] { now(); });
      auto echo = host_->create<test::Echo>("test.example/echo");
      faulty_end();
      if (moment == 0) loads.requests = read_requests(log, world_.root()).size();
      if (echo) {
        EXPECT_EQ((*echo)->say("hello").value(), "1: hello") << moment;
        EXPECT_LT((*echo)->count().value(), calls_of_second_sibling) << moment;
      } else {
        ++loads.refused;
        EXPECT_TRUE(std::ranges::find(codes, echo.error().code()) != codes.end())
            << moment << ": " << echo.error().to_string();
      }
      host_.reset();
    }
    EXPECT_GT(loads.requests, 5U);
    return loads;
  }
  HostOptions locked() {
    const std::filesystem::path lock = world_.path("tenon.lock");
    EXPECT_TRUE(Host(quiet()).write_lock(lock));
    HostOptions options = quiet();
    options.lock_file = lock;
    return options;
  }
  void place_files() const {
    std::filesystem::remove_all(world_.plugins());
    std::filesystem::remove_all(world_.root() / "other");
    std::filesystem::create_directory(world_.plugins());
    place_fault("good", "echo.so");
    std::filesystem::create_directory(world_.root() / "other");
    std::filesystem::copy_file(FAULTS "/good-edition-2.so", world_.root() / "other/echo.so");
  }
  void exchange_file() const {
    std::filesystem::rename(world_.root() / "other/echo.so", placed("echo.so"));
  }

 private:
  // One call of the module, one of the second edition of its library, one of the library below.
  static constexpr std::int64_t calls_of_second_sibling = 1 + 2001 + 1001;

  static inline std::function<void()> now;
};

TEST_F(ExchangedFiles, AreNotLoadedAgainstALock) {
  const auto prepare = [this] {
    place_files();
    return locked();
  };
  expect_first_or_error(prepare, [this] { exchange_file(); }, {"lock-differs", "file-changed"});
}

TEST_F(ExchangedFiles, AreNotLoadedFromAnotherDirectory) {
  const auto prepare = [this] {
    place_files();
    return locked();
  };
  const auto exchange = [this] {
    std::filesystem::rename(world_.plugins(), world_.root() / "old");
    std::filesystem::rename(world_.root() / "other", world_.plugins());
    std::filesystem::remove_all(world_.root() / "old");
  };
  expect_first_or_error(prepare, exchange, {"lock-differs", "file-changed"});
}

TEST_F(ExchangedFiles, OfOthersAreNotLoadedByRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "only root refuses the files of others";
  const auto prepare = [this] {
    place_files();
    EXPECT_EQ(chown((world_.root() / "other/echo.so").c_str(), 1, 1), 0);
    return quiet();
  };
  expect_first_or_error(prepare, [this] { exchange_file(); }, {"untrusted-owner", "file-changed"});
}

TEST_F(ExchangedFiles, BesideAModuleAreNotLoaded) {
  const auto prepare = [this] {
    place_fault("sibling-user", "echo.so");
    world_.write("lib/libtests-deep.so.1", read_file(FAULTS "/deep.so"));
    world_.write("lib/libtests-sibling.so.1", read_file(FAULTS "/sibling-1.so"));
    world_.write("other", read_file(FAULTS "/sibling-2.so"));
    return locked();
  };
  const auto exchange = [this] {
    std::filesystem::rename(world_.root() / "other", world_.root() / "lib/libtests-sibling.so.1");
  };
  expect_first_or_error(prepare, exchange, {"lock-differs", "file-changed"});
}

/// Runs `act` on this thread as another user, without any rights of root.
void act_as_another_user(const std::function<void()>& act) {
  // The functions of the standard library would change the user of every thread.
  ASSERT_EQ(syscall(SYS_setresuid, -1, 1, -1), 0);
  act();
  ASSERT_EQ(syscall(SYS_setresuid, -1, 0, -1), 0);
}

TEST_F(ExchangedFiles, AreNoPrivateCopies) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to act as another user";
  // As /tmp: everybody may create files, and replace only their own.
  std::filesystem::permissions(world_.root(),
                               std::filesystem::perms::all | std::filesystem::perms::sticky_bit);
  const auto prepare = [this] {
    place_files();
    return quiet();
  };
  std::size_t attempts = 0;
  const auto exchange = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(world_.root())) {
      const std::filesystem::path& path = entry.path();
      if (!path.filename().string().starts_with("tenon-")) continue;
      ++attempts;
      act_as_another_user([&] {
        EXPECT_NE(std::rename(path.c_str(), (world_.root() / "taken").c_str()), 0);
        EXPECT_LT(open((path / "echo.g1.so").c_str(), O_RDONLY), 0);
        EXPECT_LT(open((path / "planted.so").c_str(), O_WRONLY | O_CREAT, 0600), 0);
        EXPECT_NE(std::rename((placed("echo.so")).c_str(), (path / "echo.g1.so").c_str()), 0);
      });
    }
  };
  EXPECT_EQ(load_with(prepare, exchange, {}).refused, 0U);
  EXPECT_GT(attempts, 3U) << "requests while there are copies";
}

TEST_F(LoadFaults, LeaveALoadedModuleUnchanged) {
  place("probe-1.so", "probe.so");
  std::optional<Handle<test::Probe>> kept;
  std::optional<Result<Handle<test::Probe>>> probe;
  for_each_fault({
      .prepare =
          [&] {
            host_.emplace(quiet());
            kept = host_->create<test::Probe>("probe").value();
          },
      .run = [&] { probe.emplace(host_->create<test::Probe>("probe")); },
      .check =
          [&](const Fault*) {
            const bool created = probe && *probe;
            if (probe && !created) expect_error(*probe);
            EXPECT_EQ(module(*host_, probes).instances, created ? 2u : 1u);
            EXPECT_TRUE(host_->restart(probes));
            EXPECT_TRUE((*kept)->edition());
            probe.reset();
            kept.reset();
            host_.reset();
          },
  });
}

// -- Restarts -----------------------------------------------------------------

/// A counter with a total of one, whose module is restarted. Afterwards all responses come from
/// either the old or the new code, with the same total.
template <class Kind>
class RestartFaults : public LoaderFaults {
 protected:
  /// Opens the session of the counter, if its kind has one.
  static void begin(Handle<Kind>& counter) {
    if constexpr (requires { counter->open(); }) {
      EXPECT_TRUE(counter->open());
    }
  }

  void expect_old_or_new(const char* package, const std::string& name, const std::string& builds) {
    std::optional<Handle<Kind>> counter;
    std::optional<Result<RestartOutcome>> restarted;
    for_each_fault({
        .prepare =
            [&] {
              place(builds + "-1.so", "counter.so");
              host_.emplace(quiet());
              counter = host_->create<Kind>(name, {{"first", "0"}}).value();
              begin(*counter);
              EXPECT_EQ((*counter)->add(1).value(), 1);
              place(builds + "-2.so", "counter.so");
            },
        .run = [&] { restarted.emplace(host_->restart(package)); },
        .check =
            [&](const Fault* fault) {
              const bool done = restarted && *restarted;
              if (restarted && !done) expect_error(*restarted);
              EXPECT_TRUE(done || fault != nullptr);
              EXPECT_EQ((*counter)->edition().value(), done ? 2 : 1);
              EXPECT_EQ((*counter)->total().value().total, 1);
              const auto again = host_->restart(package);
              EXPECT_TRUE(again) << again.error().to_string();
              EXPECT_EQ((*counter)->edition().value(), 2);
              begin(*counter);
              EXPECT_EQ((*counter)->add(1).value(), 2);
              counter.reset();
              restarted.reset();
              host_.reset();
            },
    });
  }
};

using CounterFaults = RestartFaults<test::Counter>;
TEST_F(CounterFaults, LeaveTheOldOrTheNewCodeAfterARestart) {
  expect_old_or_new(counters, "counter", "counter");
}

using SessionFaults = RestartFaults<test::SessionCounter>;
TEST_F(SessionFaults, LeaveTheOldOrTheNewCodeAfterARestart) {
  expect_old_or_new(session_counters, "session-counter", "session-counter");
}

// -- Background threads -------------------------------------------------------

/// All requests of one sort fail for some time, while background threads of a host need them.
class BackgroundFaults : public LoaderFaults {
 protected:
  BackgroundFaults() { place("counter-asks-stateless-1.so", "counter.so"); }

  /// Options with a listener that allocates nothing.
  HostOptions counting() {
    HostOptions options = quiet();
    options.builtins = {host_echo()};
    options.on_event = [this](const Event& event) {
      if (event.type == Event::Type::call_overdue && event.package == counters) ++overdue_;
      if (event.type == Event::Type::restart_failed) ++failed_restarts_;
    };
    return options;
  }
  /// Makes all requests of a sort fail until `faulty_end`, eg: ",allocation,".
  void begin_failing(const char* requests) const {
    faulty_begin(directory_.c_str(), requests, log_.c_str(), -1, EAGAIN);
  }
  /// Makes a call that hangs in `hold` and misses its deadline.
  std::thread begin_late_call(Handle<test::Counter>& counter, const std::string& hold) {
    script_.hang(hold);
    std::thread inside([&counter, hold] {
      Call call;
      call.set_timeout(std::chrono::milliseconds(300));
      EXPECT_TRUE(counter->call_back(call, hold));
    });
    EXPECT_TRUE(script_.hangs(hold));
    return inside;
  }
  /// Returns the size of the log of these requests. Allocates nothing.
  long failed() const {
    struct stat log {};
    return stat(log_.c_str(), &log) == 0 ? log.st_size : 0;
  }

  struct Close {
    void operator()(void* image) const noexcept { dlclose(image); }
  };
  using ImageHandle = std::unique_ptr<void, Close>;
  /// Keeps an image mapped, eg: "counter.g1.so".
  ImageHandle hold(const std::string& copy) const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(world_.root())) {
      if (entry.path().filename() != copy) continue;
      return ImageHandle(dlopen(entry.path().c_str(), RTLD_LAZY | RTLD_NOLOAD));
    }
    return nullptr;
  }

  Script script_{world_.root()};
  static constexpr long one_allocation = std::string_view("allocation \n").size();
  static constexpr long two_threads = 2 * std::string_view("pthread_create \n").size();
  std::atomic<int> overdue_{0};
  std::atomic<int> failed_restarts_{0};
  const std::filesystem::path directory_ = world_.path("none/file").parent_path();
  const std::string log_ = world_.path("log");
};

TEST_F(BackgroundFaults, LeaveTheEndOfCodeToWorkers) {
  HostOptions options = counting();
  options.restart.drain_timeout = std::chrono::milliseconds(200);
  host_.emplace(options);
  auto counter = std::make_optional(host_->create<test::Counter>("counter").value());
  script_.hang("hold");
  std::thread inside([&] { EXPECT_TRUE((*counter)->call_back("hold")); });
  ASSERT_TRUE(script_.hangs("hold"));
  place("counter-asks-stateless-2.so", "counter.so");
  ASSERT_TRUE(host_->restart(counters));
  std::atomic<bool> on_timers{false};
  script_.set("1:destroy", [&] {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    on_timers = sigismember(&mask, SIGTERM) == 1;  // threads that run no plugins block signals
    return script_.wait_for_release("1:destroy");
  });
  begin_failing(",pthread_create,");
  script_.release("hold");
  inside.join();
  EXPECT_TRUE(eventually([&] { return failed() >= two_threads || script_.hanging_count() != 0; }));
  faulty_end();
  EXPECT_TRUE(script_.hangs("1:destroy"));
  EXPECT_FALSE(on_timers);
  counter.reset();
  host_.reset();
  EXPECT_EQ(script_.hanging_count(), 1) << "the host does not wait for the function";
  script_.release();
  EXPECT_TRUE(eventually([&] { return script_.hanging_count() == 0; }));
}

TEST_F(BackgroundFaults, DelayTheEndOfARestartThatHangs) {
  HostOptions options = counting();
  options.restart.step_timeout = std::chrono::milliseconds(500);
  host_.emplace(options);
  auto counter = std::make_optional(host_->create<test::Counter>("counter").value());
  script_.hang("1:create");
  EXPECT_FALSE((*counter)->refuse(TENON_INTERNAL | TENON_FATAL, "broken"));
  ASSERT_TRUE(script_.hangs("1:create"));
  begin_failing(",pthread_create,");
  EXPECT_TRUE(eventually([&] { return failed() >= two_threads || failed_restarts_ != 0; }));
  EXPECT_EQ(failed_restarts_, 0) << "on the thread of the timers";
  EXPECT_TRUE((*counter)->edition());
  faulty_end();
  script_.say("1:create", "");
  EXPECT_TRUE(eventually([&] { return module(*host_, counters).generation == 2; }));
  script_.release();
  counter.reset();
  host_.reset();
}

TEST_F(BackgroundFaults, DelayReportsOfOverdueCalls) {
  host_.emplace(counting());
  auto counter = std::make_optional(host_->create<test::Counter>("counter").value());
  std::thread inside = begin_late_call(*counter, "hold");
  begin_failing(",allocation,");
  EXPECT_TRUE(eventually([&] { return failed() != 0; }));
  faulty_end();
  EXPECT_TRUE(eventually([&] { return overdue_ != 0; }));
  script_.release();
  inside.join();
  counter.reset();
  host_.reset();
}

TEST_F(BackgroundFaults, LoseNoReportsOfOverdueCalls) {
  host_.emplace(counting());
  auto counter = std::make_optional(host_->create<test::Counter>("counter").value());
  for (int allocation = 1; allocation <= 8; ++allocation) {
    overdue_ = 0;
    const std::string hold = "hold " + std::to_string(allocation);
    std::thread inside = begin_late_call(*counter, hold);
    faulty_begin(directory_.c_str(), ",allocation,", log_.c_str(), allocation, EAGAIN);
    EXPECT_TRUE(eventually([&] { return overdue_ != 0; })) << allocation;
    faulty_end();
    script_.release(hold);
    inside.join();
  }
  counter.reset();
  host_.reset();
}

TEST_F(BackgroundFaults, DelayPlannedRestarts) {
  HostOptions options = counting();
  options.restart.failures.initial_backoff = std::chrono::milliseconds(300);
  host_.emplace(options);
  auto counter = std::make_optional(host_->create<test::Counter>("counter").value());
  const auto restarts_to = [&](std::uint64_t generation) {
    return eventually([&] { return module(*host_, counters).generation == generation; });
  };
  EXPECT_FALSE((*counter)->refuse(TENON_INTERNAL | TENON_FATAL, "broken"));
  ASSERT_TRUE(restarts_to(2));
  ASSERT_TRUE(eventually([] { return !is_mapped("counter.g1"); }));
  EXPECT_FALSE((*counter)->refuse(TENON_INTERNAL | TENON_FATAL, "broken"));
  begin_failing(",allocation,");
  EXPECT_TRUE(eventually([&] { return failed() != 0; }));
  faulty_end();
  EXPECT_TRUE(restarts_to(3));
  counter.reset();
  host_.reset();
}

TEST_F(BackgroundFaults, DelayRestartsOfChangedFiles) {
  HostOptions options = counting();
  options.watch = true;
  place("counter-1.so", "counter.so");
  host_.emplace(options);
  auto counter = std::make_optional(host_->create<test::Counter>("counter").value());
  place("counter-2.so", "fresh");
  const std::string fresh = world_.plugins() / "fresh";
  const std::string file = placed("counter.so");
  begin_failing(",allocation,");
  EXPECT_EQ(std::rename(fresh.c_str(), file.c_str()), 0);
  EXPECT_TRUE(eventually([&] { return failed() != 0; }));
  faulty_end();
  EXPECT_TRUE(eventually([&] {
    const auto edition = (*counter)->edition();
    return edition && *edition == 2;
  }));
  counter.reset();
  host_.reset();
}

TEST_F(BackgroundFaults, LeaveNoCopiesOfUnmappedImages) {
  for (int allocation = 1; allocation <= 10; ++allocation) {
    host_.emplace(counting());
    auto counter = std::make_optional(host_->create<test::Counter>("counter").value());
    ImageHandle first = hold("counter.g1.so");
    ASSERT_TRUE(host_->restart(counters));
    const long before = failed();
    faulty_begin(directory_.c_str(), ",allocation,", log_.c_str(), allocation, EAGAIN);
    EXPECT_TRUE(eventually([&] { return failed() >= before + allocation * one_allocation; }));
    faulty_end();
    ImageHandle second = hold("counter.g2.so");
    ASSERT_TRUE(host_->restart(counters));
    first.reset();
    second.reset();
    EXPECT_TRUE(eventually([&] { return copies() == Texts{module_file("counter.g3.so")}; }))
        << allocation;
    counter.reset();
    host_.reset();
  }
}

// -- Files --------------------------------------------------------------------

TEST(ReplacedFileFaults, IgnoreAFileSystemThatCannotSyncDirectories) {
  const World world;
  const auto path = world.write("all/directory/a", "old");
  const auto all = world.path("all");
  const auto log = world.path("log");
  // The first replacement in a directory also looks for abandoned files.
  ASSERT_FALSE(platform::replace_content(path, "first").failed);
  faulty_begin(all.c_str(), "", log.c_str(), 0, 0);
  EXPECT_FALSE(platform::replace_content(path, "new").failed);
  faulty_end();
  const std::vector<Request> requests = read_requests(log, all);
  ASSERT_FALSE(requests.empty());
  ASSERT_EQ(requests.back().name, "sync");
  ASSERT_EQ(requests.back().path, "directory");

  for (const int error : {EINVAL, EBADF, ENOTSUP, EIO}) {
    faulty_begin(all.c_str(), "", nullptr, static_cast<long>(requests.size()), error);
    const auto replaced = platform::replace_content(path, std::to_string(error));
    faulty_end();
    EXPECT_EQ(replaced.failed.value(), error == EIO ? EIO : 0);
    EXPECT_EQ(world.read("all/directory/a"), std::to_string(error));
  }
}

}}  // namespace tenon::tests
