// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/writing_destination.hpp: a destination for authors who write and are done. It keeps the
// acknowledgements of what was written until the host asks for them.
//
//   struct Printer : tenon::sdk::WritingDestination {
//     void write(tenon::RecordV2View record) override { print(record.payload().after()); }
//   };
#pragma once

#include <tenon/sdk/destination.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::sdk {

/// Refuses one record for what it holds, with a code for programs:
///
///   throw Refusal("wrong-json", "the payload is no JSON object");
///
/// As a failure its status is TENON_INVALID_ARGUMENT.
class Refusal : public Failure {
 public:
  /// `code` is a word of small letters and hyphens; the message is made of the parts.
  template <class... Parts>
  explicit Refusal(std::string_view code, const Parts&... parts)
      : Failure(TENON_INVALID_ARGUMENT, parts...), code_(code) {}

  const std::string& code() const noexcept { return code_; }

 private:
  std::string code_;
};

/// Returns what the acknowledgement of a record says after writing it threw `error`. The code is
/// "refused" except of a Refusal.
inline DestinationV2AckError ack_error(const std::exception& error) {
  DestinationV2AckError made{"refused", error.what(), false};
  if (auto* failure = dynamic_cast<const Failure*>(&error)) {
    made.retryable = (failure->status() & TENON_RETRYABLE) != 0;
  }
  if (auto* refusal = dynamic_cast<const Refusal*>(&error)) made.code = refusal->code();
  return made;
}

namespace detail {

/// What became of records that the host has not asked for yet. Its memory is used again and again.
class PendingAcks {
 public:
  /// In the order of the records, of which `refused` were not written.
  void add(ListView<RecordV2> records, std::map<std::size_t, DestinationV2AckError>&& refused) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (std::size_t i = 0; i < records.size(); i++) {
        const BytesView position = records[i].position();
        positions_.insert(positions_.end(), position.begin(), position.end());
        ends_.push_back(positions_.size());
      }
      const std::size_t first = ends_.size() - records.size();
      for (auto& [index, error] : refused) refused_.emplace(first + index, std::move(error));
    }
    changed_.notify_all();
  }

  /// Nothing follows.
  void close() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }

  /// All that there are, in the arena of the call; waits until there are some. Throws Failure when
  /// the call is cancelled, or when nothing follows.
  tenon_list take(Call call) {
    std::unique_lock<std::mutex> lock(mutex_);
    // Two things may end this wait, but only one of them wakes it: a cancellation is looked for.
    while (ends_.empty() && !closed_) {
      call.check();
      changed_.wait_for(lock, std::chrono::milliseconds(20));
    }
    if (ends_.empty()) throw Failure(TENON_OUT_OF_RANGE, "every record is acknowledged");
    const tenon_list taken = copy(call.raw());
    positions_.clear();
    ends_.clear();
    refused_.clear();
    return taken;
  }

 private:
  tenon_list copy(tenon_call* call) const {
    void* elements;
    const tenon_list list =
        tenon_new_list(call, ends_.size(), sizeof(tenon_destination_v2_ack), &elements);
    auto* ack = static_cast<tenon_destination_v2_ack*>(elements);
    const auto* position = static_cast<const std::uint8_t*>(
        tenon_allocate_copy(call, positions_.data(), positions_.size()));
    std::size_t begin = 0;
    for (std::size_t end : ends_) {
      ack++->position = {position + begin, end - begin};
      begin = end;
    }
    ack = static_cast<tenon_destination_v2_ack*>(elements);
    for (const auto& [index, error] : refused_) {
      ack[index].error = Value<std::optional<DestinationV2AckError>>::raw<Copy::deep>(call, error);
    }
    return list;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint8_t> positions_;  // one behind the other
  std::vector<std::size_t> ends_;        // of each
  std::map<std::size_t, DestinationV2AckError> refused_;
  bool closed_ = false;
};

}  // namespace detail

/// Override `write` or `write_all`: what they return from is written for good, and acknowledged.
class WritingDestination : public DestinationV2 {
 public:
  /// The records of a batch that were not written, by their index, each with the reason.
  using Refused = std::map<std::size_t, DestinationV2AckError>;

  /// Writes one record. A failure refuses this record alone, unless it is fatal or the call was
  /// cancelled: that ends the stream. A Refusal gives the acknowledgement a code.
  virtual void write(RecordV2View /*record*/) { throw unimplemented("write"); }

  /// Writes a batch. A failure ends the stream, with nothing of the batch acknowledged.
  virtual Refused write_all(ListView<RecordV2> records) {
    Refused refused;
    for (std::size_t i = 0; i < records.size(); i++) {
      try {
        write(records[i]);
      } catch (const Failure& failure) {
        if ((failure.status() & TENON_FATAL) != 0 || call().cancelled()) throw;
        refused.emplace(i, ack_error(failure));
      } catch (const std::exception& error) {
        refused.emplace(i, ack_error(error));
      }
    }
    return refused;
  }

  /// Nothing is open where this is not overridden.
  void open() override {}
  /// Everything is written already. Call this one from an override.
  void stop(std::optional<BytesView> /*last_position*/) override { acks_.close(); }

  void write_batch(ListView<RecordV2> records) final { acks_.add(records, write_all(records)); }

  tenon_status raw_next_acks(tenon_call* call, const tenon_destination_v2_next_acks_request*,
                             const tenon_destination_v2_next_acks_response** out) final {
    const tenon_list acks = acks_.take(Call(call));
    auto* answer = detail::new_response<tenon_destination_v2_next_acks_response>(call);
    answer->acks = acks;
    *out = answer;
    return TENON_OK;
  }

 private:
  detail::PendingAcks acks_;
};

}  // namespace tenon::sdk
