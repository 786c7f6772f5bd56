// SPDX-License-Identifier: BSL-1.0
//
// Calls take no locks. The test program overrides pthread_mutex_lock and counts its calls. Statuses
// that no plugin may return do not reach the caller.
#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/stream.hpp>
#include <test/tape.hpp>

#include <cstdint>
#include <functional>

#include "integration/hosting.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_LOCKS 0  // a sanitizer overrides it too
#else
#define COUNTS_LOCKS 1
#include <dlfcn.h>
#include <pthread.h>

namespace {
thread_local int locks = 0;
}

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) {
  using Lock = int (*)(pthread_mutex_t*);
  static const auto next = reinterpret_cast<Lock>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++locks;
  return next(mutex);
}
#endif

namespace tenon::tests { namespace {

class Calls : public Hosting {
 protected:
  void SetUp() override {
    if (!COUNTS_LOCKS) GTEST_SKIP() << "a sanitizer overrides pthread_mutex_lock";
  }

  /// Returns the number of locks that the calling thread takes in `body`.
  static int locks_in([[maybe_unused]] const std::function<void()>& body) {
#if COUNTS_LOCKS
    const int before = locks;
    body();
    return locks - before;
#else
    return 0;
#endif
  }
};

TEST_F(Calls, TakeNoLockInBlockingMethods) {
  place("stream-1.so", "stream.so");
  Host host(options());
  EXPECT_GT(locks_in([&] { host.modules(); }), 0) << "locks are counted";
  auto stream = host.create<test::Stream>("stream", {{"limit", "1000"}}).value();
  ASSERT_TRUE(stream->open(0));
  Call call;
  EXPECT_TRUE(stream->next(call));
  EXPECT_EQ(locks_in([&] {
              for (int i = 0; i < 100; ++i) {
                call.reset();
                EXPECT_TRUE(stream->next(call));
              }
            }),
            0);
}

TEST_F(Calls, TakeNoLockInStreams) {
  place("giver-1.so", "giver.so");
  place("taker-1.so", "taker.so");
  place("stream-1.so", "stream.so");
  Host host(options());
  auto tape = host.create<test::Tape>("test.example/giver-tape").value();
  Reader reader = tape->play(std::string(200, 'x')).value();
  Call call;
  std::uint8_t byte[1];
  EXPECT_TRUE(reader.read(call, byte));
  EXPECT_EQ(locks_in([&] {
              for (int i = 0; i < 100; ++i) {
                call.reset();
                EXPECT_EQ(reader.read(call, byte).value(), 1u);
              }
            }),
            0);
}

/// The options of the host that change who sees the status of a plugin first.
using Options = void (*)(HostOptions& options);

class ReturnedStatus : public Hosting, public testing::WithParamInterface<Options> {
 protected:
  ReturnedStatus() { place("counter-1.so"); }
  HostOptions chosen() {
    HostOptions options = this->options();
    GetParam()(options);
    return options;
  }
};

TEST_P(ReturnedStatus, StatesNoRestartOrCrashOfAnotherPlugin) {
  Host host(chosen());
  auto counter = host.create<test::Counter>("counter").value();
  const Error restarted =
      counter->refuse(TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED, "passed on").error();
  EXPECT_FALSE(restarted.restarted());
  EXPECT_TRUE(restarted.retryable());
  EXPECT_EQ(restarted.code(), "aborted");
  const Error crashed = counter->refuse(TENON_CRASHED | TENON_RESTARTED, "passed on").error();
  EXPECT_EQ(crashed.code(), "aborted");
  EXPECT_EQ(crashed.message(), "passed on");
  EXPECT_FALSE(crashed.restarted());
}

TEST_P(ReturnedStatus, HasACode) {
  Host host(chosen());
  auto counter = host.create<test::Counter>("counter").value();
  const Error error = counter->refuse(TENON_RETRYABLE, "again").error();
  EXPECT_EQ(error.code(), "unknown");
  EXPECT_TRUE(error.retryable());
  EXPECT_EQ(counter->refuse(0x8000 | TENON_ABORTED, "a later flag").error().status(),
            TENON_ABORTED);
}

TEST_P(ReturnedStatus, IsUnknownIfItIsUndefined) {
  Host host(chosen());
  auto counter = host.create<test::Counter>("counter").value();
  for (const tenon_status status : {-1, 0x10000, 1 << 30}) {
    const Error error = counter->refuse(status, "as in C").error();
    EXPECT_EQ(error.status(), TENON_UNKNOWN);
    EXPECT_NE(error.message().find("undefined status"), std::string::npos) << error.to_string();
    EXPECT_NE(error.message().find("as in C"), std::string::npos) << error.to_string();
  }
  EXPECT_EQ(module(host, "test.example/counters").generation, 1u) << "nothing was restarted";
}

INSTANTIATE_TEST_SUITE_P(Options, ReturnedStatus,
                         testing::Values([](HostOptions&) {},
                                         [](HostOptions& all) { all.count_calls = true; },
                                         [](HostOptions& all) { all.check_calls = true; },
                                         [](HostOptions& all) { all.contain_crashes = true; }));

}}  // namespace tenon::tests
