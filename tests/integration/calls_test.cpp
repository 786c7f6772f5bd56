// SPDX-License-Identifier: BSL-1.0
//
// Calls take no locks. The test program overrides pthread_mutex_lock and counts its calls.
#include <gtest/gtest.h>
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

}}  // namespace tenon::tests
