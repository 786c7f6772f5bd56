// SPDX-License-Identifier: BSL-1.0
//
// A destination that derives from a base class of the SDK, called by a host.
#include <tenon/destination.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "integration/authors/authors.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

class WritingDestinationTest : public Authors {
 protected:
  void open(const TextMap& config = {}, const char* name = "test.example/author") {
    destination_.emplace(host_.create<Destination>(name, config).value());
    (*destination_)->open().value();
  }
  void TearDown() override {
    if (!destination_) return;
    EXPECT_TRUE((*destination_)->teardown());
  }

  /// Writes a batch whose payloads say what to do. Positions count from 1. Returns the failure.
  std::string write(const Texts& payloads) {
    std::vector<RecordV2> records;
    for (const std::string& payload : payloads) {
      records.emplace_back().position = to_bytes(std::to_string(++position_));
      records.back().payload.after = to_bytes(payload);
    }
    const auto written = (*destination_)->write_batch(records);
    return written ? "" : written.error().to_string();
  }

  /// Returns the result of next_acks: positions, each with its error, or the failure.
  Texts next() {
    Call call;
    call.set_timeout(1min);
    return next(call);
  }
  Texts next(Call& call) {
    const auto acks = (*destination_)->next_acks(call);
    if (!acks) return {acks.error().to_string()};
    Texts all;
    for (const auto ack : *acks) {
      std::string text(ack.position().text());
      if (const auto error = ack.error()) {
        text.append(error->retryable() ? "? " : " ").append(error->code());
        text.append(": ").append(error->message());
      }
      all.push_back(text);
    }
    return all;
  }

  /// Returns whether no acknowledgement is ready.
  bool nothing_is_ready() {
    Call call;
    call.cancel();
    return next(call).front().find("cancelled") != std::string::npos;
  }

  std::string stop(std::chrono::nanoseconds timeout = 1min) {
    Call call;
    call.set_timeout(timeout);
    const auto stopped = (*destination_)->stop(call, std::nullopt);
    return stopped ? "" : stopped.error().to_string();
  }

  std::optional<Handle<Destination>> destination_;
  int position_ = 0;
};

const std::string prefix = "test.example/author: ";
const std::string end = prefix + "next_acks: out-of-range: every record is acknowledged";

TEST_F(WritingDestinationTest, AcknowledgesInTheOrderOfTheWrites) {
  open();
  EXPECT_EQ(write({"now", "later", "refuse"}), "");
  EXPECT_EQ(next(), (Texts{"1"}));
  EXPECT_EQ(write({"later", "now"}), "");
  EXPECT_TRUE(nothing_is_ready());
  EXPECT_EQ(write({"release"}), "");
  EXPECT_EQ(next(), (Texts{"2", "3 ugly: too ugly", "4", "5", "6"}));
}

TEST_F(WritingDestinationTest, FlushesPendingRecordsAtStop) {
  open();
  EXPECT_EQ(write({"later", "later", "later"}), "");
  EXPECT_EQ(stop(), "");
  EXPECT_EQ(next(), (Texts{"1", "2", "3"}));
  EXPECT_EQ(next(), Texts{end});
}

TEST_F(WritingDestinationTest, WaitsAtStopForOtherThreads) {
  open({{"flush", "thread"}});
  EXPECT_EQ(write(Texts(1000, "later")), "");
  EXPECT_EQ(stop(), "");
  EXPECT_EQ(next().size(), 1000u);
  EXPECT_EQ(next(), Texts{end});
}

TEST_F(WritingDestinationTest, RefusesPendingRecordsAtTheDeadlineOfStop) {
  open({{"flush", "nothing"}});
  EXPECT_EQ(write({"later", "now", "later"}), "");
  EXPECT_EQ(stop(10ms), "");
  const std::string message =
      " was not acknowledged before the end of stop by the plugin \"test.example/author\"";
  EXPECT_EQ(next(), (Texts{"1? unanswered: the record at position \"1\"" + message, "2",
                           "3? unanswered: the record at position \"3\"" + message}));
  EXPECT_EQ(next(), Texts{end});
}

TEST_F(WritingDestinationTest, StopsWithoutASecondFlushAfterAFailedRestart) {
  open({{"flush", "nothing"}});
  EXPECT_EQ(write({"later"}), "");
  place("author-fails");
  Call call;
  std::thread stopping([&] { EXPECT_FALSE((*destination_)->stop(call, std::nullopt)); });
  EXPECT_TRUE(eventually([&] { return host_.modules().at(0).calls.in_flight == 1; }));
  EXPECT_FALSE(host_.restart("test.example/author"));
  stopping.join();
  EXPECT_EQ(call.cancel_reason(), CancelReason::restart);
  EXPECT_TRUE(nothing_is_ready());
  EXPECT_EQ(stop(10ms), "");
  EXPECT_EQ(next().front().substr(0, 14), "1? unanswered:");
}

TEST_F(WritingDestinationTest, RefusesPendingRecordsIfFlushFails) {
  open({{"flush", "fail"}});
  EXPECT_EQ(write({"now", "later"}), "");
  EXPECT_EQ(stop(), prefix + "stop: data-loss: lost");
  const Texts acks = next();
  ASSERT_EQ(acks.size(), 2u);
  EXPECT_EQ(acks[1].substr(0, 14), "2? unanswered:");
  EXPECT_EQ(next(), Texts{end});
}

TEST_F(WritingDestinationTest, RefusesARecordWhoseCallbackIsDropped) {
  open();
  EXPECT_EQ(write({"now", "drop", "now"}), "");
  EXPECT_EQ(next(), (Texts{"1",
                           "2? unanswered: the record at position \"2\" was dropped "
                           "unacknowledged by the plugin \"test.example/author\"",
                           "3"}));
}

TEST_F(WritingDestinationTest, FailsIfACallbackIsCalledTwice) {
  open();
  EXPECT_EQ(write({"now", "twice", "now"}), "");
  EXPECT_EQ(next(), (Texts{"1", "2", "3"}));
  const std::string failure =
      "internal: the plugin \"test.example/author\" acknowledged the record at position \"2\" "
      "twice";
  const std::string actual = next().front();
  EXPECT_NE(actual.find(failure), std::string::npos) << actual;
}

TEST_F(WritingDestinationTest, AcknowledgesNothingOfAFailedBatch) {
  open();
  EXPECT_EQ(write({"now", "later"}), "");
  const std::string failure = prefix + "write_batch: unavailable: gone with 5";
  EXPECT_EQ(write({"now", "later", "throw", "now"}), failure);
  EXPECT_EQ(write({"now"}), failure);
  EXPECT_EQ(next(), (Texts{"1"}));
  EXPECT_EQ(stop(), "");
  EXPECT_EQ(next(), (Texts{"2"}));
  EXPECT_EQ(next(), Texts{end});
}

TEST_F(WritingDestinationTest, ContinuesAfterARetryableFailure) {
  open();
  EXPECT_EQ(write({"later", "busy"}), prefix + "write_batch: unavailable: busy (retryable)");
  EXPECT_EQ(write({"now", "later"}), "");
  EXPECT_EQ(write({"release"}), "");
  EXPECT_EQ(next(), (Texts{"3", "4", "5"}));
}

TEST_F(WritingDestinationTest, EndsWithPendingCallbacks) {
  open({{"flush", "nothing"}});
  EXPECT_EQ(write({"later"}), "");
  EXPECT_TRUE((*destination_)->teardown());
  destination_.reset();
}

/// A thread of the plugin acknowledges a batch, record after record.
TEST_F(WritingDestinationTest, WritesBatchesOfItsOwnSize) {
  const auto collect = [&](std::size_t count) {
    Texts all;
    while (all.size() < count) {
      const Texts some = next();
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  };
  open({{"path", world_.path("sizes").string()}}, "test.example/batch-author");
  EXPECT_EQ(write({"a", "b"}), "");
  EXPECT_EQ(write({"c", "d"}), "");
  EXPECT_EQ(collect(3), (Texts{"1", "2", "3"}));
  EXPECT_EQ(stop(), "");
  EXPECT_EQ(collect(1), (Texts{"4"}));
  EXPECT_EQ(world_.read("sizes"), "3\n1\n");
}

TEST_F(WritingDestinationTest, AcknowledgesTenThousandRecordsInReverse) {
  open();
  EXPECT_EQ(write(Texts(9999, "later")), "");
  EXPECT_EQ(write({"release"}), "");
  EXPECT_EQ(next().size(), 10000u);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(write({"now", "later"}), "");
    EXPECT_EQ(next().size(), i == 0 ? 1u : 3u);
    EXPECT_EQ(write({"release", "later"}), "");
    EXPECT_EQ(next().size(), 2u);
    EXPECT_EQ(write({"release"}), "");
  }
  EXPECT_EQ(next(), (Texts{std::to_string(position_ - 1), std::to_string(position_)}));
}

}}  // namespace tenon::tests
