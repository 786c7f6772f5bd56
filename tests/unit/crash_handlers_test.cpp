// SPDX-License-Identifier: BSL-1.0
//
// Crash signals that no plugin caused. They must have the same effect as without the handlers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "platform/containment.hpp"

namespace tenon { inline namespace v0_1 { namespace platform { namespace {

int* volatile nowhere = nullptr;

/// Observations of the previous handler of the process.
volatile int calls = 0;
volatile int sender = 0;
volatile bool self_blocked = false;
volatile bool other_blocked = false;

void look() {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  self_blocked = sigismember(&mask, SIGSEGV) == 1;
  other_blocked = sigismember(&mask, SIGUSR1) == 1;
  calls = calls + 1;
}
void plain(int) {
  look();
}
void with_info(int, siginfo_t* info, void* context) {
  sender = context != nullptr ? info->si_pid : 0;
  look();
}

struct sigaction action(void (*handler)(int), int flags = 0) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaddset(&action.sa_mask, SIGUSR1);
  return action;
}

void set(const struct sigaction& action) {
  ASSERT_EQ(sigaction(SIGSEGV, &action, nullptr), 0);
}

struct sigaction current() {
  struct sigaction action = {};
  sigaction(SIGSEGV, nullptr, &action);
  return action;
}

/// Runs a test in a child process, because it changes the signal handlers of the process.
template <class Body>
void in_child(Body body) {
  EXPECT_EXIT(
      {
        calls = 0;
        body();
        _exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(CrashHandlers, ForwardSignalsSentByOthers) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    EXPECT_EXIT(
        {
          std::signal(signal, SIG_DFL);
          const CrashHandlers handlers;
          kill(getpid(), signal);
          _exit(0);
        },
        testing::KilledBySignal(signal), "");
  }
}

TEST(CrashHandlers, HonourIgnoredSignalsExceptCrashes) {
  in_child([] {
    std::signal(SIGSEGV, SIG_IGN);
    const CrashHandlers handlers;
    kill(getpid(), SIGSEGV);
  });
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, SIG_IGN);
        const CrashHandlers handlers;
        *nowhere = 1;
        _exit(0);
      },
      testing::KilledBySignal(SIGSEGV), "");
}

TEST(CrashHandlers, ApplyTheSignalMaskOfThePreviousHandler) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer blocks all signals while a handler runs";
#endif
  in_child([] {
    set(action(plain));
    const CrashHandlers handlers;
    kill(getpid(), SIGSEGV);
    EXPECT_EQ(calls, 1);
    EXPECT_TRUE(self_blocked);
    EXPECT_TRUE(other_blocked);
    look();
    EXPECT_FALSE(self_blocked) << "and only while it runs";
    EXPECT_FALSE(other_blocked);
  });
  in_child([] {
    set(action(plain, SA_NODEFER));
    const CrashHandlers handlers;
    kill(getpid(), SIGSEGV);
    EXPECT_EQ(calls, 1);
    EXPECT_FALSE(self_blocked);
    EXPECT_TRUE(other_blocked);
  });
}

TEST(CrashHandlers, CallThePreviousHandlerWithItsFlags) {
  in_child([] {
    set(action(plain));
    const CrashHandlers handlers;
    kill(getpid(), SIGSEGV);
    kill(getpid(), SIGSEGV);
    EXPECT_EQ(calls, 2);
  });
  in_child([] {
    struct sigaction informed = action(nullptr, SA_SIGINFO);
    informed.sa_sigaction = with_info;
    set(informed);
    const CrashHandlers handlers;
    kill(getpid(), SIGSEGV);
    EXPECT_EQ(sender, getpid());
  });
  EXPECT_EXIT(
      {
        set(action(plain, static_cast<int>(SA_RESETHAND)));
        const CrashHandlers handlers;
        kill(getpid(), SIGSEGV);
        if (calls != 1) _exit(1);
        kill(getpid(), SIGSEGV);
        _exit(0);
      },
      testing::KilledBySignal(SIGSEGV), "");
}

TEST(CrashHandlers, AreRestoredAfterTheLastUser) {
  in_child([] {
    set(action(plain));
    {
      const CrashHandlers first;
      EXPECT_EQ(current().sa_handler != plain, can_contain());
      { const CrashHandlers second; }
      EXPECT_EQ(current().sa_handler != plain, can_contain());
    }
    EXPECT_EQ(current().sa_handler, plain);
  });
}

TEST(CrashHandlers, DoNotReplaceHandlersInstalledLater) {
  in_child([] {
    std::signal(SIGSEGV, SIG_IGN);
    {
      const CrashHandlers handlers;
      set(action(plain));
    }
    EXPECT_EQ(current().sa_handler, plain);
    const CrashHandlers again;
    EXPECT_EQ(current().sa_handler, plain);
  });
}

}}}}  // namespace tenon::v0_1::platform
