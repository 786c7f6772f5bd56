// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/batcher.hpp: collects records of a destination and writes them together.
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

#include <tenon/sdk/async_destination.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tenon::sdk {

/// Thread-safe. Writes on a thread of its own, one batch at a time; a module that uses it joins the
/// thread by ending the Batcher in `teardown`, and can say so (`{"threads": "joined"}`).
class Batcher {
 public:
  using Refused = WritingDestination::Refused;
  /// Writes a batch as WritingDestination::write_all does; a failure refuses all of its records.
  using Write = std::function<Refused(const std::vector<RecordV2>& records)>;

  /// A batch is written as soon as it has `size` records, and otherwise `delay` after its first
  /// record came. Both are more than 0. Throws Failure.
  Batcher(std::size_t size, Duration delay, Write write)
      : size_(size), delay_(delay), write_(std::move(write)) {
    if (size == 0 || delay <= Duration::zero()) {
      throw Failure(TENON_INVALID_ARGUMENT, "a batch needs a size and a delay above 0");
    }
    thread_ = std::thread([this] { write_all(); });
  }
  /// Waits for the batch that is being written. Records that are not written are not acknowledged.
  ~Batcher() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Batcher(const Batcher&) = delete;
  Batcher& operator=(const Batcher&) = delete;

  /// Copies the record. `ack` is called when its batch is written.
  void add(RecordV2View record, const AckCallback& ack) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (items_.empty()) due_ = Clock::now() + delay_;
      items_.push_back({Value<RecordV2>::own(record.raw()), ack});
      if (items_.size() != 1 && items_.size() != size_) return;
    }
    changed_.notify_all();
  }

  /// Writes what there is without a delay, and waits until it is written. Throws Failure when the
  /// call is cancelled.
  void flush(Call call) {
    std::unique_lock<std::mutex> lock(mutex_);
    due_ = Clock::now();
    changed_.notify_all();
    // Two things may end this wait, but only one of them wakes it: a cancellation is looked for.
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
    std::unique_lock<std::mutex> lock(mutex_);
    while (!ended_) {
      if (items_.empty()) {
        changed_.wait(lock);
      } else if (items_.size() < size_ && Clock::now() < due_) {
        changed_.wait_until(lock, due_);
      } else {
        write_batch(lock);
      }
    }
  }

  void write_batch(std::unique_lock<std::mutex>& lock) {
    std::vector<RecordV2> records;
    std::vector<AckCallback> acks;
    for (; !items_.empty() && records.size() < size_; items_.pop_front()) {
      records.push_back(std::move(items_.front().record));
      acks.push_back(items_.front().ack);
    }
    writing_ = true;
    lock.unlock();
    acknowledge(acks, written(records));
    lock.lock();
    writing_ = false;
    changed_.notify_all();
  }

  Refused written(const std::vector<RecordV2>& records) const {
    DestinationV2AckError error{"record-refused", "an exception that is no std::exception", false};
    try {
      return write_(records);
    } catch (const std::exception& thrown) {
      error = ack_error(thrown);
    } catch (...) {
    }
    Refused all;
    for (std::size_t i = 0; i < records.size(); i++) all.emplace_hint(all.end(), i, error);
    return all;
  }

  static void acknowledge(const std::vector<AckCallback>& acks, const Refused& refused) {
    for (std::size_t i = 0; i < acks.size(); i++) {
      const auto error = refused.find(i);
      error == refused.end() ? acks[i]() : acks[i](error->second);
    }
  }

  const std::size_t size_;
  const Duration delay_;
  const Write write_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  Clock::time_point due_;  // of the first item, at the latest
  bool writing_ = false;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace tenon::sdk
