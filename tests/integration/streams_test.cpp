// SPDX-License-Identifier: BSL-1.0
//
// Readers and writers that outlive their calls: during restarts, between plugins, with adapters.
#include <tenon/stream.hpp>

#include <gtest/gtest.h>
#include <test/tape.hpp>
#include <test/vault.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "integration/hosting.hpp"
#include "integration/script.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

constexpr const char* giver = "test.example/giver";
constexpr tenon_status revoked = TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED;

/// A reader of the host, counted while it exists.
class Text : public HostReader {
 public:
  Text(std::string text, std::atomic<int>& live) : text_(std::move(text)), live_(live) { ++live_; }
  ~Text() override { --live_; }

  Result<std::size_t> read(Call&, std::span<std::uint8_t> into) override {
    if (text_ == "broken") return Error({.status = TENON_DATA_LOSS, .message = "a bad sector"});
    if (text_ == "throws") throw std::runtime_error("no disk");
    const std::size_t size = std::min(text_.size(), into.size());
    std::memcpy(into.data(), text_.data(), size);
    text_.erase(0, size);
    return size;
  }

 private:
  std::string text_;
  std::atomic<int>& live_;
};

class Streams : public Hosting {
 protected:
  Streams() {
    place("giver-1.so", "giver.so");
    place("taker-1.so", "taker.so");
    place("stream-1.so", "stream.so");
  }
  ~Streams() override { EXPECT_EQ(live_, 0) << "each stream is released"; }

  Handle<test::Vault> vault(Host& host, std::string_view of) const {
    return host.create<test::Vault>(std::string(of) + "-vault", config()).value();
  }
  Handle<test::Tape> tape(Host& host) const {
    return host.create<test::Tape>(std::string(giver) + "-tape", config()).value();
  }
  TextMap config() const {
    return {{"live", std::to_string(reinterpret_cast<std::uintptr_t>(&live_))}};
  }
  Reader text(std::string_view value) { return std::make_unique<Text>(std::string(value), live_); }

  /// Options whose restarts do not wait for streams.
  HostOptions short_timeouts() {
    HostOptions chosen = options();
    chosen.restart.drain_timeout = 0ms;
    return chosen;
  }

  static Result<std::string> all(Reader&& reader) { return all(reader); }
  static Result<std::string> all(Reader& reader) {
    std::string text;
    std::uint8_t room[8];
    for (;;) {
      const auto got = reader.read(room);
      if (!got) return got.error();
      if (*got == 0) return text;
      text.append(reinterpret_cast<const char*>(room), *got);
    }
  }

  mutable std::atomic<int> live_{0};
};

TEST_F(Streams, AreReadWithAndWithoutACall) {
  Host host(options());
  auto store = vault(host, giver);
  ASSERT_TRUE(store->put("k", text("a longer value"), std::nullopt));
  auto plain = store->get("k").value();
  EXPECT_EQ(all(plain.body).value(), "1: a longer value");
  Call call;
  auto viewed = store->get(call, "k").value();
  std::uint8_t room[4];
  EXPECT_EQ(viewed.body.read(call, room).value(), 4u);
}

TEST_F(Streams, ReadFromTheOldCodeAfterARestart) {
  Host host(options());
  auto store = vault(host, giver);
  ASSERT_TRUE(store->put("k", text("value"), std::nullopt));
  auto old = std::optional(store->get("k").value().body);
  place("giver-2.so", "giver.so");

  ASSERT_TRUE(host.restart(giver));

  EXPECT_TRUE(is_mapped("giver.g1"));
  auto fresh = store->get("k").value().body;
  EXPECT_EQ(all(fresh).value(), "2: ");
  EXPECT_EQ(all(*old).value(), "1: value");
  old.reset();
  EXPECT_TRUE(eventually([&] { return !is_mapped("giver.g1"); }));
  EXPECT_EQ(module(host, giver).draining_generations, 0u);
}

TEST_F(Streams, MayBeReleasedByAnotherThreadAfterSeveralRestarts) {
  Host host(options());
  auto store = vault(host, giver);
  auto first = store->get("k").value().body;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(host.restart(giver));
  EXPECT_TRUE(is_mapped("giver.g1"));
  EXPECT_TRUE(eventually([&] { return !is_mapped("giver.g2") && !is_mapped("giver.g3"); }));
  std::thread([moved = std::move(first)]() mutable { Reader ended(std::move(moved)); }).join();
  EXPECT_TRUE(eventually([&] { return !is_mapped("giver.g1"); }));
}

TEST_F(Streams, AreRevokedAfterTheDrainTimeout) {
  Host host(short_timeouts());
  auto store = vault(host, giver);
  auto reader = store->get("k").value().body;
  auto writer = store->open("k").value();

  ASSERT_TRUE(host.restart(giver));

  EXPECT_TRUE(eventually([&] { return !is_mapped("giver.g1"); }))
      << "although the reader still exists";
  EXPECT_EQ(live_, 0);
  const auto refused = all(reader);
  EXPECT_EQ(refused.error().status(), revoked);
  EXPECT_EQ(refused.error().plugin(), "test.example/giver-vault");
  EXPECT_EQ(refused.error().method(), "read");
  EXPECT_EQ(writer.write(BytesView("x")).error().status(), revoked);
  EXPECT_EQ(writer.commit().error().status(), revoked);
}

TEST_F(Streams, AreInterruptedAfterTheDrainTimeout) {
  Host host(short_timeouts());
  auto store = vault(host, giver);
  auto reader = store->get("forever").value().body;
  std::optional<Error> error;
  std::thread reading([&] { error = all(reader).error(); });
  ASSERT_TRUE(host.restart(giver));
  reading.join();
  EXPECT_EQ(error->status(), revoked);
  EXPECT_TRUE(eventually([&] { return !is_mapped("giver.g1"); }));
}

TEST_F(Streams, EndWithTheirHandle) {
  Host host(options());
  std::optional<Reader> reader;
  {
    auto store = vault(host, giver);
    reader = store->get("k").value().body;
  }
  EXPECT_EQ(live_, 0);
  EXPECT_FALSE(is_mapped("giver.g"));
  EXPECT_EQ(all(*reader).error().status(), revoked);
}

TEST_F(Streams, EndWithTheirHandleAfterRestarts) {
  Host host(options());
  auto kept = vault(host, giver);
  auto other = kept->get("k").value().body;
  std::optional store = vault(host, giver);
  auto idle = (*store)->get("k").value().body;
  ASSERT_TRUE(host.restart(giver));
  auto busy = (*store)->get("forever").value().body;
  std::optional<Error> error;
  std::thread reading([&] { error = all(busy).error(); });
  ASSERT_TRUE(host.restart(giver));

  store.reset();

  EXPECT_EQ(all(idle).error().status(), revoked);
  reading.join();
  EXPECT_EQ(error->status(), revoked);
  EXPECT_EQ(all(other).value(), "1: ") << "its handle exists";
  auto next = vault(host, giver);
  EXPECT_EQ(all(next->get("k").value().body).value(), "1: ");
}

TEST_F(Streams, EndOnlyWithTheirOwnHandle) {
  constexpr int many = 3;
  constexpr int each = 10;
  Host host(options());
  std::vector<Handle<test::Vault>> stores;
  std::vector<std::vector<std::optional<Reader>>> readers(many);
  for (int i = 0; i < many; ++i) stores.push_back(vault(host, giver));
  ASSERT_TRUE(stores[0]->put("k", text("value"), std::nullopt));
  for (int i = 0; i < each; ++i) {
    for (int j = 0; j < many; ++j) readers[j].emplace_back(stores[j]->get("k").value().body);
  }
  for (int released : {9, 0, 4}) {
    for (auto& some : readers) some[released].reset();
  }
  stores.erase(stores.begin() + 1);
  int revoked_ones = 0;
  for (int j = 0; j < many; ++j) {
    for (auto& reader : readers[j]) {
      if (!reader) continue;
      const auto read = all(*reader);
      EXPECT_EQ(static_cast<bool>(read), j != 1);
      if (!read && read.error().status() == revoked) ++revoked_ones;
    }
  }
  EXPECT_EQ(revoked_ones, each - 3);
  ASSERT_TRUE(host.restart(giver));
  EXPECT_EQ(module(host, giver).draining_generations, 1u) << "streams are still held";
  readers.clear();
  EXPECT_TRUE(eventually([&] { return !is_mapped("giver.g1"); }));
}

TEST_F(Streams, EndWithTheHostAfterARestart) {
  Reader reader;
  {
    Host host(options());
    auto store = vault(host, giver);
    reader = store->get("k").value().body;
    ASSERT_TRUE(host.restart(giver));
  }
  EXPECT_EQ(live_, 0);
  EXPECT_FALSE(is_mapped("giver.g"));
  EXPECT_EQ(all(reader).error().status(), revoked);
}

TEST_F(Streams, EndWhenTheirSessionRestarts) {
  Host host(options());
  auto player = tape(host);
  auto idle = player->play("tune").value();
  auto busy = player->play("forever").value();
  std::optional<Error> error;
  std::thread reading([&] { error = all(busy).error(); });

  ASSERT_TRUE(host.restart(giver));

  // The thread of the active call ends its stream.
  EXPECT_TRUE(eventually([] { return !is_mapped("giver.g1"); }));
  EXPECT_EQ(all(idle).error().status(), revoked);
  reading.join();
  EXPECT_EQ(error->status(), revoked);
}

TEST_F(Streams, EndBeforeTheirStateIsSaved) {
  place("giver-stateful.so", "giver.so");
  Host host(options());
  auto store = vault(host, giver);
  ASSERT_TRUE(store->put("k", text("value"), std::nullopt));
  auto idle = store->get("k").value().body;
  auto busy = store->get("forever").value().body;
  auto writer = store->open("k").value();
  ASSERT_TRUE(writer.write(BytesView("lost")));
  std::optional<Error> error;
  std::thread reading([&] { error = all(busy).error(); });

  const auto restarted = host.restart(giver);
  reading.join();

  ASSERT_TRUE(restarted) << restarted.error().to_string();
  EXPECT_EQ(count_events(Event::Type::drain_overdue), 0u) << "nothing had to be waited for";
  EXPECT_EQ(error->status(), revoked);
  EXPECT_EQ(all(idle).error().status(), revoked);
  EXPECT_EQ(writer.commit().error().status(), revoked) << "the new instance would not have it";
  EXPECT_EQ(all(store->get("k").value().body).value(), "1: value");
}

TEST_F(Streams, EndBeforeTheirStateIsSavedIfACallReturnsThemLate) {
  place("giver-stateful.so", "giver.so");
  Script script(world_.root());
  Host host(options());
  auto store = vault(host, giver);
  auto early = store->get("k").value().body;
  script.hang("read");
  Reader late;
  std::thread calling([&] { late = store->get("late").value().body; });
  ASSERT_TRUE(script.hangs());
  std::thread restarting([&] { EXPECT_TRUE(host.restart(giver)); });
  EXPECT_TRUE(eventually([&] { return !all(early); })) << "the restart waits for the call";
  script.release();
  calling.join();
  restarting.join();
  EXPECT_EQ(all(late).error().status(), revoked);
}

TEST_F(Streams, ReadFromTheOldCodeIfTheStateIsDiscarded) {
  place("giver-stateful.so", "giver.so");
  Host host(options());
  auto store = vault(host, giver);
  ASSERT_TRUE(store->put("k", text("value"), std::nullopt));
  auto old = store->get("k").value().body;
  ASSERT_TRUE(host.restart(giver, {.discard_state = true}));
  EXPECT_EQ(all(old).value(), "1: value");
  EXPECT_EQ(all(store->get("k").value().body).value(), "1: ");
}

TEST_F(Streams, RestartTheirModuleAfterAFatalStatus) {
  Host host(options());
  auto player = tape(host);
  auto reader = player->play("fatal").value();
  const auto failed = all(reader);
  EXPECT_EQ(failed.error().code(), "internal");
  EXPECT_EQ(failed.error().message(), "out of order");
  EXPECT_FALSE(failed.error().fatal()) << "the caller of the stream has not failed";
  EXPECT_TRUE(eventually([&] { return module(host, giver).generation == 2; }));
  EXPECT_EQ(all(reader).error().status(), revoked);
}

TEST_F(Streams, KeepOnlyCommittedWrites) {
  Host host(options());
  auto store = vault(host, giver);
  {
    auto discarded = store->open("k").value();
    ASSERT_TRUE(discarded.write(BytesView("discarded")));
  }
  EXPECT_EQ(all(store->get("k").value().body).value(), "1: ");
  auto kept = store->open("k").value();
  ASSERT_TRUE(kept.write(BytesView("ke")));
  ASSERT_TRUE(kept.write(BytesView("pt")));
  ASSERT_TRUE(kept.commit());
  EXPECT_EQ(all(store->get("k").value().body).value(), "1: kept");
  EXPECT_EQ(kept.write(BytesView(std::string(200, 'x'))).error().code(), "out-of-range");
}

TEST_F(Streams, AreEmptyIfTheHostHasNone) {
  Reader reader{std::unique_ptr<HostReader>()};
  Writer writer{std::unique_ptr<HostWriter>()};
  EXPECT_FALSE(reader);
  EXPECT_FALSE(writer);
  std::uint8_t room[8];
  EXPECT_EQ(reader.read(room).error().code(), "failed-precondition");
  EXPECT_EQ(writer.write(BytesView("text")).error().code(), "failed-precondition");
}

/// Uses a call as if it owned it.
void use_up(Call& call) {
  call.set_timeout(-1ns);
  tenon_fail(call.raw(), TENON_NOT_FOUND, "inside");
  call.cancel();
  call.reset();
  std::memset(tenon_allocate(call.raw(), 64), 'X', 64);
}

/// A reader and a writer of the host that use up their calls.
class GreedyReader : public HostReader {
 public:
  Result<std::size_t> read(Call& call, std::span<std::uint8_t>) override {
    use_up(call);
    return std::size_t{0};
  }
};
class GreedyWriter : public HostWriter {
 public:
  Result<void> write(Call& call, BytesView) override {
    use_up(call);
    return {};
  }
  Result<void> commit(Call& call) override {
    use_up(call);
    return {};
  }
};

TEST(HostStreams, DoNotChangeTheCallOfThePlugin) {
  Reader reader(std::make_unique<GreedyReader>());
  Writer writer(std::make_unique<GreedyWriter>());
  const auto expect_unchanged = [](auto use) {
    Call call;
    tenon_fail(call.raw(), TENON_ABORTED, "before");
    const void* const result = tenon_allocate_copy(call.raw(), "result", 6);
    EXPECT_TRUE(use(call));
    EXPECT_EQ(std::memcmp(result, "result", 6), 0);
    EXPECT_EQ(call.message(), "before");
    EXPECT_EQ(call.cancel_reason(), CancelReason::none);
  };
  std::uint8_t room[8];
  expect_unchanged([&](Call& call) { return reader.read(call, room); });
  expect_unchanged([&](Call& call) { return writer.write(call, BytesView("text")); });
  expect_unchanged([&](Call& call) { return writer.commit(call); });
}

TEST_F(Streams, NameTheHostIfItsReaderThrows) {
  Host host(options());
  const auto failed = vault(host, giver)->put("k", text("throws"), std::nullopt);
  EXPECT_EQ(failed.error().code(), "internal");
  EXPECT_EQ(failed.error().message(), "the reader of the host threw an exception: no disk");
}

TEST_F(Streams, TransferOwnershipToThePluginOnSuccess) {
  Host host(options());
  auto store = vault(host, giver);
  EXPECT_EQ(store->put("k", text("!"), std::nullopt).error().code(), "invalid-argument");
  EXPECT_EQ(live_, 0);
  const auto broken = store->put("k", text("broken"), std::nullopt);
  EXPECT_EQ(broken.error().code(), "data-loss");
  EXPECT_EQ(broken.error().message(), "a bad sector");
  ASSERT_TRUE(store->keep(text("kept")));
  EXPECT_EQ(live_, 1);
  EXPECT_EQ(store->kept().value(), "ept") << "the rest after the first byte, which keep read";
  EXPECT_EQ(live_, 0);
  ASSERT_TRUE(store->keep(text("kept")));
  ASSERT_TRUE(host.restart(giver));
  EXPECT_EQ(live_, 0) << "the old instance has released it";
}

TEST_F(Streams, AreReleasedIfTheOtherVersionLacksThem) {
  Host host(options());
  auto store = vault(host, giver);
  ASSERT_TRUE(store->put("k", text("value"), text("note")));
  EXPECT_EQ(live_, 0);
  auto got = store->get("k").value();
  EXPECT_EQ(live_, 1) << "the body, and not the trailer";
  EXPECT_EQ(got.tag, "none");
  ASSERT_TRUE(store->drop(text("dropped")));
  EXPECT_EQ(live_, 1);
}

TEST_F(Streams, ReadFromAnotherPluginDuringItsRestart) {
  Host host(options());
  auto relay = vault(host, "test.example/taker");
  auto reader = relay->relay("test.example/giver-vault", "k").value();
  place("giver-2.so", "giver.so");
  ASSERT_TRUE(host.restart(giver));
  EXPECT_EQ(module(host, giver).draining_generations, 1u);
  EXPECT_EQ(all(reader).value(), "1: ");
  reader = {};
  EXPECT_TRUE(eventually([&] { return module(host, giver).draining_generations == 0; }));
}

TEST_F(Streams, EndAfterTheDrainTimeoutOfAnotherPlugin) {
  Host host(short_timeouts());
  auto relay = vault(host, "test.example/taker");
  auto reader = relay->relay("test.example/giver-vault", "forever").value();
  std::optional<Error> error;
  std::thread reading([&] { error = all(reader).error(); });
  ASSERT_TRUE(host.restart(giver));
  reading.join();
  EXPECT_EQ(error->status(), revoked);
  EXPECT_EQ(module(host, "test.example/taker").generation, 1u);
}

TEST_F(Streams, AreReleasedByThePluginThatTookThem) {
  Host host(options());
  auto pushing = vault(host, giver);
  EXPECT_EQ(pushing->push("test.example/taker-vault", "pushed").value().status, TENON_OK);
  EXPECT_EQ(live_, 1);
  ASSERT_TRUE(host.restart("test.example/taker"));
  EXPECT_EQ(live_, 0);
}

TEST_F(Streams, EndWithTheirCodeInAnotherPlugin) {
  Host host(short_timeouts());
  auto pushing = vault(host, giver);
  EXPECT_EQ(pushing->push("test.example/taker-vault", "pushed").value().status, TENON_OK);
  EXPECT_EQ(live_, 1);
  ASSERT_TRUE(host.restart(giver));
  EXPECT_TRUE(
      eventually([&] { return live_ == 0 && module(host, giver).draining_generations == 0; }));
}

TEST_F(Streams, StayWithTheCallerOfAFailingMethod) {
  Host host(options());
  auto pushing = vault(host, giver);
  const auto pushed = pushing->push("test.example/taker-vault", "!").value();
  EXPECT_EQ(TENON_CODE(pushed.status), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(pushed.releases, 0);
}

/// A stream that a plugin passes to a method of another plugin. The method is reading the stream
/// when a restart of the owner revokes it.
class LentStreams : public Streams {
 protected:
  /// Passes a stream with this text, revokes it during a read, then lets the read continue.
  test::Vault::PushResult push_and_end(const std::string& text) {
    Script script(world_.root());
    Host host(short_timeouts());
    auto pushing = vault(host, giver);
    script.hang("read");
    std::optional<test::Vault::PushResult> pushed;
    std::thread calling([&] { pushed = pushing->push("test.example/taker-vault", text).value(); });
    EXPECT_TRUE(script.hangs());
    EXPECT_TRUE(host.restart(giver));
    EXPECT_EQ(live_, 1) << "the method still reads";
    EXPECT_EQ(module(host, giver).draining_generations, 1u);
    script.release();
    calling.join();
    EXPECT_TRUE(eventually([] { return !is_mapped("giver.g1"); }));
    EXPECT_EQ(live_, 0);
    EXPECT_EQ(module(host, "test.example/taker").generation, 1u);
    return *pushed;
  }
};

TEST_F(LentStreams, EndWithTheMethodThatTookOwnership) {
  const auto pushed = push_and_end("waits");
  EXPECT_EQ(pushed.status, TENON_OK) << "the read succeeded";
  EXPECT_EQ(pushed.releases, 1);
}

TEST_F(LentStreams, StayWithTheLenderIfTheMethodFails) {
  const auto pushed = push_and_end("asks");
  EXPECT_EQ(pushed.status, TENON_ABORTED | TENON_RETRYABLE) << "the method passes it on";
  EXPECT_EQ(pushed.releases, 0) << "the lender releases it itself";
}

TEST_F(Streams, InterruptAPluginThatWaitsForARestartedOne) {
  Host host(options());
  auto waiting = vault(host, giver);
  std::optional<test::Vault::CountResult> ended;
  std::thread counting([&] { ended = waiting->count("test.example/stream").value(); });
  ASSERT_TRUE(eventually([&] { return live_ == 1; }));
  while (live_ == 1) ASSERT_TRUE(host.restart(streams));
  counting.join();
  EXPECT_EQ(TENON_CODE(ended->status), TENON_ABORTED);
  EXPECT_EQ(ended->cancelled, TENON_NOT_CANCELLED) << "its own call is not cancelled";
}

/// A vault that was written with the C++ SDK, built for each ABI version.
class StreamsInCpp : public Streams, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(, StreamsInCpp, testing::Values("vault.so", "vault-abi-1.so"),
                         [](const auto& build) {
                           return std::string(build.index == 0 ? "Abi10" : "Abi11");
                         });

TEST_P(StreamsInCpp, AreReadAndWritten) {
  place(GetParam());
  Host host(options());
  auto store = host.create<test::Vault>("test.example/vault").value();
  ASSERT_TRUE(store->put("k", text("a longer value"), text("note")));
  EXPECT_EQ(live_, 0);
  EXPECT_FALSE(store->put("k", text("!"), std::nullopt));
  EXPECT_EQ(live_, 0);
  auto got = store->get("k").value();
  EXPECT_EQ(got.tag, "tagged");
  EXPECT_EQ(all(got.body).value(), "a longer value (note)");
  EXPECT_EQ(all(store->get("broken").value().body).error().message(), "the value is broken");
  auto writer = store->open("k").value();
  ASSERT_TRUE(writer.write(BytesView("written")));
  ASSERT_TRUE(writer.commit());
  EXPECT_EQ(all(store->get("k").value().body).value(), "written");
  ASSERT_TRUE(store->drop(text("dropped")));
  EXPECT_EQ(live_, 0);
  ASSERT_TRUE(store->keep(text("kept")));
  EXPECT_EQ(live_, 1);
  EXPECT_EQ(store->kept().value(), "kept");
  EXPECT_EQ(live_, 0);
  ASSERT_TRUE(store->keep(text("kept")));
  auto forever = store->get("forever").value();
  Call call;
  call.set_timeout(1ms);
  std::uint8_t room[8];
  EXPECT_EQ(forever.body.read(call, room).error().code(), "deadline-exceeded");
}

TEST_F(Streams, ReadDuringRepeatedRestarts) {
  Host host(short_timeouts());
  auto store = vault(host, giver);
  std::atomic<bool> over{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!over) {
        auto got = store->get("k");
        if (!got) {
          ++wrong;
          continue;
        }
        const auto read = all(got->body);
        if (!read && read.error().status() != revoked) ++wrong;
      }
    });
  }
  for (int i = 0; i < 50; ++i) {
    place(i % 2 == 0 ? "giver-2.so" : "giver-1.so", "giver.so");
    EXPECT_TRUE(host.restart(giver));
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(eventually([&] { return copies().size() == 1; }));
}

}}  // namespace tenon::tests
