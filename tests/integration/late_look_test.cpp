// SPDX-License-Identifier: BSL-1.0
//
// A host that ends while a worker looks whether anybody is left in old code. The linker lets the
// test stand behind the barrier of that look.
#include <gtest/gtest.h>
#include <tenon/stream.hpp>

#include <atomic>
#include <optional>
#include <test/vault.hpp>
#include <thread>

#include "integration/hosting.hpp"
#include "platform/barrier.hpp"

namespace {

std::atomic<bool> holds = false;  // the next who comes
std::atomic<bool> held = false;
std::atomic<bool> open = false;

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the names that the linker gives
extern "C" bool __real__ZN5tenon8platform15process_barrierEv();
extern "C" bool __wrap__ZN5tenon8platform15process_barrierEv() {
  const bool done = __real__ZN5tenon8platform15process_barrierEv();
  if (holds.exchange(false)) {
    held = true;
    open.wait(false);
  }
  return done;
}
// NOLINTEND(bugprone-reserved-identifier)

namespace tenon::tests {
namespace {

class LateLook : public Hosting {};

TEST_F(LateLook, IsFollowedByOneOfTheHostThatEnds) {
  if (TENON_ORDERED_SLOTS || !platform::has_process_barrier()) {
    GTEST_SKIP() << "nobody needs the barrier";
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

  // The worker has seen that the reader is held.
  holds = true;
  ASSERT_TRUE(eventually([] { return held.load(); }));
  std::thread end([&] {
    vault.reset();
    host.reset();
  });
  // The host has passed the old code by.
  EXPECT_TRUE(eventually([&] { return told(Event::Type::unloaded) == 1; }));
  open = true;
  open.notify_all();
  end.join();

  EXPECT_EQ(told(Event::Type::drained), 1u);
  EXPECT_EQ(live, 0);
  EXPECT_FALSE(is_mapped("giver.g"));
  std::uint8_t room[8];
  EXPECT_FALSE(reader.read(room));
}

}  // namespace
}  // namespace tenon::tests
