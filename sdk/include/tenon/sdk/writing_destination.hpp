// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/writing_destination.hpp: a destination for authors who write one record after another.
// It keeps the acknowledgements of what was written until the host asks for them.
//
//   struct Printer : tenon::sdk::WritingDestination {
//     void write(tenon::RecordV2View record) override { print(record.payload().after()); }
//   };
#pragma once

#include <tenon/sdk/acknowledgement.hpp>
#include <tenon/sdk/destination.hpp>

#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace tenon::sdk {

/// Override `write`, `write_async` or `write_all`.
class WritingDestination : public DestinationV2 {
 public:
  /// The records of a batch that were not written, by their index, each with the reason.
  using Refused = std::map<std::size_t, DestinationV2AckError>;

  /// Writes one record: when it returns the record is safe. A failure refuses this record alone,
  /// unless it is fatal or the call was cancelled: then it counts as one of write_async. A Refusal
  /// gives the acknowledgement a code.
  virtual void write(RecordV2View /*record*/) { throw unimplemented("write"); }

  /// Begins to write one record, which is valid during the call. `ack` is called once it is safe or
  /// could not be written, at the latest when `flush` returns. The host gets the acknowledgements
  /// in the order of the writes, whatever the order of the calls. A failure ends the stream:
  /// nothing of the batch is acknowledged, and later writes fail in the same way, unless it is
  /// retryable.
  virtual void write_async(RecordV2View record, const AckCallback& ack) {
    try {
      write(record);
    } catch (const Failure& failure) {
      if ((failure.status() & TENON_FATAL) != 0 || call().cancelled()) throw;
      return ack(ack_error(failure));
    } catch (const std::exception& error) {
      return ack(ack_error(error));
    }
    ack();
  }

  /// Writes a batch. When it returns all records are safe that it does not refuse; who writes only
  /// the first ones refuses the others. A failure fails the batch, with nothing of it acknowledged.
  virtual Refused write_all(ListView<RecordV2> records) {
    try {
      for (std::size_t i = 0; i < records.size(); i++)
        write_async(records[i], callback(records, i));
    } catch (...) {
      if (!detail::may_succeed_later(call())) failure_ = std::current_exception();
      throw;
    }
    return {};
  }

  /// Writes all that is open and calls its callbacks. Called once, when the host stops the
  /// destination; no write follows. Callbacks that other threads call are waited for until the
  /// deadline of `stop`; then the records that are still open count as not written.
  virtual void flush() {}

  /// Nothing is opened unless this is overridden.
  void open() override {}

  void write_batch(ListView<RecordV2> records) override {
    acks_->check();
    if (failure_) std::rethrow_exception(failure_);
    try {
      acks_->begin(records);
      acks_->end(write_all(records));
    } catch (...) {
      acks_->withdraw();
      throw;
    }
  }

  void stop(std::optional<BytesView> /*last_position*/) final {
    if (!flushed_) flush_once();
    acks_->wait(call());
    if (call().reason() == Cancelled::by_restart) call().check();
    close();
    acks_->check();
  }

  tenon_status raw_next_acks(tenon_call* call, const tenon_destination_v2_next_acks_request*,
                             const tenon_destination_v2_next_acks_response** out) override {
    const tenon_list acks = acks_->take(Call(call));
    auto* answer = detail::new_response<tenon_destination_v2_next_acks_response>(call);
    answer->acks = acks;
    *out = answer;
    return TENON_OK;
  }

 protected:
  /// Says what became of records, in the order in which they were accepted, for an override of
  /// write_batch. One batch at a time.
  void acknowledge(ListView<RecordV2> records, Refused refused) {
    acks_->begin(records);
    acks_->end(std::move(refused));
  }

 private:
  AckCallback callback(ListView<RecordV2> records, std::size_t index) const {
    return AckCallback(std::make_shared<detail::OpenAck>(acks_, acks_->defer(index),
                                                         records[index].position().text()));
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
  const std::shared_ptr<detail::OpenAcks> acks_ = std::make_shared<detail::OpenAcks>(name());
  std::exception_ptr failure_;  // of write_async, for all writes that follow
  bool flushed_ = false;
};

}  // namespace tenon::sdk
