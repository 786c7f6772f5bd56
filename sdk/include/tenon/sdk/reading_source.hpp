// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/reading_source.hpp: a source for authors who read one record after another. It makes
// the batches, ends reading when the host stops, and knows the last position.
//
//   struct Numbers : tenon::sdk::ReadingSource {
//     void open(std::optional<tenon::BytesView> position) override { last = parse(position); }
//     std::optional<tenon::RecordV2> read() override {
//       call().wait(std::chrono::seconds(1));
//       return make_record(++last);
//     }
//   };
#pragma once

#include <tenon/sdk/record_batch.hpp>
#include <tenon/sdk/source.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace tenon::sdk {

/// Override `open`, and `read` or `read_some`; besides them what the plugin needs of `configure`,
/// `ack`, `teardown` and the on_ methods.
class ReadingSource : public SourceV2 {
 public:
  /// Returns the next record, and waits for it if there is none; nothing at the end of the source.
  ///
  /// Waits by call().wait(), which ends the method when the host stops the source. `read` is called
  /// at least once with a cancelled call, and again for as long as `buffered` returns true. It is
  /// not called any more after a failure, unless that is retryable: `throw
  /// Failure(...).retryable()`.
  virtual std::optional<RecordV2> read() { throw unimplemented("read"); }

  /// The same for several records: adds them until the batch is full, but waits only for the first.
  /// A batch that stays empty is the end of the source. After a failure the records that were added
  /// before are delivered first.
  virtual void read_some(RecordBatch& batch) {
    if (std::optional<RecordV2> record = read()) batch.add(*std::move(record));
  }

  /// Returns whether the plugin holds records that it can return without waiting. They are
  /// delivered before the source stops.
  virtual bool buffered() const { return false; }

  std::vector<RecordV2> read_batch(std::int32_t max, std::optional<std::int64_t> max_bytes) final {
    RecordBatch batch(max, max_bytes);
    if (failure_) rethrow();
    try {
      if (std::exchange(saw_cancellation_, call().cancelled()) && !buffered()) call().check();
      read_some(batch);
      if (batch.empty()) throw Failure(TENON_OUT_OF_RANGE, "no more records");
    } catch (...) {
      failure_ = std::current_exception();
      passes_ = detail::may_succeed_later(call());
      if (batch.empty()) rethrow();
    }
    std::vector<RecordV2> records = batch.take();
    last_position_ = records.back().position;
    return records;
  }

  std::optional<Bytes> stop() final { return last_position_; }

 private:
  [[noreturn]] void rethrow() {
    std::rethrow_exception(passes_ ? std::exchange(failure_, nullptr) : failure_);
  }

  std::optional<Bytes> last_position_;
  std::exception_ptr failure_;  // that ended reading, or ends the next call
  bool passes_ = false;         // the failure is of one call
  bool saw_cancellation_ = false;
};

}  // namespace tenon::sdk
