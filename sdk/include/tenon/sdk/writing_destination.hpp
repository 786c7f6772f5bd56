// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/writing_destination.hpp: a base for destinations that write one record after another.
// It keeps the acknowledgements of written records until the host collects them.
//
//   struct Printer : tenon::sdk::WritingDestination {
//     void write(tenon::RecordV2View record) override { print(record.payload().after()); }
//   };
#pragma once

#if !defined(__cpp_exceptions)
#error "tenon/sdk/writing_destination.hpp needs exceptions"
#endif

#include <tenon/sdk/acknowledgement.hpp>
#include <tenon/sdk/destination.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace tenon::sdk {
namespace detail {

/// Calls `body` and returns its result. An exception that is not retryable is stored in `failure`,
/// and later calls throw it again.
template <class Body>
auto unless_failed(std::exception_ptr& failure, Call call, Body&& body) -> decltype(body()) {
  if (failure) std::rethrow_exception(failure);
  try {
    return body();
  } catch (...) {
    if (!may_succeed_later(call)) failure = std::current_exception();
    throw;
  }
}

}  // namespace detail

/// Override `write` or `write_all`, and `sync` or `flush` if the plugin needs them. If records are
/// acknowledged later, derive from AsyncDestination instead.
class WritingDestination : public DestinationV2 {
 public:
  /// The records of a batch that were not written: their indexes, counted from 0, and the reasons.
  using Refused = std::map<std::size_t, DestinationV2AckError>;

  /// Writes one record. An exception refuses only this record; throw a Refusal to give the
  /// acknowledgement a code. A fatal Failure, or a Failure after the call was cancelled, fails the
  /// batch; a fatal one fails later writes too.
  virtual void write(RecordV2View /*record*/) { throw unimplemented("write"); }

  /// Writes a batch. When it returns, all records are written except the refused ones, which it
  /// returns; a plugin that writes only the first records refuses the others. An exception fails
  /// the batch: nothing of it is acknowledged.
  virtual Refused write_all(ListView<RecordV2> records) {
    return detail::unless_failed(write_failure_, call(), [&] {
      Refused refused;
      for (std::size_t i = 0; i < records.size(); ++i) {
        auto error = try_write(records[i]);
        if (error) refused.emplace_hint(refused.end(), i, *std::move(error));
      }
      return refused;
    });
  }

  /// Makes all records durable that were written before, eg: with fdatasync. Called before they are
  /// acknowledged, while another thread may write. After an exception nothing is acknowledged, and
  /// nothing later either unless it is retryable.
  virtual void sync() {}

  /// Writes everything that the plugin still holds. Called once, when the host stops the
  /// destination, after the last write.
  virtual void flush() {}

  /// Opens the destination. The default does nothing.
  void open() override {}

  /// Writes a batch with `write_all`, and keeps its acknowledgements.
  void write_batch(ListView<RecordV2> records) override {
    acks_->check();
    try {
      acks_->begin_batch(records);
      acks_->end_batch(write_all(records));
    } catch (...) {
      acks_->discard_batch();
      throw;
    }
  }

  /// Calls `flush`, and waits until all records are acknowledged or the call is cancelled.
  void stop(std::optional<BytesView> /*last_position*/) final {
    if (!flushed_) flush_once();
    acks_->await_all(call());
    if (call().cancel_reason() == CancelReason::restart) call().check();
    close();
    acks_->check();
  }

  /// Waits for acknowledgements, calls `sync`, and returns them.
  tenon_status raw_next_acks(tenon_call* call, const tenon_destination_v2_next_acks_request*,
                             const tenon_destination_v2_next_acks_response** out) override {
    const std::uint64_t end = acks_->await_resolved(Call(call));
    detail::unless_failed(sync_failure_, Call(call), [&] { sync(); });
    const tenon_list acks = acks_->collect(Call(call), end);
    auto* response = detail::new_response<tenon_destination_v2_next_acks_response>(call);
    response->acks = acks;
    *out = response;
    return TENON_OK;
  }

 protected:
  /// Acknowledges all records except the refused ones, for overrides of write_batch. Records are
  /// passed in the order in which they were accepted. Called by one thread at a time.
  void acknowledge(ListView<RecordV2> records, Refused refused) {
    acks_->begin_batch(records);
    acks_->end_batch(std::move(refused));
  }

  /// Throws Failure if a refused record is not one of these records.
  void check_refused(ListView<RecordV2> records, const Refused& refused) const {
    acks_->check_refused(refused, records.size());
  }

  /// Returns the callback that acknowledges the record with this index in the batch that is being
  /// written.
  AckCallback callback(ListView<RecordV2> records, std::size_t index) const {
    return AckCallback(std::make_shared<detail::PendingAck>(acks_, acks_->defer(index),
                                                            records[index].position().text()));
  }

 private:
  std::optional<DestinationV2AckError> try_write(RecordV2View record) {
    try {
      write(record);
    } catch (const Failure& failure) {
      if ((failure.status() & TENON_FATAL) != 0 || call().cancelled()) throw;
      return ack_error(failure);
    } catch (const std::exception& error) {
      return ack_error(error);
    }
    return std::nullopt;
  }

  void flush_once() {
    try {
      flush();
    } catch (...) {
      if (detail::may_succeed_later(call())) throw;
      flushed_ = true;
      close();
      throw;
    }
    flushed_ = true;
  }

  void close() {
    const std::size_t unanswered = acks_->close();
    if (unanswered > 0) log.error("records not acknowledged before the end of stop: ", unanswered);
  }

  // Callbacks may outlive the destination.
  const std::shared_ptr<detail::PendingAcks> acks_ = std::make_shared<detail::PendingAcks>(name());
  std::exception_ptr write_failure_;
  std::exception_ptr sync_failure_;
  bool flushed_ = false;
};

}  // namespace tenon::sdk
