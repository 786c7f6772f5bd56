// SPDX-License-Identifier: BSL-1.0
//
// A destination of version 1 adapted to version 2, especially batches that are accepted in part.
#include <tenon/call.hpp>
#include <tenon/destination.hpp>
#include <tenon/detail/steps.hpp>
#include <tenon/values.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tenon { namespace {

using namespace std::chrono_literals;
using Positions = std::vector<std::string>;

/// Accepts every record except those with the payload "refuse"; "unwritable" ones fail later. `ack`
/// waits for an acknowledgement, and `write` until there is room for its acknowledgement.
struct Target {
  std::mutex mutex;
  std::condition_variable changed;
  struct Answer {
    Bytes position;
    std::optional<std::string> error;
  };
  std::deque<Answer> open;
  bool stopped = false;
  std::size_t room = SIZE_MAX;
  std::chrono::milliseconds pause_after_write{0};

  static Target& of(void* self) { return *static_cast<Target*>(self); }
  static tenon_status write(tenon_call* call, void* self,
                            const tenon_destination_v1_write_request* in) {
    const RecordV1 record = Value<RecordV1>::own(in->record);
    const std::string payload(BytesView(*record.payload).text());
    if (payload == "refuse") return tenon_fail(call, TENON_INVALID_ARGUMENT, "refused");
    if (payload == "break") return tenon_fail(call, TENON_INTERNAL | TENON_FATAL, "broken");
    if (payload == "say nothing") return TENON_UNAVAILABLE | TENON_RETRYABLE;
    {
      std::unique_lock lock(of(self).mutex);
      while (of(self).open.size() >= of(self).room) {
        if (Call::of(call).cancelled()) {
          return tenon_fail(call, TENON_CANCELLED, "nobody takes answers");
        }
        of(self).changed.wait_for(lock, 1ms);
      }
      std::optional<std::string> error;
      if (payload == "unwritable") error = "the disk is full";
      if (payload == "no text") error = "";  // `ack` returns it without data
      of(self).open.push_back({record.position, error});
    }
    of(self).changed.notify_all();
    std::this_thread::sleep_for(of(self).pause_after_write);
    return TENON_OK;
  }
  static tenon_status ack(tenon_call* call, void* self, const tenon_destination_v1_ack_request*,
                          const tenon_destination_v1_ack_response** out) {
    std::unique_lock lock(of(self).mutex);
    while (of(self).open.empty()) {
      if (of(self).stopped) return tenon_fail(call, TENON_OUT_OF_RANGE, "nothing is open");
      if (Call::of(call).cancelled()) {
        return tenon_fail(call, TENON_CANCELLED, "cancelled");
      }
      of(self).changed.wait_for(lock, 1ms);
    }
    auto* answer = new_response<tenon_destination_v1_ack_response>(call);
    answer->position = Value<Bytes>::raw<Copy::deep>(call, of(self).open.front().position);
    answer->error =
        Value<std::optional<std::string>>::raw<Copy::deep>(call, of(self).open.front().error);
    if (answer->error.size == 0 && of(self).open.front().error) answer->error = {nullptr, 1};
    of(self).open.pop_front();
    of(self).changed.notify_all();
    *out = answer;
    return TENON_OK;
  }
  static tenon_status stop(tenon_call*, void* self, const tenon_destination_v1_stop_request*) {
    std::lock_guard lock(of(self).mutex);
    of(self).stopped = true;
    return TENON_OK;
  }
};

struct DestinationStepTest : testing::Test {
  DestinationStepTest() {
    below.struct_size = sizeof below;
    below.version = 1;
    below.write = Target::write;
    below.ack = Target::ack;
    below.stop = Target::stop;
    self = adapter.create(&below, &target, "me.example/target");
  }
  ~DestinationStepTest() override { adapter.destroy(self); }

  const tenon_destination_v2& table() const {
    return *static_cast<const tenon_destination_v2*>(adapter.table);
  }
  /// Writes a batch of records, whose positions equal their payloads.
  tenon_status write(Call& call, const Positions& payloads) {
    std::vector<RecordV2> records;
    for (const std::string& payload : payloads) {
      records.emplace_back().position = to_bytes(payload);
      records.back().payload.after = to_bytes(payload);
    }
    const tenon_destination_v2_write_batch_request in{
        sizeof in, Value<std::vector<RecordV2>>::raw<Copy::shallow>(call.raw(), records)};
    return table().write_batch(call.raw(), self, &in);
  }
  tenon_status write(const Positions& payloads) { return write(call, payloads); }

  /// Returns the next acknowledgements as positions, followed by code and message of an error. A
  /// retryable error has a "?".
  tenon_status next(Call& call, Positions& acks) {
    const tenon_destination_v2_next_acks_request in{sizeof in};
    const tenon_destination_v2_next_acks_response* out = nullptr;
    const tenon_status status = table().next_acks(call.raw(), self, &in, &out);
    if (status != TENON_OK) return status;
    for (const auto& ack : Value<std::vector<DestinationV2Ack>>::own(out->acks)) {
      acks.push_back(std::string(BytesView(ack.position).text()) +
                     (ack.error ? ": " + ack.error->code + (ack.error->retryable ? "?" : "") +
                                      ": " + ack.error->message
                                : ""));
    }
    return TENON_OK;
  }
  Positions next(std::size_t count) {
    Positions acks;
    while (acks.size() < count) {
      if (next(call, acks) != TENON_OK) break;
    }
    return acks;
  }

  const Adapter& adapter = *Destination::kind().find(1)->adapter_to(2);
  Target target;
  tenon_destination_v1 below{};
  void* self;
  Call call;
};

constexpr const char* behind =
    ": not-written?: not written because an earlier record of the batch was refused";

TEST_F(DestinationStepTest, WritesABatchInOrder) {
  EXPECT_EQ(write({"a", "unwritable", "c"}), TENON_OK);
  EXPECT_EQ(next(3), (Positions{"a", "unwritable: record-refused: the disk is full", "c"}));
}

TEST_F(DestinationStepTest, FailsIfNoRecordIsAccepted) {
  EXPECT_EQ(write({"refuse", "b"}), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(call.message(), "refused");
  EXPECT_EQ(write({"c"}), TENON_OK);
  EXPECT_EQ(next(1), Positions{"c"});  // the failed batch is not acknowledged
}

TEST_F(DestinationStepTest, RefusesTheRestOfABatchInOrder) {
  EXPECT_EQ(write({"a", "refuse", "c"}), TENON_OK);
  EXPECT_EQ(write({"d"}), TENON_OK);
  EXPECT_EQ(next(4),
            (Positions{"a", "refuse: invalid-argument: refused", "c" + std::string(behind), "d"}));
}

TEST_F(DestinationStepTest, NamesTheStatusOfAFailureWithoutAMessage) {
  EXPECT_EQ(write({"a", "say nothing"}), TENON_OK);
  EXPECT_EQ(next(2), (Positions{"a", "say nothing: unavailable?: unavailable"}));
}

TEST_F(DestinationStepTest, RefusesAnErrorWithoutData) {
  EXPECT_EQ(write({"no text"}), TENON_OK);
  Positions none;
  EXPECT_EQ(next(call, none), TENON_INTERNAL);
  EXPECT_EQ(call.message(), "the plugin returned a size without data in 'error'");
}

TEST_F(DestinationStepTest, ForwardsFatalFailures) {
  EXPECT_EQ(write({"a", "break"}), TENON_INTERNAL | TENON_FATAL);
}

TEST_F(DestinationStepTest, ReturnsRefusalsAfterStop) {
  EXPECT_EQ(write({"a", "refuse"}), TENON_OK);
  const tenon_destination_v2_stop_request in{sizeof in, {nullptr, 0}};
  EXPECT_EQ(table().stop(call.raw(), self, &in), TENON_OK);
  EXPECT_EQ(next(2), (Positions{"a", "refuse: invalid-argument: refused"}));
  Positions none;
  EXPECT_EQ(next(call, none), TENON_OUT_OF_RANGE);
}

TEST_F(DestinationStepTest, WakesAThreadThatWaitsForAcks) {
  // "a" may be acknowledged before write_batch returns the refusal of the next record.
  target.pause_after_write = 5ms;
  for (int round = 0; round < 10; ++round) {
    Positions acks;
    std::thread collector([&] {
      Call own;
      while (acks.size() < 2 && next(own, acks) == TENON_OK) {
      }
    });
    std::this_thread::sleep_for(1ms);
    EXPECT_EQ(write({"a", "refuse"}), TENON_OK);
    collector.join();
    EXPECT_EQ(acks, (Positions{"a", "refuse: invalid-argument: refused"}));
  }
}

/// Each write waits until the previous one is acknowledged, within the batch.
TEST_F(DestinationStepTest, WritesToAPluginWithAQueueOfOne) {
  target.room = 1;
  call.set_timeout(20s);
  Positions acks;
  std::thread collector([&] {
    Call own;
    own.set_timeout(20s);
    while (acks.size() < 7 && next(own, acks) == TENON_OK) {
    }
  });
  EXPECT_EQ(write({"a", "unwritable", "c"}), TENON_OK);
  EXPECT_EQ(write({"d", "e", "refuse", "g"}), TENON_OK);
  collector.join();
  EXPECT_EQ(acks, (Positions{"a", "unwritable: record-refused: the disk is full", "c", "d", "e",
                             "refuse: invalid-argument: refused", "g" + std::string(behind)}));
}

TEST_F(DestinationStepTest, StopsWaitingForAcksIfCancelled) {
  Call own;
  tenon_status status = TENON_OK;
  std::thread collector([&] {
    Positions acks;
    status = next(own, acks);
  });
  std::this_thread::sleep_for(2ms);
  own.cancel();
  collector.join();
  EXPECT_EQ(status, TENON_CANCELLED);
}

}}  // namespace tenon
