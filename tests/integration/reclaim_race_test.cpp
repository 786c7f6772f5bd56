// SPDX-License-Identifier: BSL-1.0
//
// A host that is destroyed while a worker checks whether old code is still in use. The linker wraps
// the memory barrier of that check, so that the test can stop the worker right after it.
#include <tenon/stream.hpp>

#include <gtest/gtest.h>
#include <test/vault.hpp>

#include <atomic>
#include <optional>
#include <thread>

#include "integration/hosting.hpp"
#include "platform/barrier.hpp"

namespace {

std::atomic<bool> block_next = false;  // the next thread that passes the barrier
std::atomic<bool> blocked = false;
std::atomic<bool> released = false;

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the linker requires these names
extern "C" bool __real__ZN5tenon4v0_18platform15process_barrierEv();
extern "C" bool __wrap__ZN5tenon4v0_18platform15process_barrierEv() {
  const bool done = __real__ZN5tenon4v0_18platform15process_barrierEv();
  if (block_next.exchange(false)) {
    blocked = true;
    released.wait(false);
  }
  return done;
}
// NOLINTEND(bugprone-reserved-identifier)

namespace tenon::tests { namespace {

class ReclaimRace : public Hosting {};

TEST_F(ReclaimRace, UnmapsCodeThatTheEndingHostReleases) {
  if (TENON_ORDERED_SLOTS || !platform::has_process_barrier()) {
    GTEST_SKIP() << "this build needs no barrier";
  }
  place("giver-1.so", "giver.so");
  place("taker-1.so", "taker.so");
  place("stream-1.so", "stream.so");
  std::optional<Host> host(options());
  std::atomic<int> live = 0;
  std::optional vault =
      host->create<test::Vault>("test.example/giver-vault",
                                {{"live", std::to_string(reinterpret_cast<std::uintptr_t>(&live))}})
          .value();
  Reader reader = (*vault)->get("k").value().body;
  ASSERT_TRUE(host->restart("test.example/giver"));

  // The worker has seen that the reader is still open.
  block_next = true;
  ASSERT_TRUE(eventually([] { return blocked.load(); }));
  std::thread end([&] {
    vault.reset();
    host.reset();
  });
  // The host has unloaded its module and skipped the old code.
  EXPECT_TRUE(eventually([&] { return count_events(Event::Type::unloaded) == 1; }));
  released = true;
  released.notify_all();
  end.join();

  EXPECT_EQ(count_events(Event::Type::drained), 1u);
  EXPECT_EQ(live, 0);
  EXPECT_FALSE(is_mapped("giver.g"));
  std::uint8_t room[8];
  EXPECT_FALSE(reader.read(room));
}

}}  // namespace tenon::tests
