// SPDX-License-Identifier: BSL-1.0
//
// The window of in-flight records: when batches are released, and what is committed.
#include "pipeline/in_flight_window.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <set>
#include <string>
#include <vector>

#include "framework/test_clock.hpp"

namespace pipeline { namespace {

namespace tests = tenon::tests;
using namespace std::chrono_literals;

using Positions = std::vector<std::string>;

class InFlightWindowTest : public testing::Test {
 protected:
  /// By default each read is a batch.
  explicit InFlightWindowTest(const BatchLimits& batch = {.records = 1})
      : window_(2, {}, false, batch) {}

  /// Reads a batch of records with these positions.
  tenon::Call* read(const Positions& positions) { return read(positions, window_); }
  static tenon::Call* read(const Positions& positions, InFlightWindow& window) {
    std::vector<tenon::RecordV2> records(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      records[i].position = tenon::to_bytes(positions[i]);
    }
    tenon::Call* call = window.await_capacity().call;
    call->reset();
    using List = tenon::Value<std::vector<tenon::RecordV2>>;
    window.add(Records(List::raw<tenon::Copy::deep>(call->raw(), records)));
    return call;
  }
  /// Commits the oldest record.
  void commit_one() {
    for (const std::size_t destination : {0, 1}) {
      EXPECT_EQ(window_.offer(destination).size(), 1u);
      window_.mark_sent(destination);
      window_.acknowledge(destination, 1);
    }
    EXPECT_TRUE(window_.await_committable());
    window_.commit(1);
  }
  static Positions positions(const Records& records) {
    Positions all;
    for (const auto record : records) all.emplace_back(record.position().text());
    return all;
  }

  InFlightWindow window_;
};

/// A destination may acknowledge records that it has not finished reading.
TEST_F(InFlightWindowTest, KeepsABatchWhileADestinationReadsIt) {
  const tenon::Call* first = read({"1", "2"});
  read({"3", "4"});
  read({"5"});
  read({"6"});
  for (const std::size_t destination : {0, 1}) {
    EXPECT_EQ(positions(window_.offer(destination)), (Positions{"1", "2"}));
    window_.mark_sent(destination);
  }
  const Records still_read = window_.offer(0);
  window_.acknowledge(0, 4);
  window_.offer(1);
  window_.mark_sent(1);
  window_.acknowledge(1, 4);

  EXPECT_EQ(window_.await_committable(), 2u);
  window_.commit(2);
  EXPECT_EQ(read({"7"}), first) << "its memory is used again";
  EXPECT_EQ(positions(still_read), (Positions{"3", "4"}));

  window_.mark_sent(0);
  EXPECT_EQ(window_.await_committable(), 4u);
}

/// A destination may acknowledge part of a batch before the write of the batch fails.
TEST_F(InFlightWindowTest, ReturnsNothingPastTheEndOfAClosedDestination) {
  read({"1", "2", "3"});
  EXPECT_EQ(window_.offer(0).size(), 3u);
  window_.acknowledge(0, 2);
  window_.close(0);
  EXPECT_EQ(positions(window_.unacknowledged(0)), Positions{});
  EXPECT_FALSE(window_.await_offered(0));
}

TEST_F(InFlightWindowTest, ReturnsAllRecordsInOrderWithManyBatches) {
  Positions all;
  for (int i = 0; i < 100; ++i) {  // the ring grows at any offset
    read({std::to_string(i)});
    all.push_back(std::to_string(i));
    if (i % 3 != 0) continue;
    commit_one();
    all.erase(all.begin());
  }
  Positions offered;
  for (Records records; !(records = window_.offer(0)).empty(); window_.mark_sent(0)) {
    for (const std::string& position : positions(records)) offered.push_back(position);
  }
  EXPECT_EQ(offered, all);
}

TEST_F(InFlightWindowTest, LimitsTheBatches) {
  for (std::uint64_t i = 0; i < InFlightWindow::max_batches; ++i) {
    EXPECT_TRUE(window_.has_capacity()) << i;
    read({std::to_string(i)});
  }
  EXPECT_FALSE(window_.has_capacity());
  commit_one();
  EXPECT_TRUE(window_.has_capacity());
}

class CollectedRecords : public InFlightWindowTest {
 protected:
  CollectedRecords() : InFlightWindowTest({.records = 5, .delay = std::chrono::hours(1)}) {}
  /// Commits the next batch, and returns its positions.
  Positions commit_batch() {
    Positions all;
    for (const std::size_t destination : {0, 1}) {
      const Records records = window_.offer(destination);
      all = positions(records);
      window_.mark_sent(destination);
      window_.acknowledge(destination, records.size());
    }
    EXPECT_TRUE(window_.await_committable());
    window_.commit(all.size());
    return all;
  }
};

TEST_F(CollectedRecords, AreOneBatch) {
  const tenon::Call* first = read({"1", "2"});
  const tenon::Call* second = read({"3"});
  EXPECT_EQ(window_.unsent(0), 0u);
  EXPECT_EQ(window_.counts().read, 3u);
  EXPECT_EQ(window_.await_capacity().records, 2);
  read({"4", "5"});
  EXPECT_EQ(window_.position_before(3).text(), "3");
  EXPECT_EQ(commit_batch(), (Positions{"1", "2", "3", "4", "5"}));
  const std::set<const tenon::Call*> again = {read({"6"}), read({"7"}), read({"8", "9"})};
  EXPECT_TRUE(again.contains(first) && again.contains(second)) << "their memory is used again";
  window_.end_reading();
  EXPECT_EQ(commit_batch(), (Positions{"6", "7", "8", "9"}));
}

TEST_F(CollectedRecords, WaitForTheirDelayAndNoLonger) {
  tests::TestClock clock;
  read({"1"});
  for (const std::chrono::nanoseconds time : {0ns, std::chrono::nanoseconds(1h) - 1ns}) {
    clock.advance(time);
    window_.pause_until(0, {});  // a pause that is over
    EXPECT_EQ(window_.unsent(0), 0u) << time.count();
  }
  clock.advance(1ns);
  window_.pause_until(0, {});
  EXPECT_EQ(window_.unsent(0), 1u);
}

TEST_F(CollectedRecords, AreNoStall) {
  read({"1"});
  EXPECT_FALSE(window_.oldest());
  const auto before = std::chrono::steady_clock::now();
  window_.flush();
  ASSERT_TRUE(window_.oldest());
  EXPECT_GE(window_.oldest()->since, before);
}

/// Their number is not limited by the number of reads, and each record is whole.
TEST_F(CollectedRecords, AreCopiedFromEachRead) {
  InFlightWindow window(1, {}, false, {.records = 10'000, .delay = std::chrono::hours(1)});
  tenon::RecordV2 record;
  record.operation = tenon::RecordV2Operation::Update;
  record.metadata = {{"a", "1"}, {"b", ""}};
  record.key = tenon::to_bytes("key");
  record.payload.before = tenon::Bytes();
  record.bag = tenon::to_bytes("{}");
  constexpr std::size_t count = 2 * InFlightWindow::max_batches;
  for (std::size_t i = 0; i < count; ++i) {
    record.position = tenon::to_bytes(std::to_string(i));
    tenon::Call* call = window.await_capacity().call;
    call->reset();
    using List = tenon::Value<std::vector<tenon::RecordV2>>;
    window.add(Records(List::raw<tenon::Copy::deep>(call->raw(), {record})));
  }
  window.flush();
  const Records all = window.offer(0);
  ASSERT_EQ(all.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    record.position = tenon::to_bytes(std::to_string(i));
    EXPECT_TRUE(tenon::Value<tenon::RecordV2>::own(all[i].raw()) == record) << i;
  }
}

class UncollectedRecords : public InFlightWindowTest {
 protected:
  UncollectedRecords() : InFlightWindowTest(BatchLimits{}) {}

  /// Takes the next batch of a destination, which is then busy.
  Positions take(std::size_t destination) {
    EXPECT_TRUE(window_.await_work(destination));
    return positions(window_.offer(destination));
  }
};

/// Records that are read while all destinations are busy become one batch for the first free one.
TEST_F(UncollectedRecords, AreOneBatchForABusyDestination) {
  read({"1"});
  EXPECT_EQ(take(0), Positions{"1"});
  EXPECT_EQ(take(1), Positions{"1"});
  for (const char* position : {"2", "3", "4"}) read({position});
  EXPECT_EQ(window_.unsent(0), 1u);
  window_.mark_sent(1);
  EXPECT_EQ(take(1), (Positions{"2", "3", "4"}));
  read({"5"});
  window_.mark_sent(0);
  EXPECT_EQ(take(0), (Positions{"2", "3", "4"}));
  window_.mark_sent(0);
  EXPECT_EQ(take(0), Positions{"5"});
}

/// A destination that fails may acknowledge no record of its batch.
TEST_F(UncollectedRecords, AreABatchIfTheyWereReadTogether) {
  read({"1"});
  read({"2"});
  read({"3", "4"});
  read({"5"});
  for (const Positions& batch : {Positions{"1"}, {"2"}, {"3", "4"}, {"5"}}) {
    EXPECT_EQ(take(0), batch);
    window_.mark_sent(0);
  }
}

TEST_F(UncollectedRecords, AreAddedAtOnceIfNoneIsInFlight) {
  read({"1"});
  commit_one();
  std::future<Positions> next = std::async(std::launch::async, [this] { return take(0); });
  read({"2"});
  EXPECT_EQ(window_.unsent(0), 1u);
  EXPECT_EQ(next.get(), Positions{"2"});
}

/// Each batch wakes all threads, so an idle destination waits for others, but not for long.
TEST_F(UncollectedRecords, AreOneBatchWhileOthersAreInFlight) {
  tests::TestClock clock;
  read({"1"});
  EXPECT_EQ(take(0), Positions{"1"});
  window_.mark_sent(0);
  for (const char* position : {"2", "3"}) read({position});
  EXPECT_EQ(window_.unsent(0), 0u);
  clock.advance(1ms);
  EXPECT_EQ(take(0), (Positions{"2", "3"}));
}

TEST_F(UncollectedRecords, AreAddedWhenOthersAreCommitted) {
  for (const char* position : {"1", "2", "3"}) read({position});
  EXPECT_EQ(window_.unsent(0), 1u);
  commit_one();
  EXPECT_EQ(window_.unsent(0), 2u);
  EXPECT_EQ(take(0), (Positions{"2", "3"}));
}

TEST_F(UncollectedRecords, AreAddedWithEnoughBytes) {
  read({"1"});
  read({std::string(std::size_t{1} << 20, '2')});
  read({"3"});
  EXPECT_EQ(take(0), Positions{"1"});
  window_.mark_sent(0);
  EXPECT_EQ(take(0).front().size(), std::size_t{1} << 20);
  EXPECT_EQ(window_.unsent(0), 1u);
}

/// A destination that waits for a full batch of its own gets what was read.
TEST_F(UncollectedRecords, AreAddedForADestinationThatPauses) {
  read({"1"});
  read({"2"});
  window_.await_more(0, 2, std::chrono::steady_clock::time_point::max());
  EXPECT_EQ(window_.unsent(0), 2u);
}

TEST_F(UncollectedRecords, AreDeliveredBeforeTheEnd) {
  read({"1"});
  read({"2"});
  window_.end_reading();
  EXPECT_EQ(window_.unsent(0), 2u);
}

// -- Joined batches -----------------------------------------------------------

/// Batches of a window with the limit of three records.
class JoinedBatches : public InFlightWindowTest {
 protected:
  JoinedBatches() : InFlightWindowTest({.records = 3}) {}

  Positions offer() { return positions(window_.offer(0, merged_)); }
  /// Offers the next records, and returns their positions if they are accepted.
  Positions send() {
    Positions all = offer();
    window_.mark_sent(0);
    return all;
  }

  std::vector<tenon_record_v2> merged_;
};

TEST_F(JoinedBatches, AreWhole) {
  read({"1", "2"});
  for (const Positions& batch : {Positions{"3", "4"}, {"5", "6", "7", "8"}}) read(batch);
  for (const char* position : {"9", "10"}) {
    read({position});
    window_.flush();
  }
  EXPECT_EQ(send(), (Positions{"1", "2"}));
  EXPECT_EQ(send(), (Positions{"3", "4"}));
  EXPECT_EQ(send(), (Positions{"5", "6", "7", "8"})) << "the source exceeded its limit";
  EXPECT_EQ(send(), (Positions{"9", "10"}));
  EXPECT_EQ(send(), Positions{});
}

TEST_F(JoinedBatches, AreAcknowledgedAndCommittedOneByOne) {
  read({"1", "2"});
  read({"3", "4"});
  window_.offer(1, 4, merged_);
  window_.mark_sent(1);
  window_.acknowledge(1, 4);
  window_.offer(0, 3, merged_);
  window_.mark_sent(0);
  EXPECT_EQ(window_.last_position(0)->text(), "3");
  EXPECT_EQ(positions(window_.unacknowledged(0)), (Positions{"1", "2"}));
  window_.acknowledge(0, 2);
  EXPECT_EQ(positions(window_.unacknowledged(0)), Positions{"3"});
  EXPECT_EQ(window_.await_committable(), 2u);
  window_.acknowledge(0, 1);
  ASSERT_EQ(window_.await_committable(), 3u);
  EXPECT_EQ(positions(window_.uncommitted(3)), (Positions{"1", "2"}));
  window_.commit(2);
  EXPECT_EQ(positions(window_.uncommitted(3)), Positions{"3"});
}

TEST_F(JoinedBatches, HaveALimitOfBytes) {
  InFlightWindow window(1);
  const std::string half(std::size_t{1} << 19, 'x');
  for (int i = 0; i < 3; ++i) read({half, ""}, window);
  EXPECT_EQ(window.offer(0, merged_).size(), 4u);
  window.mark_sent(0);
  EXPECT_EQ(window.offer(0, merged_).size(), 2u);
}

TEST_F(JoinedBatches, AreOfferedOneByOneAfterAFailedWrite) {
  for (const Positions& batch : {Positions{"1", "2"}, {"3", "4"}, {"5", "6"}}) read(batch);
  EXPECT_EQ(window_.offer(0, 5, merged_).size(), 5u);
  EXPECT_TRUE(window_.separate(0));
  EXPECT_EQ(positions(window_.unacknowledged(0)), Positions{}) << "none was accepted";
  EXPECT_EQ(window_.unsent(0), 2u);
  window_.await_more(0, 5, std::chrono::steady_clock::time_point::max());
  EXPECT_EQ(positions(window_.offer(0, 5, merged_)), (Positions{"1", "2"}));
  window_.mark_sent(0);
  EXPECT_EQ(send(), (Positions{"3", "4"}));
  EXPECT_EQ(offer(), (Positions{"5", "6"}));
  EXPECT_FALSE(window_.separate(0)) << "it is one batch";
  window_.mark_sent(0);
  read({"7", "8"});
  read({"9", "10"});
  EXPECT_EQ(window_.offer(0, 3, merged_).size(), 3u) << "no write of them failed";
}

/// The outcome of a part of a write must not be collected twice.
TEST_F(JoinedBatches, AreNotOfferedAgainIfSomeWereAccepted) {
  read({"1", "2"});
  read({"3", "4"});
  for (const std::size_t destination : {0, 1}) window_.offer(destination, 4, merged_);
  window_.acknowledge(0, 1);
  EXPECT_FALSE(window_.separate(0));
  std::future<bool> refused = std::async(std::launch::async, [this] {
    return window_.refuse(1, {.code = "ugly", .message = "too ugly", .retryable = false});
  });
  while (window_.separate(1)) window_.offer(1, 4, merged_);  // until it is refused
  window_.end_committing();
  EXPECT_FALSE(refused.get());
}

TEST_F(JoinedBatches, AreOfferedOneByOneAfterARestartDuringTheWrite) {
  for (const Positions& batch : {Positions{"1", "2"}, {"3"}, {"4"}}) {
    read(batch);
    window_.flush();
  }
  EXPECT_EQ(send(), (Positions{"1", "2", "3"}));
  window_.acknowledge(0, 1);
  EXPECT_EQ(offer(), Positions{"4"});
  window_.suspend(0);
  window_.rewind(0);
  EXPECT_EQ(offer(), (Positions{"2", "3", "4"})) << "the restart was during a write of one batch";
  window_.suspend(0);
  window_.rewind(0);
  for (const char* position : {"2", "3", "4"}) EXPECT_EQ(send(), Positions{position});
}

class WindowLimits : public testing::Test {
 protected:
  /// Reads one record with a payload of a size.
  static void read(InFlightWindow& window, std::size_t size) {
    tenon::RecordV2 record;
    record.position = {1};
    record.payload.after = tenon::Bytes(size - 1);
    tenon::Call* call = window.await_capacity().call;
    call->reset();
    using List = tenon::Value<std::vector<tenon::RecordV2>>;
    window.add(Records(List::raw<tenon::Copy::deep>(call->raw(), {record})));
  }
  /// Commits the oldest record.
  static void commit_one(InFlightWindow& window) {
    EXPECT_EQ(window.offer(0).size(), 1u);
    window.mark_sent(0);
    window.acknowledge(0, 1);
    EXPECT_TRUE(window.await_committable());
    window.commit(1);
  }
};

TEST_F(WindowLimits, LimitTheRecordsOfARead) {
  InFlightWindow window(1, {.records = 1003, .bytes = 1 << 20});
  EXPECT_EQ(window.await_capacity().records, 1000) << "the most for one batch";
  for (int i = 0; i < 5; ++i) read(window, 1);
  EXPECT_EQ(window.await_capacity().records, 998);
}

TEST_F(WindowLimits, LimitTheBytesOfARead) {
  InFlightWindow window(1, {.records = 10, .bytes = (1 << 20) + 100});
  EXPECT_EQ(window.await_capacity().bytes, 1 << 20) << "the most for one batch";
  read(window, 101);
  EXPECT_EQ(window.await_capacity().bytes, (1 << 20) - 1);
}

TEST_F(WindowLimits, AreFullWithTheirLastRecord) {
  InFlightWindow window(1, {.records = 2, .bytes = 1000});
  read(window, 1);
  EXPECT_TRUE(window.has_capacity());
  read(window, 1);
  EXPECT_FALSE(window.has_capacity());
  commit_one(window);
  EXPECT_TRUE(window.has_capacity());
}

TEST_F(WindowLimits, AreFullWithTheirLastByte) {
  InFlightWindow window(1, {.records = 10, .bytes = 1000});
  read(window, 999);
  EXPECT_TRUE(window.has_capacity());
  read(window, 5000);  // more than requested
  EXPECT_FALSE(window.has_capacity());
  commit_one(window);
  EXPECT_FALSE(window.has_capacity());
  commit_one(window);
  EXPECT_TRUE(window.has_capacity());
}

/// The end of a write is not reported for a destination that ended during it.
TEST_F(InFlightWindowTest, DoesNotWaitForAFinishedDestination) {
  read({"1", "2"});
  for (const std::size_t destination : {0, 1}) {
    window_.offer(destination);
    window_.acknowledge(destination, 2);
  }
  window_.mark_sent(0);
  for (int thread = 0; thread < 2; ++thread) window_.finish_thread(1);
  EXPECT_EQ(window_.await_committable(), 2u);
}

// -- Refused records ----------------------------------------------------------

class RefusedRecords : public InFlightWindowTest {
 protected:
  /// Reads records, and delivers them to both destinations.
  void deliver(const Positions& positions) {
    read(positions);
    for (const std::size_t destination : {0, 1}) {
      window_.offer(destination);
      window_.mark_sent(destination);
    }
  }
  std::future<bool> refuse(std::size_t destination) {
    return std::async(std::launch::async, [this, destination] {
      return window_.refuse(destination,
                            {.code = "ugly", .message = "too ugly", .retryable = false});
    });
  }
};

TEST_F(RefusedRecords, WaitForEarlierRecords) {
  deliver({"1", "2", "3", "4"});
  window_.acknowledge(0, 4);
  window_.acknowledge(1, 2);
  std::future<bool> passed = refuse(1);
  ASSERT_EQ(window_.await_committable(), 2u);
  EXPECT_FALSE(window_.refused()) << "not the first record";
  window_.commit(2);
  ASSERT_TRUE(window_.await_committable());
  const auto refused = window_.refused();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->number, 2u);
  EXPECT_EQ(refused->record.position().text(), "3");
  ASSERT_EQ(refused->refusals.size(), 1u);
  EXPECT_EQ(refused->refusals[0].number, 1u);
  EXPECT_EQ(refused->refusals[0].error.code, "ugly");
  EXPECT_EQ(passed.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  window_.resolve_refused();
  EXPECT_TRUE(passed.get());
  window_.acknowledge(1, 1);
  ASSERT_EQ(window_.await_committable(), 4u);
  EXPECT_FALSE(window_.refused());
  window_.commit(2);
  EXPECT_EQ(to_text(window_.counts()), "records: read 4, written 4, acknowledged 4, refused 1");
}

TEST_F(RefusedRecords, CollectRefusalsOfAllDestinations) {
  deliver({"1", "2"});
  std::future<bool> first = refuse(0);
  std::future<bool> second = refuse(1);
  ASSERT_TRUE(window_.await_committable());
  ASSERT_TRUE(window_.refused());
  EXPECT_EQ(window_.refused()->refusals.size(), 2u);
  window_.resolve_refused();
  EXPECT_TRUE(first.get());
  EXPECT_TRUE(second.get());
}

TEST_F(RefusedRecords, StopWaitingWhenCommitsEnd) {
  deliver({"1", "2"});
  std::future<bool> resolved = refuse(0);
  window_.end_committing();
  EXPECT_FALSE(resolved.get());
}

/// A destination may refuse a record before the write of its batch returns.
TEST_F(RefusedRecords, WaitForTheEndOfTheWrite) {
  read({"1", "2", "3"});
  EXPECT_EQ(window_.offer(0).size(), 3u);
  EXPECT_EQ(window_.offer(1).size(), 3u);
  window_.mark_sent(1);
  window_.acknowledge(1, 3);
  window_.acknowledge(0, 1);
  std::future<bool> passed = refuse(0);
  EXPECT_FALSE(window_.refused()) << "the record before it is not committed";
  window_.mark_sent(0);
  ASSERT_EQ(window_.await_committable(), 1u);
  window_.commit(1);
  ASSERT_TRUE(window_.await_committable());
  ASSERT_TRUE(window_.refused());
  EXPECT_EQ(window_.refused()->number, 1u);
  window_.resolve_refused();
  EXPECT_TRUE(passed.get());
}

/// A destination with processors of its own may refuse several records that one became.
TEST_F(RefusedRecords, AreResolvedOneByOneIfProcessorsOfADestinationReturnedThem) {
  deliver({"1", "2"});
  tenon::RecordV2 part;
  part.position = tenon::to_bytes("part");
  tenon::Call call;
  const auto raw = tenon::Value<tenon::RecordV2>::raw<tenon::Copy::deep>(call.raw(), part);
  const tenon::RecordView view(raw);
  const auto refuse_part = [&] {
    return std::async(std::launch::async, [&] {
      return window_.refuse(1, {Refusal::By::processor, 7, {"ugly", "too ugly", false}}, view);
    });
  };
  std::future<bool> first = refuse(0);
  std::future<bool> second = refuse_part();
  ASSERT_TRUE(window_.await_committable());
  ASSERT_TRUE(window_.refused());
  EXPECT_EQ(window_.refused()->record.position().text(), "1");
  ASSERT_EQ(window_.refused()->refusals.size(), 1u) << "another record";
  window_.resolve_refused();
  EXPECT_TRUE(first.get());
  ASSERT_TRUE(window_.await_committable());
  ASSERT_TRUE(window_.refused());
  EXPECT_EQ(window_.refused()->record.position().text(), "part");
  EXPECT_EQ(window_.refused()->refusals[0].number, 7u);
  window_.resolve_refused();
  EXPECT_TRUE(second.get());
  EXPECT_EQ(window_.oldest()->step, InFlightWindow::Step::acknowledging);
  std::future<bool> third = refuse_part();
  EXPECT_EQ(window_.await_committable(), 0u) << "not before all parts are acknowledged";
  window_.resolve_refused();
  EXPECT_TRUE(third.get());
  window_.acknowledge(1, 1);
  EXPECT_EQ(window_.await_committable(), 1u);
}

TEST_F(InFlightWindowTest, OffersRecordsOfSeveralBatches) {
  for (int i = 0; i < 5; ++i) read({std::to_string(2 * i), std::to_string(2 * i + 1)});
  std::vector<tenon_record_v2> merged;
  EXPECT_EQ(window_.unsent(0), 10u);
  EXPECT_EQ(positions(window_.offer(0, 1, merged)), Positions{"0"});
  window_.mark_sent(0);
  EXPECT_EQ(positions(window_.offer(0, 6, merged)), (Positions{"1", "2", "3", "4", "5", "6"}));
  window_.mark_sent(0);
  EXPECT_EQ(window_.last_position(0)->text(), "6");
  EXPECT_EQ(positions(window_.offer(0, 6, merged)), (Positions{"7", "8", "9"}));
  window_.mark_sent(0);
  EXPECT_EQ(window_.offer(0, 6, merged).size(), 0u);
}

/// The other destination has failed, and will not acknowledge the record.
TEST_F(RefusedRecords, StopWaitingForAFinishedDestination) {
  deliver({"1", "2"});
  window_.acknowledge(1, 1);
  window_.acknowledge(0, 1);
  std::future<bool> resolved = refuse(0);
  window_.close(1);
  window_.finish_thread(1);
  window_.finish_thread(1);
  EXPECT_FALSE(resolved.get());
}

// -- Processed records --------------------------------------------------------

/// One destination, and a processor.
class ProcessedRecords : public testing::Test {
 protected:
  using RecordList = tenon::Value<std::vector<tenon::RecordV2>>;

  static std::vector<tenon::RecordV2> records(const Positions& keys) {
    std::vector<tenon::RecordV2> all(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      all[i].position = tenon::to_bytes(keys[i]);
      all[i].key = all[i].position;
    }
    return all;
  }
  void read(const Positions& positions) {
    tenon::Call* call = window_.await_capacity().call;
    call->reset();
    window_.add(Records(RecordList::raw<tenon::Copy::deep>(call->raw(), records(positions))));
  }
  /// Processes the next batch. The result of each record is a list of keys, or "!" to refuse it.
  void process(const std::vector<Positions>& results) {
    const auto work = window_.await_unprocessed();
    ASSERT_TRUE(work);
    work->processed.begin(work->read);
    step(0, work->processed, results);
    window_.add_processed();
  }
  static void step(std::size_t processor, ProcessedBatch& batch,
                   const std::vector<Positions>& results) {
    tenon::Call& call = batch.call(processor);
    call.reset();
    ASSERT_EQ(batch.begin_step().size(), results.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i] == Positions{"!"}) {
        batch.refuse(i, {Refusal::By::processor, 0, {"ugly", "too ugly", false}});
      } else {
        batch.replace(i,
                      Records(RecordList::raw<tenon::Copy::deep>(call.raw(), records(results[i]))));
      }
    }
  }
  /// Sends the next batch, and returns its keys.
  Positions send() {
    Positions all;
    for (const auto record : window_.offer(0)) all.emplace_back(record.key()->text());
    window_.mark_sent(0);
    return all;
  }
  /// Returns the position of the next refused record.
  std::string refused() {
    EXPECT_TRUE(window_.await_committable());
    const auto refused = window_.refused();
    return refused ? std::string(refused->record.position().text()) : "-";
  }

  InFlightWindow window_{1, {}, true};
};

/// A processor that fails gives no records of its batch to destinations.
TEST_F(ProcessedRecords, AreABatchForEachRead) {
  read({"1"});
  read({"2"});
  read({"3"});
  for (const char* position : {"1", "2", "3"}) {
    const auto work = window_.await_unprocessed();
    ASSERT_TRUE(work);
    ASSERT_EQ(work->read.size(), 1u);
    EXPECT_EQ(work->read[0].position().text(), position);
    work->processed.begin(work->read);
    window_.add_processed();
  }
}

TEST_F(ProcessedRecords, KeepTheirSourcePositions) {
  read({"1", "2", "3"});
  process({{"a"}, {}, {"b", "c"}});
  const Records sent = window_.offer(0);
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[0].position().text(), "1");
  EXPECT_EQ(sent[1].position().text(), "3");
  EXPECT_EQ(sent[2].position().text(), "3");
}

TEST_F(ProcessedRecords, AreJoinedBeforeADestination) {
  read({"1", "2"});
  read({"3"});
  read({"4"});
  process({{"a", "b"}, {}});
  process({{}});
  process({{std::string(std::size_t{1} << 20, 'c')}});
  std::vector<tenon_record_v2> merged;
  EXPECT_EQ(window_.offer(0, merged).size(), 2u) << "the third has too many bytes";
  window_.mark_sent(0);
  read({"5"});
  process({{"d"}});
  EXPECT_EQ(window_.offer(0, 9, merged).size(), 2u);
  window_.mark_sent(0);
  window_.acknowledge(0, 4);
  EXPECT_EQ(window_.await_committable(), 5u);
}

TEST_F(ProcessedRecords, CommitARecordWithItsLastPart) {
  read({"1", "2", "3"});
  process({{"a"}, {"b", "c", "d"}, {"e"}});
  EXPECT_EQ(send(), (Positions{"a", "b", "c", "d", "e"}));
  window_.acknowledge(0, 3);
  EXPECT_EQ(window_.await_committable(), 1u);
  window_.commit(1);
  window_.acknowledge(0, 1);
  EXPECT_EQ(window_.await_committable(), 2u);
  window_.commit(1);
  EXPECT_EQ(to_text(window_.committed_counts()), "records: read 2, written 4, acknowledged 2");
  EXPECT_EQ(to_text(window_.counts()), "records: read 3, written 5, acknowledged 2");
}

TEST_F(ProcessedRecords, CommitFilteredRecordsInOrder) {
  read({"1", "2"});
  read({"3"});
  read({"4", "5"});
  process({{"a"}, {}});
  process({{}});
  process({{}, {"b"}});
  EXPECT_EQ(send(), Positions{"a"});
  EXPECT_EQ(send(), Positions{"b"});
  window_.acknowledge(0, 1);
  EXPECT_EQ(window_.await_committable(), 4u);
  window_.commit(2);
  window_.commit(1);
  window_.commit(1);
  window_.acknowledge(0, 1);
  EXPECT_EQ(window_.await_committable(), 5u);
}

TEST_F(ProcessedRecords, HoldNoMemoryIfAllAreFiltered) {
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    read({"x"});
    process({{}});
    ASSERT_EQ(window_.await_committable(), i + 1);
    EXPECT_EQ(window_.uncommitted(i + 1).size(), 1u);
    window_.commit(1);
    ASSERT_EQ(window_.await_capacity().records, 1000);
  }
}

TEST_F(ProcessedRecords, AreRefusedWithTheWholeRecord) {
  read({"1", "2", "3"});
  const auto work = window_.await_unprocessed();
  work->processed.begin(work->read);
  step(0, work->processed, {{"a"}, {"b", "c", "d"}, {"!"}});
  step(1, work->processed, {{"A"}, {"B"}, {"!"}, {"D"}});
  window_.add_processed();
  EXPECT_EQ(send(), Positions{"A"});
  window_.acknowledge(0, 1);
  EXPECT_EQ(window_.await_committable(), 1u);
  EXPECT_FALSE(window_.refused()) << "not the first record";
  window_.commit(1);
  EXPECT_EQ(refused(), "2");
  window_.resolve_refused();
  EXPECT_EQ(window_.await_committable(), 2u);
  window_.commit(1);
  EXPECT_EQ(refused(), "3");
  window_.resolve_refused();
  EXPECT_EQ(window_.await_committable(), 3u);
  EXPECT_EQ(window_.counts().refused, 2u);
}

/// The destination continues with the other parts after one is a dead letter.
TEST_F(ProcessedRecords, AreRefusedAsPartsByDestinations) {
  read({"1", "2"});
  process({{"a"}, {"b", "c", "d"}});
  send();
  window_.acknowledge(0, 2);
  std::future<bool> passed = std::async(std::launch::async, [this] {
    return window_.refuse(0, {"ugly", "too ugly", false});
  });
  ASSERT_EQ(window_.await_committable(), 1u);
  window_.commit(1);
  EXPECT_EQ(refused(), "2");
  EXPECT_EQ(window_.refused()->record.key()->text(), "c");
  window_.resolve_refused();
  EXPECT_TRUE(passed.get());
  window_.acknowledge(0, 1);
  EXPECT_EQ(window_.await_committable(), 2u);
}

TEST_F(ProcessedRecords, EndWithTheLastBatch) {
  read({"1", "2"});
  window_.end_reading();
  process({{"a"}, {}});
  EXPECT_EQ(send(), Positions{"a"});
  EXPECT_FALSE(window_.await_unprocessed());
  window_.end_processing();
  EXPECT_EQ(window_.last_position(0)->text(), "1");
  window_.acknowledge(0, 1);
  EXPECT_FALSE(window_.await_offered(0));
}

TEST_F(InFlightWindowTest, ReportsWhatTheOldestRecordWaitsFor) {
  using Step = InFlightWindow::Step;
  EXPECT_FALSE(window_.oldest());
  read({"1", "2"});
  const auto expect = [&](const char* position, Step step, std::size_t destination) {
    const auto oldest = window_.oldest();
    ASSERT_TRUE(oldest);
    EXPECT_EQ(tenon::BytesView(oldest->position).text(), position);
    EXPECT_EQ(oldest->step, step);
    EXPECT_EQ(oldest->destination, destination);
  };
  expect("1", Step::writing, 0);
  window_.offer(0);
  window_.mark_sent(0);
  expect("1", Step::acknowledging, 0);
  window_.acknowledge(0, 2);
  expect("1", Step::writing, 1);
  window_.offer(1);
  window_.mark_sent(1);
  window_.acknowledge(1, 1);
  expect("1", Step::committing, 0);
  const auto before = window_.oldest()->since;
  window_.commit(1);
  expect("2", Step::acknowledging, 1);
  EXPECT_GT(window_.oldest()->since, before);
  window_.acknowledge(1, 1);
  window_.commit(1);
  EXPECT_FALSE(window_.oldest());
}

// -- Progress, on a clock of the test -----------------------------------------

class StalledWindow : public InFlightWindowTest {
 protected:
  static constexpr std::chrono::seconds step{10};

  void send(std::size_t destination) {
    EXPECT_FALSE(window_.offer(destination).empty());
    window_.mark_sent(destination);
  }
  /// Pauses before the next write to a destination, as a limited rate does, for `step`.
  void pause(std::size_t destination) {
    clock_.advance(step);
    window_.pause_until(destination, {});
  }
  /// Returns how long the oldest record has waited.
  std::chrono::nanoseconds waited() const {
    return std::chrono::steady_clock::now() - window_.oldest().value().since;
  }

  tests::TestClock clock_;
};

TEST_F(StalledWindow, OfASlowDestinationIsNoStall) {
  read({"1", "2", "3", "4"});
  for (const std::size_t destination : {0, 1}) send(destination);
  window_.acknowledge(0, 4);
  for (int i = 0; i < 3; ++i) {
    clock_.advance(step);
    EXPECT_EQ(waited(), step);
    window_.acknowledge(1, 1);
    window_.commit(1);
  }
  clock_.advance(2 * step);
  EXPECT_EQ(waited(), 2 * step) << "it has stopped";
}

TEST_F(StalledWindow, BeginsWithTheFirstRecordAfterAWaitForTheSource) {
  read({"1"});
  commit_one();
  clock_.advance(step);
  read({"2"});
  EXPECT_EQ(waited(), std::chrono::seconds(0));
  clock_.advance(step);
  read({"3"});
  EXPECT_EQ(waited(), step);
}

TEST_F(StalledWindow, DoesNotCountThePausesOfADestinationThatHasToWrite) {
  read({"1"});
  send(1);
  window_.acknowledge(1, 1);
  for (int i = 0; i < 3; ++i) pause(0);
  EXPECT_EQ(waited(), std::chrono::seconds(0));
  clock_.advance(step);
  EXPECT_EQ(waited(), step) << "it has stopped";
}

/// The destination 1 has stopped, and the destination 0 pauses before each of its writes.
TEST_F(StalledWindow, IsNotMadeByThePausesOfAnotherDestination) {
  read({"1"});
  send(1);
  for (int i = 1; i <= 10; ++i) {
    pause(0);
    send(0);
    window_.acknowledge(0, 1);
    EXPECT_EQ(waited(), i * step);
    EXPECT_EQ(window_.oldest()->destination, 1u);
    read({std::to_string(i + 1)});
  }
}

TEST_F(StalledWindow, IsNotMadeByThePausesBeforeLaterWrites) {
  read({"1"});
  send(0);
  send(1);
  window_.acknowledge(1, 1);
  for (int i = 1; i <= 10; ++i) {
    read({std::to_string(i + 1)});
    pause(0);
    send(0);
    EXPECT_EQ(waited(), i * step) << "it acknowledges nothing";
  }
}

TEST(ProcessedWindow, ReportsAnUnprocessedRecord) {
  InFlightWindow window(1, {}, true);
  tenon::RecordV2 record;
  record.position = tenon::to_bytes("1");
  tenon::Call* call = window.await_capacity().call;
  call->reset();
  using List = tenon::Value<std::vector<tenon::RecordV2>>;
  window.add(Records(List::raw<tenon::Copy::deep>(call->raw(), {record})));
  ASSERT_TRUE(window.oldest());
  EXPECT_EQ(window.oldest()->step, InFlightWindow::Step::processing);
}

}}  // namespace pipeline
