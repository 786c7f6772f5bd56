// SPDX-License-Identifier: BSL-1.0
//
// Acknowledgements of destinations that write synchronously.
#include <tenon/call.hpp>
#include <tenon/sdk/holding_destination.hpp>
#include <tenon/sdk/writing_destination.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "builtin/log_destination.hpp"
#include "unit/builtins/plugins.hpp"

namespace tenon::builtin { namespace {

TEST(WritingDestinationTest, WaitsForAcksUntilCancelledOrStopped) {
  LogDestination log;
  tenon_destination_v2_next_acks_request in{sizeof in};
  const tenon_destination_v2_next_acks_response* out = nullptr;
  auto status = [&](Call& call) {
    const sdk::detail::Frame frame{call.raw(), nullptr};
    return sdk::detail::guarded(frame, [&] { return log.raw_next_acks(call.raw(), &in, &out); });
  };
  Call late;
  late.set_timeout(std::chrono::milliseconds(1));
  EXPECT_EQ(status(late), TENON_DEADLINE_EXCEEDED);
  log.stop({});
  Call call;
  EXPECT_EQ(status(call), TENON_OUT_OF_RANGE);
}

/// A destination that fails as the payload of a record specifies.
struct Choosy : sdk::WritingDestination {
  void configure(const sdk::Config&) override {}
  void write(RecordV2View record) override {
    const std::string_view what = record.payload().after().value_or(BytesView()).text();
    if (what == "failure") throw sdk::Failure(TENON_NOT_FOUND, "a failure");
    if (what == "exception") throw std::runtime_error("an exception");
    if (what == "busy") throw sdk::Failure(TENON_UNAVAILABLE, "too busy").retryable();
    if (what == "refusal") throw sdk::Refusal("wrong-color", "no ", 7, "th color");
    if (what == "fatal") throw sdk::Failure(TENON_NOT_FOUND, "the end").fatal();
  }
};

TEST(WritingDestinationTest, RefusesRecordsOneByOneUntilTheEnd) {
  Writing<Choosy> choosy(TextMap{});
  EXPECT_EQ(choosy.write({record("1", ""), record("2", "failure"), record("3", "exception")}),
            (Texts{"", "record-refused: a failure", "record-refused: an exception"}));
  EXPECT_EQ(failure_of(
                [&] {
                  choosy.write({record("4", ""), record("5", "fatal")});
                },
                TENON_NOT_FOUND | TENON_FATAL),
            "the end");
  EXPECT_EQ(failure_of([&] { choosy.write({record("6", "")}); }, TENON_NOT_FOUND | TENON_FATAL),
            "the end");
}

TEST(WritingDestinationTest, RefusesNoRecordIfTheCallIsCancelled) {
  Writing<Choosy> choosy(TextMap{});
  Call call;
  call.cancel();
  EXPECT_EQ(status_in(call, [&] { choosy.write({record("1", "failure")}); }), TENON_NOT_FOUND);
}

/// Writes only the first records of a batch; the payload of the first is their number.
struct InPart : sdk::WritingDestination {
  void configure(const sdk::Config&) override {}
  Refused write_all(ListView<RecordV2> records) override {
    const std::size_t written = std::stoul(std::string(records[0].payload().after()->text()));
    Refused refused;
    for (std::size_t i = written; i < records.size(); ++i) refused[i] = {"full", "no room", true};
    if (written > records.size()) refused[written] = {};
    return refused;
  }
};

TEST(WritingDestinationTest, RefusesTheRestOfAPartlyWrittenBatch) {
  Writing<InPart> destination(TextMap{});
  EXPECT_EQ(destination.write({record("1", "1"), record("2", ""), record("3", "")}),
            (Texts{"", "full: no room", "full: no room"}));
  EXPECT_EQ(destination.write({record("4", "2"), record("5", "")}), (Texts{"", ""}));
}

TEST(WritingDestinationTest, IgnoresFailuresPastTheEndOfABatch) {
  Writing<InPart> destination(TextMap{});
  EXPECT_EQ(failure_of(
                [&] {
                  destination.write({record("6", "3"), record("7", "")});
                },
                TENON_INTERNAL),
            "the plugin \"\" refused record 3 of a batch of 2, counted from 0");
  EXPECT_EQ(destination.write({record("8", "0")}), (Texts{"full: no room"}));
}

/// Refuses the record behind the batch.
struct Beyond : sdk::HoldingDestination {
  void configure(const sdk::Config&) override {}
  Refused write_all(ListView<RecordV2> records) override { return {{records.size(), {}}}; }
};

TEST(HoldingDestinationTest, FailsABatchIfARefusedRecordIsNotInIt) {
  Writing<Beyond> destination(TextMap{});
  EXPECT_NE(failure_of(
                [&] {
                  destination.write({record("1", ""), record("2", "")});
                },
                TENON_INTERNAL)
                .find("refused record 2 of a batch of 2, counted from 0"),
            std::string::npos);
}

TEST(WritingDestinationTest, ReportsCodeAndRetryabilityInAcks) {
  Choosy choosy;
  Call call;
  const Records batch = {record("1", "refusal"), record("2", "busy"), record("3", "exception"),
                         record("4", "")};
  const tenon_list raw = Value<Records>::raw<Copy::deep>(call.raw(), batch);
  choosy.write_batch(ListView<RecordV2>(raw));
  tenon_destination_v2_next_acks_request in{sizeof in};
  const tenon_destination_v2_next_acks_response* out = nullptr;
  ASSERT_EQ(choosy.raw_next_acks(call.raw(), &in, &out), TENON_OK);
  std::vector<std::optional<DestinationV2AckError>> errors;
  for (const DestinationV2Ack& ack : Value<std::vector<DestinationV2Ack>>::own(out->acks)) {
    errors.push_back(ack.error);
  }
  const decltype(errors) expected = {
      DestinationV2AckError{"wrong-color", "no 7th color", false},
      DestinationV2AckError{"record-refused", "too busy", true},
      DestinationV2AckError{"record-refused", "an exception", false},
      std::nullopt,
  };
  EXPECT_EQ(errors, expected);
}

TEST(WritingDestinationTest, AcknowledgesSeveralBatchesAtOnce) {
  Choosy choosy;
  Call call;
  const Records first = {record("1", ""), record("2", "failure")};
  const Records second = {record("3", "exception"), record("4", "")};
  for (const Records& batch : {first, second}) {
    const tenon_list raw = Value<Records>::raw<Copy::deep>(call.raw(), batch);
    choosy.write_batch(ListView<RecordV2>(raw));
  }
  choosy.stop({});  // open records are acknowledged nevertheless
  tenon_destination_v2_next_acks_request in{sizeof in};
  const tenon_destination_v2_next_acks_response* out = nullptr;
  ASSERT_EQ(choosy.raw_next_acks(call.raw(), &in, &out), TENON_OK);
  ASSERT_EQ(out->acks.count, 4u);
  const Texts errors = {"", "record-refused: a failure", "record-refused: an exception", ""};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& ack = TENON_AT(tenon_destination_v2_ack, out->acks, i);
    EXPECT_EQ(text(Value<Bytes>::own(ack.position)), "at " + std::to_string(i + 1));
    EXPECT_EQ(error_text(ack), errors[i]);
  }
  EXPECT_EQ(status_in(call, [&] { choosy.raw_next_acks(call.raw(), &in, &out); }),
            TENON_OUT_OF_RANGE);
}

TEST(WritingDestinationTest, WakesAThreadThatWaitsForAcks) {
  Choosy choosy;
  Call waiting;
  waiting.set_timeout(std::chrono::minutes(1));
  std::atomic<bool> begun{false};
  std::thread acks([&] {
    tenon_destination_v2_next_acks_request in{sizeof in};
    const tenon_destination_v2_next_acks_response* out = nullptr;
    begun = true;
    EXPECT_EQ(status_in(waiting, [&] { choosy.raw_next_acks(waiting.raw(), &in, &out); }),
              TENON_OK);
  });
  while (!begun) std::this_thread::yield();
  Call call;
  const Records batch = {record("1", "")};
  const tenon_list raw = Value<Records>::raw<Copy::deep>(call.raw(), batch);
  choosy.write_batch(ListView<RecordV2>(raw));
  acks.join();
}

/// Writes to memory. `sync` fails `failures` times.
struct Buffered : sdk::WritingDestination {
  void configure(const sdk::Config&) override {}
  void write(RecordV2View) override { ++written; }
  void sync() override {
    if (failures-- > 0) throw failure;
    synced = written;
  }
  int written = 0;
  int synced = 0;
  int failures = 0;
  sdk::Failure failure{TENON_DATA_LOSS, "lost"};
};

tenon_status write_and_collect(Buffered& destination) {
  Call call;
  const Records batch = {record("1", ""), record("2", "")};
  const tenon_list raw = Value<Records>::raw<Copy::deep>(call.raw(), batch);
  destination.write_batch(ListView<RecordV2>(raw));
  tenon_destination_v2_next_acks_request in{sizeof in};
  const tenon_destination_v2_next_acks_response* out = nullptr;
  return status_in(call, [&] { destination.raw_next_acks(call.raw(), &in, &out); });
}

TEST(WritingDestinationTest, SyncsBeforeItAcknowledges) {
  Buffered destination;
  EXPECT_EQ(write_and_collect(destination), TENON_OK);
  EXPECT_EQ(destination.synced, 2);
}

TEST(WritingDestinationTest, AcknowledgesNothingAfterSyncFailed) {
  Buffered destination;
  destination.failures = 1;
  EXPECT_EQ(write_and_collect(destination), TENON_DATA_LOSS);
  EXPECT_EQ(write_and_collect(destination), TENON_DATA_LOSS);
  EXPECT_EQ(destination.synced, 0);
}

TEST(WritingDestinationTest, SyncsAgainAfterARetryableFailure) {
  Buffered destination;
  destination.failures = 1;
  destination.failure = sdk::Failure(TENON_UNAVAILABLE, "busy").retryable();
  EXPECT_EQ(write_and_collect(destination), TENON_UNAVAILABLE | TENON_RETRYABLE);
  EXPECT_EQ(write_and_collect(destination), TENON_OK);
  EXPECT_EQ(destination.synced, 4);
}

/// A destination whose `flush` fails, and counts its calls.
struct Flushing : sdk::WritingDestination {
  void configure(const sdk::Config&) override {}
  void write(RecordV2View) override {}
  void flush() override {
    if (++flushes == 1) throw sdk::Failure(*failure);
  }
  tenon_status stop_once() {
    Call call;
    return status_in(call, [&] { stop({}); });
  }

  std::optional<sdk::Failure> failure;  // of the first call
  int flushes = 0;
};

TEST(WritingDestinationTest, FlushesAgainAfterARetryableFailure) {
  Flushing destination;
  destination.failure = sdk::Failure(TENON_UNAVAILABLE, "busy").retryable();
  EXPECT_EQ(destination.stop_once(), TENON_UNAVAILABLE | TENON_RETRYABLE);
  EXPECT_EQ(destination.stop_once(), TENON_OK);
  EXPECT_EQ(destination.flushes, 2);
}

TEST(WritingDestinationTest, DoesNotFlushAgainAfterAnotherFailure) {
  Flushing destination;
  destination.failure = sdk::Failure(TENON_DATA_LOSS, "lost");
  EXPECT_EQ(destination.stop_once(), TENON_DATA_LOSS);
  EXPECT_EQ(destination.stop_once(), TENON_OK);
  EXPECT_EQ(destination.flushes, 1);
}

/// PendingAcks without a destination, with batches of one record.
class PendingAcksTest : public testing::Test {
 protected:
  void begin() { acks_.begin_batch(ListView<RecordV2>(batch_)); }
  /// Collects the available acknowledgements in a call that does not wait, and returns its status.
  tenon_status take() {
    Call call;
    call.cancel();
    return status_in(call, [&] {
      const sdk::Call collecting(call.raw());
      const tenon_list taken = acks_.collect(collecting, acks_.await_resolved(collecting));
      for (std::size_t i = 0; i < taken.count; ++i) {
        taken_.push_back(error_text(TENON_AT(tenon_destination_v2_ack, taken, i)));
      }
    });
  }

  Call call_;
  const Records records_ = {record("1", "")};
  const tenon_list batch_ = Value<Records>::raw<Copy::shallow>(call_.raw(), records_);
  sdk::detail::PendingAcks acks_{"test.example/acks"};
  Texts taken_;
};

TEST_F(PendingAcksTest, ReturnsAcksOnlyOfCompleteBatches) {
  begin();
  acks_.resolve(acks_.defer(0), {});
  EXPECT_EQ(take(), TENON_CANCELLED);
  acks_.end_batch({});
  EXPECT_EQ(take(), TENON_OK);
}

TEST_F(PendingAcksTest, IgnoresAcksOfADiscardedBatch) {
  begin();
  const auto withdrawn = acks_.defer(0);
  acks_.discard_batch();
  begin();
  const auto open = acks_.defer(0);
  acks_.end_batch({});
  acks_.resolve(withdrawn, DestinationV2AckError{"late", "too late", false});
  EXPECT_EQ(take(), TENON_CANCELLED);
  acks_.resolve(open, {});
  EXPECT_EQ(take(), TENON_OK);
  EXPECT_EQ(taken_, Texts{""});
}

TEST_F(PendingAcksTest, IgnoresAcksAfterTheEnd) {
  begin();
  const auto open = acks_.defer(0);
  acks_.end_batch({});
  EXPECT_EQ(acks_.close(), 1u);
  acks_.resolve(open, {});
  EXPECT_EQ(take(), TENON_OK);
  acks_.resolve(open, {});
  EXPECT_EQ(take(), TENON_OUT_OF_RANGE);
  EXPECT_EQ(taken_.front().substr(0, 11), "unanswered:");
}

TEST(ReadablePosition, IsTextOrHexDigits) {
  EXPECT_EQ(sdk::detail::readable("1734 12"), "\"1734 12\"");
  EXPECT_EQ(sdk::detail::readable(std::string_view("\x00\xfe\x1b", 3)), "0x00fe1b");
}

}}  // namespace tenon::builtin
