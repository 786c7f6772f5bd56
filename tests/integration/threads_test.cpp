// SPDX-License-Identifier: BSL-1.0
//
// Hosts in a process that can start no more threads.
#include <gtest/gtest.h>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

using Threads = Hosting;

TEST_F(Threads, AreReportedIfTheyCannotStart) {
  place("counter-1.so", "counter.so");
  // With threads, so many files would be read by several of them.
  for (int i = 0; i < 200; ++i) {
    std::filesystem::create_hard_link(placed("counter.so"),
                                      world_.plugins() / (std::to_string(i) + ".so"));
  }
  world_.set("ASAN_OPTIONS", "detect_leaks=0");  // the leak checker starts a thread
  const Outcome run =
      world_.run({THREADLESS_HOST, world_.plugins(), "test.example/counters", "counter"});
  ASSERT_EQ(run.exit, 0) << run.out << run.err;
  EXPECT_EQ(run.out,
            "call: ok\n"
            "restart: no-thread\n"
            "call with a deadline: ok\n"
            "fatal status: internal\n"
            "call: ok\n"
            "skipped: no-thread\n"
            "skipped: no-thread\n"
            "201 modules\n"
            "create: ok\n"
            "call: ok\n"
            "fatal status: internal\n"
            "unloaded: yes\n");
}

}}  // namespace tenon::tests
