// SPDX-License-Identifier: BSL-1.0
//
// Helpers of the SDK for pacing: retries, batches and rate limits.
#include <tenon/call.hpp>
#include <tenon/sdk/batcher.hpp>
#include <tenon/sdk/rate_limit.hpp>
#include <tenon/sdk/retry.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "unit/builtins/plugins.hpp"

namespace tenon::builtin { namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

sdk::Failure busy() {
  return sdk::Failure(TENON_UNAVAILABLE, "busy").retryable();
}

/// A call whose waits return immediately and are recorded.
class RecordingCall : tenon_call {
 public:
  RecordingCall() : tenon_call{sizeof(tenon_call), &table(), nullptr, nullptr, INT64_MAX} {}
  sdk::Call get() { return sdk::Call(this); }
  const std::vector<sdk::Duration>& waits() const { return waits_; }

 private:
  static std::int32_t never(tenon_call*) { return TENON_NOT_CANCELLED; }
  static std::int32_t note(tenon_call* call, tenon_duration timeout) {
    static_cast<RecordingCall*>(call)->waits_.emplace_back(timeout);
    return TENON_NOT_CANCELLED;
  }
  static const tenon_call_functions& table() {
    static const tenon_call_functions made = [] {
      tenon_call_functions functions{};
      functions.struct_size = sizeof functions;
      functions.cancelled = never;
      functions.wait = note;
      return functions;
    }();
    return made;
  }

  std::vector<sdk::Duration> waits_;
};

TEST(RetryTest, RetriesWithBackoffUntilItSucceeds) {
  RecordingCall call;
  int calls = 0;
  const int result = sdk::retry(call.get(), [&] {
    ++calls;
    if (calls == 2) throw std::system_error(std::make_error_code(std::errc::timed_out));
    if (calls < 9) throw busy();
    return 7;
  });
  EXPECT_EQ(result, 7);
  const std::vector<sdk::Duration> pauses = {100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 5s, 5s};
  EXPECT_EQ(call.waits(), pauses);
}

TEST(RetryTest, ForwardsOtherFailures) {
  int calls = 0;
  EXPECT_THROW(sdk::retry(sdk::Call(nullptr),
                          [&] {
                            ++calls;
                            throw std::runtime_error("broken");
                          }),
               std::runtime_error);
  EXPECT_EQ(calls, 1);
}

TEST(RetryTest, StopsIfItsCallIsCancelled) {
  Call call;
  int calls = 0;
  const tenon_status status = status_in(call, [&] {
    sdk::retry(sdk::Call(call.raw()), [&] {
      ++calls;
      call.cancel();
      throw busy();
    });
  });
  EXPECT_EQ(status, TENON_CANCELLED);
  EXPECT_EQ(calls, 1);
}

TEST(RateLimitTest, WaitsForEachRecord) {
  Call call;
  const Clock::time_point begin = Clock::now();
  sdk::RateLimit limit(100);
  for (int i = 0; i < 5; ++i) limit.wait(sdk::Call(call.raw()));
  EXPECT_GE(Clock::now() - begin, 50ms);
}

TEST(RateLimitTest, StopsWaitingIfCancelled) {
  for (const double rate : {1e-300, 1e-3, 0.}) {
    sdk::RateLimit limit(rate);
    Call call;
    call.cancel();
    EXPECT_EQ(status_in(call, [&] { limit.wait(sdk::Call(call.raw())); }), TENON_CANCELLED);
  }
}

TEST(RateLimitTest, TreatsNumbersThatAreNotPositiveAsNoLimit) {
  for (const double rate : {0., -1., -1e300, std::nan("")}) {
    Call call;
    call.set_timeout(1min);
    sdk::RateLimit limit(rate);
    for (int i = 0; i < 100000; ++i) limit.wait(sdk::Call(call.raw()));
  }
}

/// A destination that collects records into batches, and records the sizes of the batches.
class Collecting : public sdk::AsyncDestination {
 public:
  explicit Collecting(std::size_t size, sdk::Duration delay)
      : batcher_(std::in_place, size, delay,
                 [this](const std::vector<RecordV2>& records) { return insert(records); }) {}

  void write_async(RecordV2View record, const sdk::AckCallback& ack) override {
    batcher_->add(record, ack);
  }
  void flush() override { batcher_->flush(call()); }
  void teardown() override { batcher_.reset(); }

  std::vector<std::size_t> sizes() {
    std::lock_guard lock(mutex_);
    return sizes_;
  }

 private:
  Refused insert(const std::vector<RecordV2>& records) {
    std::lock_guard lock(mutex_);
    sizes_.push_back(records.size());
    Refused refused;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (payload(records[i]) == "throw") throw sdk::Refusal("broken", "all of them");
      if (payload(records[i]) == "throw a number") throw 7;
      if (payload(records[i]) == "refuse") refused[i] = {"ugly", "too ugly", false};
    }
    return refused;
  }

  std::mutex mutex_;
  std::vector<std::size_t> sizes_;
  std::optional<sdk::Batcher> batcher_;
};

void write(Collecting& destination, const Texts& payloads) {
  Call call;
  Records records;
  for (const std::string& payload : payloads) records.push_back(record("1", payload));
  const tenon_list raw = Value<Records>::raw<Copy::deep>(call.raw(), records);
  destination.write_batch(ListView<RecordV2>(raw));
}

/// Collects `count` acknowledgements.
Texts collect(Collecting& destination, std::size_t count) {
  Texts all;
  while (all.size() < count) {
    Call call;
    call.set_timeout(1min);
    tenon_destination_v2_next_acks_request in{sizeof in};
    const tenon_destination_v2_next_acks_response* out = nullptr;
    const tenon_status status =
        status_in(call, [&] { destination.raw_next_acks(call.raw(), &in, &out); });
    if (status != TENON_OK) return {"status " + std::to_string(status)};
    for (std::size_t i = 0; i < out->acks.count; ++i) {
      all.push_back(error_text(TENON_AT(tenon_destination_v2_ack, out->acks, i)));
    }
  }
  return all;
}

TEST(BatcherTest, WritesAFullBatchAtOnce) {
  Collecting destination(3, 1h);
  write(destination, {"a", "refuse", "c", "d"});
  EXPECT_EQ(collect(destination, 3), (Texts{"", "ugly: too ugly", ""}));
  write(destination, {"e", "f"});
  EXPECT_EQ(collect(destination, 3), (Texts{"", "", ""}));
  EXPECT_EQ(destination.sizes(), (std::vector<std::size_t>{3, 3}));
}

TEST(BatcherTest, WritesAPartialBatchAfterItsDelay) {
  Collecting destination(1000, 10ms);
  write(destination, {"a", "b"});
  EXPECT_EQ(collect(destination, 2), (Texts{"", ""}));
}

TEST(BatcherTest, WritesAPartialBatchAtStop) {
  Collecting destination(1000, 1h);
  write(destination, {"a", "b"});
  destination.stop({});
  EXPECT_EQ(collect(destination, 2), (Texts{"", ""}));
  EXPECT_EQ(destination.sizes(), (std::vector<std::size_t>{2}));
}

TEST(BatcherTest, RefusesABatchThatFails) {
  Collecting destination(2, 1h);
  write(destination, {"a", "throw", "throw a number", "b", "c", "d"});
  const std::string odd = "record-refused: an exception that is not a std::exception";
  EXPECT_EQ(collect(destination, 6),
            (Texts{"broken: all of them", "broken: all of them", odd, odd, "", ""}));
}

TEST(BatcherTest, LimitsTheSizeOfABatch) {
  Collecting destination(10, 1h);
  write(destination, Texts(10000, ""));
  EXPECT_EQ(collect(destination, 10000).size(), 10000u);
  EXPECT_EQ(destination.sizes(), std::vector<std::size_t>(1000, 10));
}

TEST(BatcherTest, RefusesUnwrittenRecordsWhenDestroyed) {
  Collecting destination(10, 1h);
  write(destination, {"a"});
  destination.teardown();
  EXPECT_EQ(collect(destination, 1).front().substr(0, 11), "unanswered:");
}

TEST(BatcherTest, RequiresASizeAndADelay) {
  EXPECT_EQ(failure_of([] { Collecting(0, 1s); }), "a batch needs a size and a delay above 0");
  EXPECT_EQ(failure_of([] { Collecting(1, 0s); }), "a batch needs a size and a delay above 0");
}

}}  // namespace tenon::builtin
