// SPDX-License-Identifier: BSL-1.0
//
// Modules that require different ABI versions, loaded by one host: the host treats each according
// to its version, and callers see no difference.
#include <tenon/inspect.hpp>
#include <tenon/stream.hpp>

#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/tape.hpp>
#include <test/vault.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

constexpr const char* oldest = "test.example/abi-0";
constexpr const char* newer = "test.example/abi-1";

class AbiVersions : public Hosting {
 protected:
  AbiVersions() {
    place("abi-0.so");
    place("abi-1.so");
  }

  static Handle<test::Tape> tape(Host& host, std::string_view package) {
    return host.create<test::Tape>(std::string(package) + "-tape").value();
  }
  static Handle<test::Counter> counter(Host& host, std::string_view package) {
    return host.create<test::Counter>(std::string(package) + "-counter").value();
  }
  static std::string life(Handle<test::Counter>& counter) { return counter->life().value(); }

  static Result<std::string> all(Reader&& reader) {
    std::string text;
    std::uint8_t room[8];
    for (;;) {
      const auto got = reader.read(room);
      if (!got) return got.error();
      if (*got == 0) return text;
      text.append(reinterpret_cast<const char*>(room), *got);
    }
  }
};

TEST_F(AbiVersions, ComeFromEachManifest) {
  EXPECT_EQ(inspect(placed("abi-0.so")).manifest->abi, "1.0");
  EXPECT_EQ(inspect(placed("abi-1.so")).manifest->abi, "1.1");
}

// -- Empty reads --------------------------------------------------------------

TEST_F(AbiVersions, EndStreamsAtAnEmptyReadOnlyIn10) {
  Host host(options());
  auto old_tape = tape(host, oldest);
  auto new_tape = tape(host, newer);
  EXPECT_EQ(all(old_tape->play("tune").value()).value(), "");
  EXPECT_EQ(all(new_tape->play("tune").value()).value(), "tune");
}

TEST_F(AbiVersions, TreatOutOfRangeReadsAsFailuresIn10) {
  Host host(options());
  auto old_tape = tape(host, oldest);
  Reader reader = old_tape->play("a").value();
  std::uint8_t room[8];
  EXPECT_EQ(reader.read(room).value(), 0u);
  EXPECT_EQ(reader.read(room).value(), 1u);
  EXPECT_EQ(reader.read(room).value(), 0u);
  EXPECT_EQ(reader.read(room).error().code(), "out-of-range");
}

TEST_F(AbiVersions, InterruptReadsThatWaitForDataIn11) {
  Host host(options());
  auto new_tape = tape(host, newer);
  Reader reader = new_tape->play("never").value();
  std::uint8_t room[8];
  Call late;
  late.set_timeout(20ms);
  EXPECT_EQ(reader.read(late, room).error().code(), "deadline-exceeded");
  Call cancelled;
  cancelled.cancel();
  EXPECT_EQ(reader.read(cancelled, room).error().code(), "cancelled");
  std::optional<Error> error;
  std::thread reading([&] { error = reader.read(room).error(); });
  ASSERT_TRUE(host.restart(newer));
  reading.join();
  EXPECT_EQ(error->status(), TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED);
}

TEST_F(AbiVersions, ReturnZeroForReadsOfZeroBytes) {
  Host host(options());
  auto new_tape = tape(host, newer);
  Reader reader = new_tape->play("never").value();
  EXPECT_EQ(reader.read({}).value(), 0u);
}

TEST_F(AbiVersions, AdaptStreamsPassedBetweenPlugins) {
  place("vault.so");
  Host host(options());
  auto new_tape = tape(host, newer);
  auto store = host.create<test::Vault>("test.example/vault").value();
  ASSERT_TRUE(store->put("k", new_tape->play("tune").value(), std::nullopt));
  EXPECT_EQ(all(std::move(store->get("k").value().body)).value(), "tune");
}

// -- Restoring state ----------------------------------------------------------

TEST_F(AbiVersions, CallRestoreStateWithoutStateSince11) {
  Host host(options());
  auto before = host.create<test::Counter>(std::string(oldest) + "-counter", TextMap{}).value();
  auto after = host.create<test::Counter>(std::string(newer) + "-counter", TextMap{}).value();
  ASSERT_TRUE(host.restart(oldest));
  ASSERT_TRUE(host.restart(newer));
  EXPECT_EQ(life(before), "create configure");
  EXPECT_EQ(life(after), "create configure restore:0:none");
  auto first = counter(host, newer);
  EXPECT_EQ(life(first), "create") << "it has no predecessor";
}

TEST_F(AbiVersions, CallRestoreStateWithoutStateForSessionsSince11) {
  Host host(options());
  auto before = tape(host, oldest);
  auto after = tape(host, newer);
  ASSERT_TRUE(host.restart(oldest));
  ASSERT_TRUE(host.restart(newer));
  EXPECT_EQ(all(after->play("life").value()).value(), "create restore:0:none");
  Reader reader = before->play("life").value();
  std::uint8_t room[8];
  std::string told;
  for (;;) {
    const auto got = reader.read(room);
    if (!got) break;
    told.append(reinterpret_cast<const char*>(room), *got);
  }
  EXPECT_EQ(told, "create");
}

TEST_F(AbiVersions, RestoreAnEmptyState) {
  for (const char* abi : {"0", "1"}) {
    const std::string build = std::string("abi-").append(abi);
    place(build + "-saves.so", build + ".so");
    Host host(options());
    const std::string package = "test.example/" + build;
    auto saved = counter(host, package);
    ASSERT_TRUE(host.restart(package));
    EXPECT_EQ(life(saved), "create restore:1");
  }
}

TEST_F(AbiVersions, RestoreNoDiscardedState) {
  for (const char* abi : {"0", "1"}) {
    const std::string build = std::string("abi-").append(abi);
    place(build + "-saves.so", build + ".so");
    Host host(options());
    const std::string package = "test.example/" + build;
    auto saved = counter(host, package);
    ASSERT_TRUE(host.restart(package, {.discard_state = true}));
    EXPECT_EQ(life(saved), build == "abi-1" ? "create restore:0:none" : "create");
  }
}

}}  // namespace tenon::tests
