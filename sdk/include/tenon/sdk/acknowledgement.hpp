// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/acknowledgement.hpp: acknowledgements and refusals of records by a destination.
#pragma once

#if !defined(__cpp_exceptions)
#error "tenon/sdk/acknowledgement.hpp needs exceptions"
#endif

#include <tenon/mutex.hpp>
#include <tenon/sdk/destination.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::sdk {

/// The exception that refuses one record because of its content, with a code for programs:
///
///   throw Refusal("wrong-json", "the payload is not a JSON object");
///
/// Its status is TENON_INVALID_ARGUMENT.
class Refusal : public Failure {
 public:
  /// `code` consists of lower-case letters and hyphens. The message is the concatenation of the
  /// parts, see text().
  template <class... Parts>
  explicit Refusal(std::string_view code, const Parts&... parts)
      : Failure(TENON_INVALID_ARGUMENT, parts...), code_(code) {}

  /// Returns the code.
  const std::string& code() const noexcept { return code_; }

 private:
  std::string code_;
};

/// Returns the error of the acknowledgement of a record after writing it threw `error`. The code is
/// that of a Refusal, or "record-refused" for other exceptions.
inline DestinationV2AckError ack_error(const std::exception& error) {
  DestinationV2AckError made{"record-refused", std::string(detail::exception_text(error.what())),
                             false};
  if (auto* failure = dynamic_cast<const Failure*>(&error)) {
    made.retryable = (failure->status() & TENON_RETRYABLE) != 0;
  }
  if (auto* refusal = dynamic_cast<const Refusal*>(&error)) made.code = refusal->code();
  return made;
}

namespace detail {

/// Returns a position for messages: as text if it is printable, otherwise as hex digits.
inline std::string readable(std::string_view position) {
  const auto printable = [](unsigned char c) { return c >= 0x20 && c < 0x7f; };
  if (std::all_of(position.begin(), position.end(), printable)) return text('"', position, '"');
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex = "0x";
  for (const char c : position) {
    const auto byte = static_cast<unsigned char>(c);
    hex.push_back(digits[byte >> 4]);
    hex.push_back(digits[byte & 15]);
  }
  return hex;
}

/// The acknowledgements that the host has not collected yet, in the order of the writes. Reuses its
/// memory. Thread-safe, but only one batch may be open at a time.
class PendingAcks {
 public:
  /// Identifies a record. The records of a discarded batch have the same record numbers as those of
  /// the next batch.
  struct RecordId {
    std::uint64_t batch;
    std::uint64_t record;
  };
  using Refused = std::map<std::size_t, DestinationV2AckError>;

  explicit PendingAcks(std::string plugin) : plugin_(std::move(plugin)) {}

  /// Throws Failure if a refused record is not one of the `size` records of a batch.
  void check_refused(const Refused& refused, std::size_t size) const {
    if (refused.empty() || refused.rbegin()->first < size) return;
    throw Failure(TENON_INTERNAL, "the plugin \"", plugin_, "\" refused record ",
                  refused.rbegin()->first, " of a batch of ", size, ", counted from 0");
  }

  /// Begins a batch. Its acknowledgements cannot be collected before `end_batch`.
  void begin_batch(ListView<RecordV2> records) {
    sync::Lock lock(mutex_);
    ++batch_;
    for (RecordV2View record : records) {
      const BytesView position = record.position();
      positions_.insert(positions_.end(), position.begin(), position.end());
      slots_.push_back({positions_.size(), batch_, State::writing});
    }
  }

  /// Defers the acknowledgement of the record with this index in the batch to a call of `resolve`.
  RecordId defer(std::size_t index) {
    sync::Lock lock(mutex_);
    slots_[ended_ + index].state = State::pending;
    ++pending_;
    return {batch_, first_number_ + ended_ + index};
  }

  /// Ends the batch, and acknowledges records that were not deferred: as refused, or as safe.
  void end_batch(Refused&& refused) {
    {
      sync::Lock lock(mutex_);
      check_refused(refused, slots_.size() - ended_);
      for (auto& [index, error] : refused) {
        if (slots_[ended_ + index].state != State::writing) continue;
        errors_.emplace(first_number_ + ended_ + index, std::move(error));
      }
      for (; ended_ < slots_.size(); ++ended_) {
        if (slots_[ended_].state == State::writing) slots_[ended_].state = State::resolved;
      }
    }
    changed_.notify_all();
  }

  /// Ends the batch because none of it was accepted. Calls of `resolve` for its records are
  /// ignored.
  void discard_batch() {
    sync::Lock lock(mutex_);
    errors_.erase(errors_.lower_bound(first_number_ + ended_), errors_.end());
    for (; slots_.size() > ended_; slots_.pop_back())
      pending_ -= slots_.back().state == State::pending;
    positions_.resize(position_begin(ended_));
  }

  /// Acknowledges a deferred record, unless that was done before.
  void resolve(RecordId id, std::optional<DestinationV2AckError> error) {
    {
      sync::Lock lock(mutex_);
      const std::uint64_t index = id.record - first_number_;
      if (id.record < first_number_ || index >= slots_.size()) return;
      if (slots_[index].batch != id.batch || slots_[index].state != State::pending) return;
      set_resolved(index, std::move(error));
      if (index != collected_ && pending_ != 0) return;  // no thread waits for this record
    }
    changed_.notify_all();
  }

  /// Reports that the record at this position was acknowledged twice.
  void report_duplicate(std::string_view position) {
    {
      sync::Lock lock(mutex_);
      if (broken_) return;
      broken_.emplace(TENON_INTERNAL | TENON_FATAL, "the plugin \"", plugin_,
                      "\" acknowledged the record at position ", readable(position), " twice");
    }
    changed_.notify_all();
  }

  /// Throws Failure if a record was acknowledged twice.
  void check() const {
    sync::Lock lock(mutex_);
    if (broken_) fail(*broken_);
  }

  /// Waits until all records are acknowledged or the call is cancelled.
  void await_all(Call call) {
    sync::Lock lock(mutex_);
    while (pending_ > 0 && !call.cancelled()) changed_.wait_for(lock, poll_interval);
  }

  /// Ends the acknowledgements: pending records count as not written. Returns their number.
  std::size_t close() {
    std::size_t unanswered = 0;
    {
      sync::Lock lock(mutex_);
      for (std::size_t i = collected_; pending_ > 0; ++i) {
        if (slots_[i].state != State::pending) continue;
        set_resolved(
            i, unanswered_error(position_of(i), "was not acknowledged before the end of stop"));
        ++unanswered;
      }
      closed_ = true;
    }
    changed_.notify_all();
    return unanswered;
  }

  /// Waits until the next record is acknowledged, and returns the number of the first record after
  /// it that is not. Throws Failure if the call is cancelled, or TENON_OUT_OF_RANGE at the end.
  std::uint64_t await_resolved(Call call) {
    sync::Lock lock(mutex_);
    std::size_t end = resolved_end();
    // A cancellation does not notify the condition variable, so this polls.
    for (; end == collected_; end = resolved_end()) {
      if (broken_) fail(*broken_);
      if (closed_) throw Failure(TENON_OUT_OF_RANGE, "every record is acknowledged");
      call.check();
      changed_.wait_for(lock, poll_interval);
    }
    return first_number_ + end;
  }

  /// Returns the acknowledgements of the records before this number, allocated in the arena of the
  /// call.
  tenon_list collect(Call call, std::uint64_t before) {
    sync::Lock lock(mutex_);
    const std::size_t end = before - first_number_;
    const tenon_list acks = copy(call.raw(), end);
    collected_ = end;
    errors_.erase(errors_.begin(), errors_.lower_bound(first_number_ + collected_));
    forget_collected();
    return acks;
  }

  /// Returns the error of a record that was not acknowledged. `what` completes the message, eg:
  /// "was dropped unacknowledged".
  DestinationV2AckError unanswered_error(std::string_view position, std::string_view what) const {
    return {"unanswered",
            text("the record at position ", readable(position), " ", what, " by the plugin \"",
                 plugin_, '"'),
            true};
  }

 private:
  enum class State : std::uint8_t { writing, pending, resolved };
  struct Slot {
    std::size_t position_end;  // in positions_
    std::uint64_t batch;
    State state;
  };
  static constexpr std::chrono::milliseconds poll_interval{20};

  void set_resolved(std::size_t index, std::optional<DestinationV2AckError>&& error)
      TENON_REQUIRES(mutex_) {
    slots_[index].state = State::resolved;
    --pending_;
    if (error) errors_.emplace(first_number_ + index, *std::move(error));
  }

  std::size_t resolved_end() const TENON_REQUIRES(mutex_) {
    std::size_t end = collected_;
    while (end < ended_ && slots_[end].state == State::resolved) ++end;
    return end;
  }

  std::size_t position_begin(std::size_t index) const TENON_REQUIRES(mutex_) {
    return index == 0 ? 0 : slots_[index - 1].position_end;
  }
  std::string_view position_of(std::size_t index) const TENON_REQUIRES(mutex_) {
    return BytesView(positions_)
        .text()
        .substr(position_begin(index), slots_[index].position_end - position_begin(index));
  }

  tenon_list copy(tenon_call* call, std::size_t end) const TENON_REQUIRES(mutex_) {
    void* elements;
    const tenon_list list =
        tenon_new_list(call, end - collected_, sizeof(tenon_destination_v2_ack), &elements);
    auto* acks = static_cast<tenon_destination_v2_ack*>(elements);
    const std::size_t first = position_begin(collected_);
    const auto* positions = static_cast<const std::uint8_t*>(
        tenon_allocate_copy(call, positions_.data() + first, slots_[end - 1].position_end - first));
    for (std::size_t i = collected_; i < end; ++i) {
      const std::size_t begin = position_begin(i);
      acks[i - collected_].position = {positions + (begin - first), slots_[i].position_end - begin};
    }
    for (auto error = errors_.begin(); error != errors_.end() && error->first < first_number_ + end;
         ++error) {
      acks[error->first - first_number_ - collected_].error =
          Value<std::optional<DestinationV2AckError>>::raw<Copy::deep>(call, error->second);
    }
    return list;
  }

  /// Frees the memory of collected records, but only if they are the greater part, because the rest
  /// moves to the front.
  void forget_collected() TENON_REQUIRES(mutex_) {
    if (collected_ < slots_.size() - collected_) return;
    const std::size_t bytes = position_begin(collected_);
    const auto count = static_cast<std::ptrdiff_t>(collected_);
    positions_.erase(positions_.begin(), positions_.begin() + static_cast<std::ptrdiff_t>(bytes));
    slots_.erase(slots_.begin(), slots_.begin() + count);
    for (Slot& slot : slots_) slot.position_end -= bytes;
    first_number_ += collected_;
    ended_ -= collected_;
    collected_ = 0;
  }

  const std::string plugin_;
  mutable sync::Mutex mutex_;
  sync::ConditionVariable changed_;
  std::vector<std::uint8_t> positions_ TENON_GUARDED_BY(mutex_);  // concatenated
  std::vector<Slot> slots_ TENON_GUARDED_BY(mutex_);
  // The number of the record in the first slot.
  std::uint64_t first_number_ TENON_GUARDED_BY(mutex_) = 0;
  std::size_t collected_ TENON_GUARDED_BY(mutex_) = 0;  // slots that the host has collected
  std::size_t ended_ TENON_GUARDED_BY(mutex_) = 0;      // slots of batches that have ended
  std::size_t pending_ TENON_GUARDED_BY(mutex_) = 0;
  std::uint64_t batch_ TENON_GUARDED_BY(mutex_) = 0;
  std::map<std::uint64_t, DestinationV2AckError> errors_ TENON_GUARDED_BY(mutex_);  // by the record
  std::optional<Failure> broken_ TENON_GUARDED_BY(mutex_);
  bool closed_ TENON_GUARDED_BY(mutex_) = false;
};

/// The acknowledgement of one record, shared by the copies of its callback.
class PendingAck {
 public:
  PendingAck(std::shared_ptr<PendingAcks> acks, PendingAcks::RecordId id, std::string_view position)
      : acks_(std::move(acks)), id_(id), position_(position) {}
  ~PendingAck() {
    if (called_) return;
    acks_->resolve(id_, acks_->unanswered_error(position_, "was dropped unacknowledged"));
  }
  PendingAck(const PendingAck&) = delete;
  PendingAck& operator=(const PendingAck&) = delete;

  void resolve(std::optional<DestinationV2AckError> error) {
    if (called_.exchange(true)) return acks_->report_duplicate(position_);
    acks_->resolve(id_, std::move(error));
  }

 private:
  const std::shared_ptr<PendingAcks> acks_;
  const PendingAcks::RecordId id_;
  const std::string position_;
  std::atomic<bool> called_{false};
};

}  // namespace detail

/// Acknowledges one record. Call it exactly once, on any thread; it may outlive the destination.
/// Copies refer to the same record. If the last copy is destroyed without a call, the record counts
/// as not written. A second call is an error of the plugin: it is ignored, and the destination
/// fails with TENON_INTERNAL | TENON_FATAL.
class AckCallback {
 public:
  /// Created by the base class of the destination.
  explicit AckCallback(std::shared_ptr<detail::PendingAck> pending)
      : pending_(std::move(pending)) {}
  // Copied but never moved, so that a second call through the original is detected too.
  AckCallback(const AckCallback&) = default;
  AckCallback& operator=(const AckCallback&) = default;
  ~AckCallback() = default;

  /// Reports that the record is safe.
  void operator()() const { pending_->resolve(std::nullopt); }
  /// Reports that the record could not be written.
  void operator()(DestinationV2AckError error) const { pending_->resolve(std::move(error)); }

 private:
  std::shared_ptr<detail::PendingAck> pending_;
};

}  // namespace tenon::sdk
