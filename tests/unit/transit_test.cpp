// SPDX-License-Identifier: BSL-1.0
//
// The records on their way through a pipeline: how long they stay.
#include "pipeline/transit.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
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

TEST_F(RefusedTest, WaitsForTheRecordsBeforeARefusedOne) {
  deliver({"1", "2", "3", "4"});
  transit_.acknowledge(0, 4);
  transit_.acknowledge(1, 2);
  std::future<bool> passed = refuse(1);
  ASSERT_EQ(transit_.await_acknowledged(), 2u);
  EXPECT_FALSE(transit_.refused()) << "not the first record";
  transit_.settle(2);
  ASSERT_TRUE(transit_.await_acknowledged());
  const auto refused = transit_.refused();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->number, 2u);
  EXPECT_EQ(refused->record.position().text(), "3");
  ASSERT_EQ(refused->refusals.size(), 1u);
  EXPECT_EQ(refused->refusals[0].number, 1u);
  EXPECT_EQ(refused->refusals[0].error.code, "ugly");
  EXPECT_EQ(passed.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  transit_.pass_refused();
  EXPECT_TRUE(passed.get());
  transit_.acknowledge(1, 1);
  ASSERT_EQ(transit_.await_acknowledged(), 4u);
  EXPECT_FALSE(transit_.refused());
  transit_.settle(2);
  EXPECT_EQ(to_text(transit_.counts()), "records: read 4, written 4, acknowledged 4, refused 1");
}

TEST_F(RefusedTest, HasTheRefusalsOfAllDestinations) {
  deliver({"1", "2"});
  std::future<bool> first = refuse(0);
  std::future<bool> second = refuse(1);
  ASSERT_TRUE(transit_.await_acknowledged());
  ASSERT_TRUE(transit_.refused());
  EXPECT_EQ(transit_.refused()->refusals.size(), 2u);
  transit_.pass_refused();
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

// -- Processed records --------------------------------------------------------

/// One destination, and a processor.
class ProcessedTest : public testing::Test {
 protected:
  using RecordList = tenon::Value<std::vector<tenon::RecordV2>>;

  static std::vector<tenon::RecordV2> records(const Positions& keys) {
    std::vector<tenon::RecordV2> all(keys.size());
    for (std::size_t i = 0; i < keys.size(); i++) {
      all[i].position = tenon::to_bytes(keys[i]);
      all[i].key = all[i].position;
    }
    return all;
  }
  void read(const Positions& positions) {
    tenon::Call* call = transit_.await_room().call;
    call->reset();
    transit_.add(Records(RecordList::raw<tenon::Copy::deep>(call->raw(), records(positions))));
  }
  /// Processes the next batch. The result of each record is a list of keys, or "!" to refuse it.
  void process(const std::vector<Positions>& results) {
    const auto work = transit_.await_read();
    ASSERT_TRUE(work);
    work->processed.begin(work->read);
    step(0, work->processed, results);
    transit_.add_processed();
  }
  static void step(std::size_t processor, Processed& batch, const std::vector<Positions>& results) {
    tenon::Call& call = batch.call(processor);
    call.reset();
    ASSERT_EQ(batch.begin_step().size(), results.size());
    for (std::size_t i = 0; i < results.size(); i++) {
      if (results[i] == Positions{"!"}) {
        batch.refuse(i, {Refusal::By::processor, 0, {"ugly", "too ugly", false}});
      } else {
        batch.replace(i,
                      Records(RecordList::raw<tenon::Copy::deep>(call.raw(), records(results[i]))));
      }
    }
  }
  /// The keys of what is sent next.
  Positions send() {
    Positions all;
    for (const auto record : transit_.offer(0)) all.emplace_back(record.key()->text());
    transit_.sent(0);
    return all;
  }
  /// The position of the record that is refused next.
  std::string refused() {
    EXPECT_TRUE(transit_.await_acknowledged());
    const auto refused = transit_.refused();
    return refused ? std::string(refused->record.position().text()) : "-";
  }

  Transit transit_{1, {}, true};
};

TEST_F(ProcessedTest, KeepThePositionsOfTheRecordsTheyCameFrom) {
  read({"1", "2", "3"});
  process({{"a"}, {}, {"b", "c"}});
  const Records sent = transit_.offer(0);
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[0].position().text(), "1");
  EXPECT_EQ(sent[1].position().text(), "3");
  EXPECT_EQ(sent[2].position().text(), "3");
}

TEST_F(ProcessedTest, SettleARecordWithItsLastPart) {
  read({"1", "2", "3"});
  process({{"a"}, {"b", "c", "d"}, {"e"}});
  EXPECT_EQ(send(), (Positions{"a", "b", "c", "d", "e"}));
  transit_.acknowledge(0, 3);
  EXPECT_EQ(transit_.await_acknowledged(), 1u);
  transit_.settle(1);
  transit_.acknowledge(0, 1);
  EXPECT_EQ(transit_.await_acknowledged(), 2u);
  transit_.settle(1);
  EXPECT_EQ(to_text(transit_.settled_counts()), "records: read 2, written 4, acknowledged 2");
  EXPECT_EQ(to_text(transit_.counts()), "records: read 3, written 5, acknowledged 2");
}

TEST_F(ProcessedTest, SettleFilteredRecordsAfterThoseBefore) {
  read({"1", "2"});
  read({"3"});
  read({"4", "5"});
  process({{"a"}, {}});
  process({{}});
  process({{}, {"b"}});
  EXPECT_EQ(send(), Positions{"a"});
  EXPECT_EQ(send(), Positions{"b"});
  transit_.acknowledge(0, 1);
  EXPECT_EQ(transit_.await_acknowledged(), 4u);
  transit_.settle(2);
  transit_.settle(1);
  transit_.settle(1);
  transit_.acknowledge(0, 1);
  EXPECT_EQ(transit_.await_acknowledged(), 5u);
}

TEST_F(ProcessedTest, HoldNothingIfAllAreFiltered) {
  for (std::uint64_t i = 0; i < 100'000; i++) {
    read({"x"});
    process({{}});
    ASSERT_EQ(transit_.await_acknowledged(), i + 1);
    EXPECT_EQ(transit_.unsettled(i + 1).size(), 1u);
    transit_.settle(1);
    ASSERT_EQ(transit_.await_room().records, 1000);
  }
}

TEST_F(ProcessedTest, AreRefusedWithTheWholeRecord) {
  read({"1", "2", "3"});
  const auto work = transit_.await_read();
  work->processed.begin(work->read);
  step(0, work->processed, {{"a"}, {"b", "c", "d"}, {"!"}});
  step(1, work->processed, {{"A"}, {"B"}, {"!"}, {"D"}});
  transit_.add_processed();
  EXPECT_EQ(send(), Positions{"A"});
  transit_.acknowledge(0, 1);
  EXPECT_EQ(transit_.await_acknowledged(), 1u);
  EXPECT_FALSE(transit_.refused()) << "not the first record";
  transit_.settle(1);
  EXPECT_EQ(refused(), "2");
  transit_.pass_refused();
  EXPECT_EQ(transit_.await_acknowledged(), 2u);
  transit_.settle(1);
  EXPECT_EQ(refused(), "3");
  transit_.pass_refused();
  EXPECT_EQ(transit_.await_acknowledged(), 3u);
  EXPECT_EQ(transit_.counts().refused, 2u);
}

/// The destination is asked for the other parts when one is in the dead letters.
TEST_F(ProcessedTest, AreRefusedAsPartsByDestinations) {
  read({"1", "2"});
  process({{"a"}, {"b", "c", "d"}});
  send();
  transit_.acknowledge(0, 2);
  std::future<bool> passed = std::async(std::launch::async, [this] {
    return transit_.refuse(0, {"ugly", "too ugly", false});
  });
  ASSERT_EQ(transit_.await_acknowledged(), 1u);
  transit_.settle(1);
  EXPECT_EQ(refused(), "2");
  EXPECT_EQ(transit_.refused()->record.key()->text(), "c");
  transit_.pass_refused();
  EXPECT_TRUE(passed.get());
  transit_.acknowledge(0, 1);
  EXPECT_EQ(transit_.await_acknowledged(), 2u);
}

TEST_F(ProcessedTest, EndForTheDestinationWithTheLastBatch) {
  read({"1", "2"});
  transit_.end_reading();
  process({{"a"}, {}});
  EXPECT_EQ(send(), Positions{"a"});
  EXPECT_FALSE(transit_.await_read());
  transit_.end_processing();
  EXPECT_EQ(transit_.last_position()->text(), "1");
  transit_.acknowledge(0, 1);
  EXPECT_FALSE(transit_.await_offered(0));
}

}  // namespace
}  // namespace pipeline
