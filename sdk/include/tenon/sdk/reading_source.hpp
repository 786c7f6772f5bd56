// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/reading_source.hpp: a base for sources that read one record after another. It builds
// the batches, ends reading when the host stops the source, and tracks the last position.
//
//   struct Numbers : tenon::sdk::ReadingSource {
//     void open(std::optional<tenon::BytesView> position) override { last = parse(position); }
//     std::optional<tenon::RecordV2> read() override {
//       call().wait(std::chrono::seconds(1));
//       return make_record(++last);
//     }
//   };
#pragma once

#if !defined(__cpp_exceptions)
#error "tenon/sdk/reading_source.hpp needs exceptions"
#endif

#include <tenon/sdk/record_batch.hpp>
#include <tenon/sdk/source.hpp>

#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

namespace tenon::sdk {

/// Override `open`, and `read` or `read_some`. Override `configure`, `ack`, `teardown` and the on_
/// methods if the plugin needs them.
class ReadingSource : public SourceV2 {
 public:
  /// Waits for the next record and returns it; returns nothing at the end of the source.
  ///
  /// Wait with call().wait(), which throws when the host stops the source. `read` is called at
  /// least once with a cancelled call, and again as long as `buffered` returns true. After an
  /// exception it is not called again, unless that is retryable: `throw Failure(...).retryable()`.
  virtual std::optional<RecordV2> read() { throw unimplemented("read"); }

  /// Adds records until the batch is full, but waits only for the first one. An empty batch is the
  /// end of the source. After an exception the records that were added before are delivered first.
  /// Otherwise as `read`.
  virtual void read_some(RecordBatch& batch) {
    if (std::optional<RecordV2> record = read()) batch.add(*record);
  }

  /// Returns whether the plugin holds records that it can return without waiting. They are read
  /// before the source stops.
  virtual bool buffered() const { return false; }

  /// Returns a batch of records from `read_some`.
  tenon_status raw_read_batch(tenon_call* call, const tenon_source_v2_read_batch_request* in,
                              const tenon_source_v2_read_batch_response** out) final {
    RecordBatch batch(Call(call), in->max, Value<std::optional<std::int64_t>>::view(in->max_bytes));
    fill(batch);
    const ListView<RecordV2> records = batch.records();
    const BytesView last = records[records.size() - 1].position();
    if (!last_position_) last_position_.emplace();
    last_position_->assign(last.begin(), last.end());
    auto* response = detail::new_response<tenon_source_v2_read_batch_response>(call);
    response->records = records.raw();
    *out = response;
    return TENON_OK;
  }

  /// Returns the position of the last record that was read.
  std::optional<Bytes> stop() final { return last_position_; }

 private:
  /// Adds at least one record, or throws.
  void fill(RecordBatch& batch) {
    if (failure_) rethrow();
    try {
      if (std::exchange(saw_cancellation_, call().cancelled()) && !buffered()) call().check();
      read_some(batch);
      if (batch.empty()) throw Failure(TENON_OUT_OF_RANGE, "no more records");
    } catch (...) {
      failure_ = std::current_exception();
      retryable_ = detail::may_succeed_later(call());
      if (batch.empty()) rethrow();
    }
  }

  [[noreturn]] void rethrow() {
    std::rethrow_exception(retryable_ ? std::exchange(failure_, nullptr) : failure_);
  }

  std::optional<Bytes> last_position_;
  std::exception_ptr failure_;  // thrown by the next call, and by all later ones unless retryable
  bool retryable_ = false;      // whether `failure_` is
  bool saw_cancellation_ = false;
};

}  // namespace tenon::sdk
