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
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace tenon::sdk {
namespace detail {

/// Returns what `body` returns. A failure is kept and thrown by the calls that follow, unless it is
/// retryable.
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

/// Override `write` or `write_all`. See async_destination.hpp for records that are acknowledged
/// later.
class WritingDestination : public DestinationV2 {
 public:
  /// The records of a batch that were not written, by their index, each with the reason.
  using Refused = std::map<std::size_t, DestinationV2AckError>;

  /// Writes one record. A failure refuses this record alone, unless it is fatal or the call was
  /// cancelled: then it fails the batch, and a fatal one fails later writes too. A Refusal gives
  /// the acknowledgement a code.
  virtual void write(RecordV2View /*record*/) { throw unimplemented("write"); }

  /// Writes a batch. When it returns, all records are written but those that it refuses; a plugin
  /// that writes only the first ones refuses the others. A failure fails the batch: nothing of it
  /// is acknowledged.
  virtual Refused write_all(ListView<RecordV2> records) {
    return detail::unless_failed(write_failure_, call(), [&] {
      Refused refused;
      for (std::size_t i = 0; i < records.size(); i++) {
        auto error = try_write(records[i]);
        if (error) refused.emplace_hint(refused.end(), i, *std::move(error));
      }
      return refused;
    });
  }

  /// Makes all records safe that were written before, eg: by fdatasync. Called before they are
  /// acknowledged, while another thread may write. A failure acknowledges nothing, and the records
  /// that follow are not acknowledged either, unless it is retryable.
  virtual void sync() {}

  /// Writes what the plugin still holds. Called once, when the host stops the destination; no write
  /// follows.
  virtual void flush() {}

  /// Nothing is opened unless this is overridden.
  void open() override {}

  void write_batch(ListView<RecordV2> records) override {
    acks_->check();
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
    const std::uint64_t end = acks_->await(Call(call));
    detail::unless_failed(sync_failure_, Call(call), [&] { sync(); });
    const tenon_list acks = acks_->take(Call(call), end);
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

  /// Returns what acknowledges a record of the batch that is being written, by its index.
  AckCallback callback(ListView<RecordV2> records, std::size_t index) const {
    return AckCallback(std::make_shared<detail::OpenAck>(acks_, acks_->defer(index),
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
  const std::shared_ptr<detail::OpenAcks> acks_ = std::make_shared<detail::OpenAcks>(name());
  std::exception_ptr write_failure_;
  std::exception_ptr sync_failure_;
  bool flushed_ = false;
};

}  // namespace tenon::sdk
