// SPDX-License-Identifier: BSL-1.0
//
// The records on their way through a pipeline: how long they stay.
#include "pipeline/transit.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <future>
#include <string>
#include <vector>

namespace pipeline {
namespace {

using Positions = std::vector<std::string>;

class TransitTest : public testing::Test {
 protected:
  /// Reads a batch of records with these positions.
  tenon::Call* read(const Positions& positions) {
    std::vector<tenon::RecordV2> records(positions.size());
    for (std::size_t i = 0; i < positions.size(); i++) {
      records[i].position = tenon::to_bytes(positions[i]);
    }
    tenon::Call* call = transit_.await_room().call;
    call->reset();
    using List = tenon::Value<std::vector<tenon::RecordV2>>;
    transit_.add(Records(List::raw<tenon::Copy::deep>(call->raw(), records)));
    return call;
  }
  /// Settles the oldest record.
  void settle_one() {
    for (const std::size_t lane : {0, 1}) {
      EXPECT_EQ(transit_.offer(lane).size(), 1u);
      transit_.sent(lane);
      transit_.acknowledge(lane, 1);
    }
    EXPECT_TRUE(transit_.await_acknowledged());
    transit_.settle(1);
  }
  static Positions positions(const Records& records) {
    Positions all;
    for (const auto record : records) all.emplace_back(record.position().text());
    return all;
  }

  Transit transit_{2};
};

/// A destination may acknowledge what it has not finished reading.
TEST_F(TransitTest, KeepsABatchThatADestinationStillReads) {
  const tenon::Call* first = read({"1", "2"});
  read({"3", "4"});
  read({"5"});
  read({"6"});
  for (const std::size_t lane : {0, 1}) {
    EXPECT_EQ(positions(transit_.offer(lane)), (Positions{"1", "2"}));
    transit_.sent(lane);
  }
  const Records still_read = transit_.offer(0);
  transit_.acknowledge(0, 4);
  transit_.offer(1);
  transit_.sent(1);
  transit_.acknowledge(1, 4);

  EXPECT_EQ(transit_.await_acknowledged(), 2u);
  transit_.settle(2);
  EXPECT_EQ(read({"7"}), first) << "its memory is used again";
  EXPECT_EQ(positions(still_read), (Positions{"3", "4"}));

  transit_.sent(0);
  EXPECT_EQ(transit_.await_acknowledged(), 4u);
}

TEST_F(TransitTest, ReturnsAllRecordsInOrderWithManyBatches) {
  Positions all;
  for (int i = 0; i < 100; i++) {  // the ring grows at any offset
    read({std::to_string(i)});
    all.push_back(std::to_string(i));
    if (i % 3 != 0) continue;
    settle_one();
    all.erase(all.begin());
  }
  Positions offered;
  for (Records records; !(records = transit_.offer(0)).empty(); transit_.sent(0)) {
    for (const std::string& position : positions(records)) offered.push_back(position);
  }
  EXPECT_EQ(offered, all);
}

class Windows : public testing::Test {
 protected:
  /// Reads one record with a payload of a size.
  static void read(Transit& transit, std::size_t size) {
    tenon::RecordV2 record;
    record.position = {1};
    record.payload.after = tenon::Bytes(size - 1);
    tenon::Call* call = transit.await_room().call;
    call->reset();
    using List = tenon::Value<std::vector<tenon::RecordV2>>;
    transit.add(Records(List::raw<tenon::Copy::deep>(call->raw(), {record})));
  }
  /// Settles the oldest record.
  static void settle_one(Transit& transit) {
    EXPECT_EQ(transit.offer(0).size(), 1u);
    transit.sent(0);
    transit.acknowledge(0, 1);
    EXPECT_TRUE(transit.await_acknowledged());
    transit.settle(1);
  }
};

TEST_F(Windows, LimitTheRecordsOfARead) {
  Transit transit(1, {.records = 1003, .bytes = 1 << 20});
  EXPECT_EQ(transit.await_room().records, 1000) << "the most for one batch";
  for (int i = 0; i < 5; i++) read(transit, 1);
  EXPECT_EQ(transit.await_room().records, 998);
}

TEST_F(Windows, LimitTheBytesOfARead) {
  Transit transit(1, {.records = 10, .bytes = (1 << 20) + 100});
  EXPECT_EQ(transit.await_room().bytes, 1 << 20) << "the most for one batch";
  read(transit, 101);
  EXPECT_EQ(transit.await_room().bytes, (1 << 20) - 1);
}

TEST_F(Windows, AreFullWithTheirLastRecord) {
  Transit transit(1, {.records = 2, .bytes = 1000});
  read(transit, 1);
  EXPECT_TRUE(transit.has_room());
  read(transit, 1);
  EXPECT_FALSE(transit.has_room());
  settle_one(transit);
  EXPECT_TRUE(transit.has_room());
}

TEST_F(Windows, AreFullWithTheirLastByte) {
  Transit transit(1, {.records = 10, .bytes = 1000});
  read(transit, 999);
  EXPECT_TRUE(transit.has_room());
  read(transit, 5000);  // more than was wanted
  EXPECT_FALSE(transit.has_room());
  settle_one(transit);
  EXPECT_FALSE(transit.has_room());
  settle_one(transit);
  EXPECT_TRUE(transit.has_room());
}

/// One that ended in the middle of a write is not told that it has written.
TEST_F(TransitTest, DoesNotWaitForADestinationThatHasEnded) {
  read({"1", "2"});
  for (const std::size_t lane : {0, 1}) {
    transit_.offer(lane);
    transit_.acknowledge(lane, 2);
  }
  transit_.sent(0);
  for (int thread = 0; thread < 2; thread++) transit_.finish(1);
  EXPECT_EQ(transit_.await_acknowledged(), 2u);
}

// -- Refused records ----------------------------------------------------------

class RefusedTest : public TransitTest {
 protected:
  /// Reads records, and brings them to both destinations.
  void deliver(const Positions& positions) {
    read(positions);
    for (const std::size_t lane : {0, 1}) {
      transit_.offer(lane);
      transit_.sent(lane);
    }
  }
  std::future<bool> refuse(std::size_t lane) {
    return std::async(std::launch::async, [this, lane] {
      return transit_.refuse(lane, {.code = "ugly", .message = "too ugly", .retryable = false});
    });
  }
};

TEST_F(RefusedTest, SettlesARefusedRecordAlone) {
  deliver({"1", "2", "3", "4"});
  transit_.acknowledge(0, 4);
  transit_.acknowledge(1, 2);
  std::future<bool> settled = refuse(1);
  ASSERT_EQ(transit_.await_acknowledged(), 2u);
  EXPECT_TRUE(transit_.refusals().empty()) << "not of the first record";
  transit_.settle(2);
  ASSERT_EQ(transit_.await_acknowledged(), 3u);
  const auto refusals = transit_.refusals();
  ASSERT_EQ(refusals.size(), 1u);
  EXPECT_EQ(refusals[0].lane, 1u);
  EXPECT_EQ(refusals[0].error.code, "ugly");
  EXPECT_EQ(settled.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  transit_.settle(1);
  EXPECT_TRUE(settled.get());
  transit_.acknowledge(1, 1);
  ASSERT_EQ(transit_.await_acknowledged(), 4u);
  EXPECT_TRUE(transit_.refusals().empty());
  transit_.settle(1);
  EXPECT_EQ(to_text(transit_.counts()), "records: read 4, written 4, acknowledged 4, refused 1");
}

TEST_F(RefusedTest, HasTheRefusalsOfAllDestinations) {
  deliver({"1", "2"});
  std::future<bool> first = refuse(0);
  std::future<bool> second = refuse(1);
  ASSERT_EQ(transit_.await_acknowledged(), 1u);
  EXPECT_EQ(transit_.refusals().size(), 2u);
  transit_.settle(1);
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get());
}

TEST_F(RefusedTest, WaitsNoLongerWhenNothingIsSettled) {
  deliver({"1", "2"});
  std::future<bool> settled = refuse(0);
  transit_.end_settling();
  EXPECT_FALSE(settled.get());
}

/// The other destination has failed and will not acknowledge the record.
TEST_F(RefusedTest, WaitsNoLongerForADestinationThatFinished) {
  deliver({"1", "2"});
  transit_.acknowledge(1, 1);
  transit_.acknowledge(0, 1);
  std::future<bool> settled = refuse(0);
  transit_.close(1);
  transit_.finish(1);
  transit_.finish(1);
  EXPECT_FALSE(settled.get());
}

}  // namespace
}  // namespace pipeline
