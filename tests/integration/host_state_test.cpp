// SPDX-License-Identifier: BSL-1.0
//
// Modules that change the state of the thread that loads them or calls their functions.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <test/session_counter.hpp>

#include <cfenv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

class HostState : public Hosting {
 protected:
  static constexpr const char* package = "test.example/changer";

  HostState() {
    place("changer.so");
    sigemptyset(&mask_);
    pthread_sigmask(SIG_BLOCK, nullptr, &mask_);
    sigaltstack(nullptr, &stack_);
  }
  ~HostState() override {
    unsetenv("CHANGER");
    unsetenv("CHANGER_FAILS");
    std::fesetround(FE_TONEAREST);
    pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
    sigaltstack(&stack_, nullptr);
  }

  HostOptions options() {
    HostOptions options = Hosting::options();
    options.log_sink = [this](const LogLine& line) {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(line.message);
    };
    return options;
  }
  Texts lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

  /// Calls every function of the life cycle, restore_state and resume as well.
  void use_all_functions(HostOptions with) {
    Host host(std::move(with));
    std::optional counter(host.create<test::SessionCounter>("changer", {{"first", "1"}}).value());
    expect_unchanged("create and configure");
    ASSERT_TRUE(host.restart(package));
    setenv("CHANGER_FAILS", "1", 1);
    ASSERT_FALSE(host.restart(package));
    unsetenv("CHANGER_FAILS");
    counter.reset();
    expect_unchanged("the last release");
  }

  void expect_unchanged(const char* after) const {
    EXPECT_EQ(std::fegetround(), FE_TONEAREST) << after;
    sigset_t mask;
    sigemptyset(&mask);
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    EXPECT_EQ(sigismember(&mask, SIGUSR1), sigismember(&mask_, SIGUSR1)) << after;
    stack_t stack{};
    sigaltstack(nullptr, &stack);
    EXPECT_EQ(stack.ss_sp, stack_.ss_sp) << after;
    EXPECT_EQ(stack.ss_flags, stack_.ss_flags) << after;
    EXPECT_FALSE(std::filesystem::exists(world_.root() / "changed"))
        << after << ": functions in a changed state:\n"
        << read_file(world_.root() / "changed");
  }

 private:
  sigset_t mask_;
  stack_t stack_{};
  std::mutex mutex_;
  Texts lines_;
};

/// The function, and the change.
struct Change {
  const char* function;
  const char* change;
};

class ChangesBy : public HostState, public testing::WithParamInterface<Change> {
 protected:
  ChangesBy() {
    setenv("CHANGER", (std::string(GetParam().function) + " " + GetParam().change).c_str(), 1);
  }

  static std::string warning() {
    const std::string change = GetParam().change;
    return std::string(package) + ": " + GetParam().function + " changed the " +
           (change == "float"  ? "floating-point mode"
            : change == "mask" ? "signal mask"
                               : "alternate signal stack") +
           " of the thread, which was restored";
  }
};

TEST_P(ChangesBy, AreUndoneAndReportedOnce) {
  use_all_functions(options());
  EXPECT_EQ(lines(), Texts{warning()});
}

TEST_F(HostState, IsRestoredAfterACallOfConfigure) {
  setenv("CHANGER", "configure float", 1);
  Host host(options());
  auto counter = host.create<test::SessionCounter>("changer").value();
  ASSERT_TRUE(counter->configure({{"first", "1"}}));
  expect_unchanged("configure");
  EXPECT_EQ(lines(),
            Texts{std::string(package) + ": configure changed the floating-point mode of " +
                  "the thread, which was restored"});
}

std::vector<Change> all_changes() {
  std::vector<Change> changes;
  for (const char* function : {"loading", "start", "create", "configure", "save_state", "suspend",
                               "restore_state", "resume", "destroy", "stop", "unloading"}) {
    changes.push_back({function, "float"});
  }
  for (const char* function : {"loading", "start", "create", "stop", "unloading"}) {
    changes.push_back({function, "mask"});
    changes.push_back({function, "stack"});
  }
  return changes;
}

INSTANTIATE_TEST_SUITE_P(Functions, ChangesBy, testing::ValuesIn(all_changes()),
                         [](const auto& info) {
                           return std::string(info.param.function) + "_" + info.param.change;
                         });

/// The action of SIGUSR2.
class Handlers : public HostState {
 protected:
  Handlers() { sigaction(SIGUSR2, nullptr, &before_); }
  ~Handlers() override { sigaction(SIGUSR2, &before_, nullptr); }

  static void own(int) {}
  static auto handler() {
    struct sigaction now = {};
    sigaction(SIGUSR2, nullptr, &now);
    return now.sa_handler;
  }
  static std::string replaced_by(const char* action) {
    return std::string(package) +
           ": the handler of SIGUSR2 was in code that is unloaded; it was replaced by the " +
           action + " action";
  }

 private:
  struct sigaction before_ = {};
};

TEST_F(Handlers, InUnloadedCodeBecomeThePreviousOnes) {
  for (const char* function : {"loading", "start", "create", "configure", "stop", "unloading"}) {
    setenv("CHANGER", (std::string(function) + " handler").c_str(), 1);
    for (const auto previous : {own, SIG_DFL, SIG_IGN}) {
      signal(SIGUSR2, previous);
      const std::size_t lines_before = lines().size();
      use_all_functions(options());
      EXPECT_EQ(handler(), previous) << function;
      ASSERT_EQ(lines().size(), lines_before + 1) << function;
      EXPECT_EQ(lines().back(), replaced_by("previous"));
    }
  }
}

TEST_F(Handlers, ServeWhileTheirCodeIsLoaded) {
  setenv("CHANGER", "start handler", 1);
  signal(SIGUSR2, own);
  Host host(options());
  std::optional counter(host.create<test::SessionCounter>("changer").value());
  EXPECT_NE(handler(), own);
  ASSERT_TRUE(host.restart(package));
  EXPECT_NE(handler(), own) << "the handler of the new code";
  counter.reset();
  EXPECT_EQ(handler(), own);
}

TEST_F(Handlers, OfTheHostAreKept) {
  setenv("CHANGER", "start float", 1);
  Host host(options());
  std::optional counter(host.create<test::SessionCounter>("changer").value());
  signal(SIGUSR2, own);
  ASSERT_TRUE(host.restart(package));
  counter.reset();
  EXPECT_EQ(handler(), own);
}

TEST_F(Handlers, BecomeDefaultIfThePreviousOneIsUnmapped) {
  setenv("CHANGER", "start handler", 1);
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  struct sigaction nowhere = {};
  std::memcpy(&nowhere.sa_handler, &page, sizeof page);
  sigaction(SIGUSR2, &nowhere, nullptr);
  Host host(options());
  std::optional counter(host.create<test::SessionCounter>("changer").value());
  munmap(page, 4096);
  counter.reset();
  EXPECT_EQ(handler(), SIG_DFL);
  EXPECT_EQ(lines(), Texts{replaced_by("default")});
}

TEST_F(Handlers, AreReportedIfTheyIgnoreASignal) {
  for (const char* function : {"loading", "start", "create", "stop", "unloading"}) {
    setenv("CHANGER", (std::string(function) + " ignore").c_str(), 1);
    signal(SIGUSR2, SIG_DFL);
    const std::size_t lines_before = lines().size();
    use_all_functions(options());
    EXPECT_EQ(handler(), SIG_IGN) << "it stays ignored";
    ASSERT_EQ(lines().size(), lines_before + 1) << function;
    EXPECT_EQ(lines().back(),
              std::string(package) + ": " + function + " made the process ignore SIGUSR2");
  }
}

}}  // namespace tenon::tests
