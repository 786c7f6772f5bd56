// SPDX-License-Identifier: BSL-1.0
//
// A source that derives from a base class of the SDK, called by a host.
#include <tenon/source.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "integration/authors/authors.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

class ReadingSourceTest : public Authors {
 protected:
  Handle<Source> source(const std::string& script, const char* name = "test.example/author") {
    auto source = host_.create<Source>(name, {{"script", script}}).value();
    source->open({}).value();
    return source;
  }

  /// Returns the positions of the next batch, or the failure.
  static std::string read(Handle<Source>& source, Call& call) {
    const auto batch = source->read_batch(call, 10, std::nullopt);
    if (!batch) return batch.error().to_string();
    std::string positions;
    for (const RecordV2View record : *batch) {
      positions.append(positions.empty() ? "" : " ").append(record.position().text());
    }
    return positions;
  }
  static std::string read(Handle<Source>& source) {
    Call call;
    return read(source, call);
  }
  static std::string read_cancelled(Handle<Source>& source) {
    Call call;
    call.cancel();
    return read(source, call);
  }
  static std::string stop(Handle<Source>& source) {
    const std::optional<Bytes> last = source->stop().value();
    return last ? std::string(BytesView(*last).text()) : "nothing";
  }
};

const std::string prefix = "test.example/author: read_batch: ";
const std::string end = prefix + "out-of-range: no more records";
const std::string cancelled = prefix + "cancelled: the call was cancelled";

TEST_F(ReadingSourceTest, ReturnsRecordsUntilTheEnd) {
  auto source = this->source("a b");
  EXPECT_EQ(read(source), "a");
  EXPECT_EQ(read(source), "b");
  EXPECT_EQ(read(source), end);
  EXPECT_EQ(read(source), end);
  EXPECT_EQ(stop(source), "b");
}

TEST_F(ReadingSourceTest, OpensAfterAPosition) {
  auto source = host_.create<Source>("test.example/author", {{"script", "a b c"}}).value();
  source->open(BytesView("b")).value();
  EXPECT_EQ(read(source), "c");
}

TEST_F(ReadingSourceTest, ReadsAgainOnlyAfterARetryableFailure) {
  auto source = this->source("a retry b fail c");
  EXPECT_EQ(read(source), "a");
  EXPECT_EQ(read(source), prefix + "unavailable: not now (retryable)");
  EXPECT_EQ(read(source), "b");
  EXPECT_EQ(read(source), prefix + "data-loss: illegible");
  EXPECT_EQ(read(source), prefix + "data-loss: illegible");
  EXPECT_EQ(stop(source), "b");
}

TEST_F(ReadingSourceTest, DeliversABatchBeforeTheFailureThatEndedIt) {
  auto source = this->source("a b retry c d fail", "test.example/batch-author");
  const std::string prefix = "test.example/batch-author: read_batch: ";
  EXPECT_EQ(read(source), "a b");
  EXPECT_EQ(read(source), prefix + "unavailable: not now (retryable)");
  EXPECT_EQ(read(source), "c d");
  EXPECT_EQ(read(source), prefix + "data-loss: illegible");
  EXPECT_EQ(read(source), prefix + "data-loss: illegible");
}

TEST_F(ReadingSourceTest, DrainsItsBufferBeforeItIsCancelled) {
  auto source = this->source("a fetch b c d");
  EXPECT_EQ(read(source), "a");
  EXPECT_EQ(read(source), "b");
  EXPECT_EQ(read_cancelled(source), "c");
  EXPECT_EQ(read_cancelled(source), "d");
  EXPECT_EQ(read_cancelled(source), cancelled);
  EXPECT_EQ(read(source), cancelled) << "read is called again";
  EXPECT_EQ(stop(source), "d");
}

TEST_F(ReadingSourceTest, CancelsReadOnce) {
  auto source = this->source("wait a");
  EXPECT_EQ(read_cancelled(source), cancelled) << "read was not called, or waited";
  EXPECT_EQ(stop(source), "nothing");
}

TEST_F(ReadingSourceTest, EndsIfReadIgnoresTheCancellation) {
  auto source = this->source("endless");
  EXPECT_EQ(read(source), "endless");
  EXPECT_EQ(read_cancelled(source), "endless");
  EXPECT_EQ(read_cancelled(source), cancelled);
  EXPECT_EQ(stop(source), "endless");
}

TEST_F(ReadingSourceTest, StopsWhileItWaitsWithAnEmptyBuffer) {
  auto source = this->source("wait");
  Call call;
  call.set_timeout(1min);
  std::thread other([&] { call.cancel(); });
  EXPECT_EQ(read(source, call), cancelled);
  other.join();
  EXPECT_EQ(stop(source), "nothing");
}

TEST_F(ReadingSourceTest, RetriesByItself) {
  auto source = this->source("a retry b fail", "test.example/patient-author");
  EXPECT_EQ(read(source), "a");
  EXPECT_EQ(read(source), "b");
  EXPECT_EQ(read(source), "test.example/patient-author: read_batch: data-loss: illegible");
}

TEST_F(ReadingSourceTest, EndsARetryAtStop) {
  auto source = this->source("retry a", "test.example/patient-author");
  EXPECT_EQ(read_cancelled(source),
            "test.example/patient-author: read_batch: cancelled: the call was cancelled");
}

TEST_F(ReadingSourceTest, NeedsNoAck) {
  auto source = this->source("a");
  const auto acknowledged = source->ack({to_bytes("a")});
  ASSERT_FALSE(acknowledged);
  EXPECT_EQ(acknowledged.error().status(), TENON_UNIMPLEMENTED);
}

TEST_F(ReadingSourceTest, ContinuesAfterAFailedRestart) {
  auto source = this->source("a wait b");
  EXPECT_EQ(read(source), "a");
  place("author-fails");
  Call call;
  std::string interrupted;
  std::thread reading([&] { interrupted = read(source, call); });
  EXPECT_TRUE(eventually([&] { return host_.modules().at(0).calls.in_flight == 1; }));
  EXPECT_FALSE(host_.restart("test.example/author"));
  reading.join();
  EXPECT_EQ(call.cancel_reason(), CancelReason::restart) << interrupted;
  EXPECT_EQ(read(source), "b");
}

}}  // namespace tenon::tests
