// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/batcher.hpp: collects the records of a destination and writes them in batches.
//
//   void open() override {
//     batcher.emplace(1000, 1s, [this](const auto& records) { return insert(records); });
//   }
//   void write_async(tenon::RecordV2View record, const tenon::sdk::AckCallback& ack) override {
//     batcher->add(record, ack);
//   }
//   void flush() override { batcher->flush(call()); }
//   void teardown() override { batcher.reset(); }
//   std::optional<tenon::sdk::Batcher> batcher;
#pragma once

#if !defined(__cpp_exceptions)
#error "tenon/sdk/batcher.hpp needs exceptions"
#endif

#include <tenon/mutex.hpp>
#include <tenon/sdk/async_destination.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace tenon::sdk {

/// Writes on a thread of its own, one batch at a time. Destroy it in `teardown`, which joins the
/// thread; then the module can declare `{"threads": "joined"}`. Thread-safe.
class Batcher {
 public:
  using Refused = WritingDestination::Refused;
  /// Writes a batch and returns the refused records, as WritingDestination::write_all does. An
  /// exception refuses all records of the batch. Called on the thread of the Batcher.
  using Write = std::function<Refused(const std::vector<RecordV2>& records)>;

  /// Starts the thread. A batch is written as soon as it has `size` records, and at the latest
  /// `delay` after its first record was added. Both are greater than 0; otherwise the constructor
  /// throws Failure with TENON_INVALID_ARGUMENT. Throws std::system_error if there is no thread.
  Batcher(std::size_t size, Duration delay, Write write)
      : size_(size), delay_(delay), write_(std::move(write)) {
    if (size == 0 || delay <= Duration::zero()) {
      throw Failure(TENON_INVALID_ARGUMENT, "a batch needs a size and a delay above 0");
    }
    thread_ = std::thread([this] { write_all(); });
  }
  /// Waits for the batch that is being written. Remaining records are dropped and count as not
  /// written.
  ~Batcher() {
    {
      sync::Lock lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  /// Copies the record to the current batch. Calls `ack` after the batch was written.
  void add(RecordV2View record, const AckCallback& ack) {
    {
      sync::Lock lock(mutex_);
      if (items_.empty()) due_ = Clock::now() + delay_;
      items_.push_back({Value<RecordV2>::own(record.raw()), ack});
      if (items_.size() != 1 && items_.size() != size_) return;
    }
    changed_.notify_all();
  }

  /// Writes all records without the delay, and returns when they are written. Throws Failure if the
  /// call is cancelled.
  void flush(Call call) {
    sync::Lock lock(mutex_);
    due_ = Clock::now();
    changed_.notify_all();
    // A cancellation does not notify the condition variable, so this polls.
    while (writing_ || !items_.empty()) {
      call.check();
      changed_.wait_for(lock, std::chrono::milliseconds(20));
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  struct Item {
    RecordV2 record;
    AckCallback ack;
  };

  void write_all() {
    sync::Lock lock(mutex_);
    while (!ended_) {
      if (items_.empty()) {
        changed_.wait(lock);
      } else if (items_.size() < size_ && Clock::now() < due_) {
        changed_.wait_until(lock, due_);
      } else {
        write_batch();
      }
    }
  }

  void write_batch() TENON_REQUIRES(mutex_) {
    std::vector<RecordV2> records;
    std::vector<AckCallback> acks;
    for (; !items_.empty() && records.size() < size_; items_.pop_front()) {
      records.push_back(std::move(items_.front().record));
      acks.push_back(items_.front().ack);
    }
    writing_ = true;
    {
      const sync::Unlock unlocked(mutex_);
      acknowledge(acks, refused_of(records));
    }
    writing_ = false;
    changed_.notify_all();
  }

  Refused refused_of(const std::vector<RecordV2>& records) const TENON_EXCLUDES(mutex_) {
    DestinationV2AckError error{"record-refused", "an exception that is not a std::exception",
                                false};
    try {
      return write_(records);
    } catch (const std::exception& thrown) {
      error = ack_error(thrown);
    } catch (...) {
    }
    Refused all;
    for (std::size_t i = 0; i < records.size(); ++i) all.emplace_hint(all.end(), i, error);
    return all;
  }

  static void acknowledge(const std::vector<AckCallback>& acks, const Refused& refused) {
    for (std::size_t i = 0; i < acks.size(); ++i) {
      const auto error = refused.find(i);
      error == refused.end() ? acks[i]() : acks[i](error->second);
    }
  }

  const std::size_t size_;
  const Duration delay_;
  const Write write_;
  sync::Mutex mutex_;
  sync::ConditionVariable changed_;
  std::deque<Item> items_ TENON_GUARDED_BY(mutex_);
  Clock::time_point due_ TENON_GUARDED_BY(mutex_);  // when the first item is written at the latest
  bool writing_ TENON_GUARDED_BY(mutex_) = false;
  bool ended_ TENON_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace tenon::sdk
