// SPDX-License-Identifier: BSL-1.0
//
// The acknowledgements of destinations that write each record at once.
#include "builtin/log_destination.hpp"
#include "unit/builtins/plugins.hpp"

#include <tenon/call.hpp>
#include <tenon/sdk/writing_destination.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

namespace tenon::builtin {
namespace {

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

/// A destination that fails in the way that the text of a record names.
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
            (Texts{"", "refused: a failure", "refused: an exception"}));
  EXPECT_EQ(failure_of(
                [&] {
                  choosy.write({record("4", ""), record("5", "fatal")});
                },
                TENON_NOT_FOUND | TENON_FATAL),
            "the end");
  Call call;
  call.cancel();
  EXPECT_EQ(status_in(call, [&] { choosy.write({record("6", "failure")}); }), TENON_NOT_FOUND);
  EXPECT_EQ(choosy.write({record("7", "failure"), record("8", "")}),
            (Texts{"refused: a failure", ""}));
}

TEST(WritingDestinationTest, ErrorsOfAcksHaveACodeAndSayWhetherARetryHelps) {
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
      DestinationV2AckError{"refused", "too busy", true},
      DestinationV2AckError{"refused", "an exception", false},
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
  choosy.stop({});  // what is open is acknowledged nevertheless
  tenon_destination_v2_next_acks_request in{sizeof in};
  const tenon_destination_v2_next_acks_response* out = nullptr;
  ASSERT_EQ(choosy.raw_next_acks(call.raw(), &in, &out), TENON_OK);
  ASSERT_EQ(out->acks.count, 4u);
  const Texts errors = {"", "refused: a failure", "refused: an exception", ""};
  for (std::size_t i = 0; i < 4; i++) {
    const auto& ack = TENON_AT(tenon_destination_v2_ack, out->acks, i);
    EXPECT_EQ(text(Value<Bytes>::own(ack.position)), "at " + std::to_string(i + 1));
    EXPECT_EQ(error_text(ack), errors[i]);
  }
  EXPECT_EQ(status_in(call, [&] { choosy.raw_next_acks(call.raw(), &in, &out); }),
            TENON_OUT_OF_RANGE);
}

TEST(WritingDestinationTest, AcksReachAThreadThatWaitsForThem) {
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

}  // namespace
}  // namespace tenon::builtin
