// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/acknowledgement.hpp: how a destination says what became of a record that it was given.
#pragma once

#include <tenon/sdk/destination.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::sdk {

/// Refuses one record for what it holds, with a code for programs:
///
///   throw Refusal("wrong-json", "the payload is not a JSON object");
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
/// "record-refused" except of a Refusal.
inline DestinationV2AckError ack_error(const std::exception& error) {
  DestinationV2AckError made{"record-refused", error.what(), false};
  if (auto* failure = dynamic_cast<const Failure*>(&error)) {
    made.retryable = (failure->status() & TENON_RETRYABLE) != 0;
  }
  if (auto* refusal = dynamic_cast<const Refusal*>(&error)) made.code = refusal->code();
  return made;
}

namespace detail {

/// Returns a position for people: as text if it is printable.
inline std::string readable(std::string_view position) {
  const auto printable = [](unsigned char c) { return c >= 0x20 && c < 0x7f; };
  if (std::all_of(position.begin(), position.end(), printable)) return text('"', position, '"');
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex = "0x";
  for (unsigned char byte : position) {
    hex.push_back(digits[byte >> 4]);
    hex.push_back(digits[byte & 15]);
  }
  return hex;
}

/// The acknowledgements that the host has not collected yet, in the order of the writes. Memory is
/// reused. Thread-safe, but for one batch at a time.
class OpenAcks {
 public:
  /// A record. The records of a withdrawn batch have the same numbers as those of the next batch.
  struct Number {
    std::uint64_t batch;
    std::uint64_t record;
  };
  using Refused = std::map<std::size_t, DestinationV2AckError>;

  explicit OpenAcks(std::string plugin) : plugin_(std::move(plugin)) {}

  /// Begins a batch. Nothing of it is collected until its end.
  void begin(ListView<RecordV2> records) {
    std::lock_guard<std::mutex> lock(mutex_);
    batch_++;
    for (RecordV2View record : records) {
      const BytesView position = record.position();
      positions_.insert(positions_.end(), position.begin(), position.end());
      slots_.push_back({positions_.size(), batch_, State::writing});
    }
  }

  /// The record with this index in the batch is answered by its number, now or later.
  Number defer(std::size_t index) {
    std::lock_guard<std::mutex> lock(mutex_);
    slots_[ended_ + index].state = State::open;
    open_++;
    return {batch_, forgotten_ + ended_ + index};
  }

  /// Ends the batch. Records that were not deferred are safe, except the refused ones.
  void end(Refused&& refused) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      check_refused(refused);
      for (auto& [index, error] : refused) {
        if (slots_[ended_ + index].state != State::writing) continue;
        errors_.emplace(forgotten_ + ended_ + index, std::move(error));
      }
      for (; ended_ < slots_.size(); ended_++) {
        if (slots_[ended_].state == State::writing) slots_[ended_].state = State::answered;
      }
    }
    changed_.notify_all();
  }

  /// Ends the batch, of which nothing was accepted. Answers to its records are ignored.
  void withdraw() {
    std::lock_guard<std::mutex> lock(mutex_);
    errors_.erase(errors_.lower_bound(forgotten_ + ended_), errors_.end());
    for (; slots_.size() > ended_; slots_.pop_back()) open_ -= slots_.back().state == State::open;
    positions_.resize(position_begin(ended_));
  }

  /// Answers a deferred record, unless it was answered before.
  void answer(Number number, std::optional<DestinationV2AckError> error) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      const std::uint64_t index = number.record - forgotten_;
      if (number.record < forgotten_ || index >= slots_.size()) return;
      if (slots_[index].batch != number.batch || slots_[index].state != State::open) return;
      settle(index, std::move(error));
      if (index != taken_ && open_ != 0) return;  // nobody waits for this one
    }
    changed_.notify_all();
  }

  /// The record at this position was answered twice.
  void answered_twice(std::string_view position) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (broken_) return;
      broken_.emplace(TENON_INTERNAL | TENON_FATAL, "the plugin \"", plugin_,
                      "\" acknowledged the record at position ", readable(position), " twice");
    }
    changed_.notify_all();
  }

  /// Throws Failure when a record was answered twice.
  void check() const {
    std::lock_guard<std::mutex> lock(mutex_);
    if (broken_) throw Failure(*broken_);
  }

  /// Waits until all are answered, or the call is cancelled.
  void wait(Call call) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (open_ > 0 && !call.cancelled()) changed_.wait_for(lock, look_interval);
  }

  /// Nothing follows. Those that are open were not written. Returns how many they were.
  std::size_t close() {
    std::size_t unanswered = 0;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (std::size_t i = taken_; open_ > 0; i++) {
        if (slots_[i].state != State::open) continue;
        settle(i, unanswered_error(position_of(i), "was not acknowledged before the end of stop"));
        unanswered++;
      }
      closed_ = true;
    }
    changed_.notify_all();
    return unanswered;
  }

  /// Waits until the next record is answered, and returns the first number after it that is not.
  /// Throws Failure when the call is cancelled, or when nothing follows.
  std::uint64_t await(Call call) {
    std::unique_lock<std::mutex> lock(mutex_);
    std::size_t end = answered_end();
    // Two things may end this wait, but only one of them wakes it: a cancellation is looked for.
    for (; end == taken_; end = answered_end()) {
      if (broken_) throw Failure(*broken_);
      if (closed_) throw Failure(TENON_OUT_OF_RANGE, "every record is acknowledged");
      call.check();
      changed_.wait_for(lock, look_interval);
    }
    return forgotten_ + end;
  }

  /// Returns the answers before this number, in the arena of the call.
  tenon_list take(Call call, std::uint64_t before) {
    std::lock_guard<std::mutex> lock(mutex_);
    const std::size_t end = before - forgotten_;
    const tenon_list taken = copy(call.raw(), end);
    taken_ = end;
    errors_.erase(errors_.begin(), errors_.lower_bound(forgotten_ + taken_));
    forget_taken();
    return taken;
  }

  DestinationV2AckError unanswered_error(std::string_view position, std::string_view what) const {
    return {"unanswered",
            text("the record at position ", readable(position), " ", what, " by the plugin \"",
                 plugin_, '"'),
            true};
  }

 private:
  enum class State : std::uint8_t { writing, open, answered };
  struct Slot {
    std::size_t position_end;  // in positions_
    std::uint64_t batch;
    State state;
  };
  static constexpr std::chrono::milliseconds look_interval{20};

  void check_refused(const Refused& refused) const {
    const std::size_t size = slots_.size() - ended_;
    if (refused.empty() || refused.rbegin()->first < size) return;
    throw Failure(TENON_INTERNAL, "the plugin \"", plugin_, "\" refused record ",
                  refused.rbegin()->first, " of a batch of ", size, ", counted from 0");
  }

  void settle(std::size_t index, std::optional<DestinationV2AckError>&& error) {
    slots_[index].state = State::answered;
    open_--;
    if (error) errors_.emplace(forgotten_ + index, *std::move(error));
  }

  std::size_t answered_end() const {
    std::size_t end = taken_;
    while (end < ended_ && slots_[end].state == State::answered) end++;
    return end;
  }

  std::size_t position_begin(std::size_t index) const {
    return index == 0 ? 0 : slots_[index - 1].position_end;
  }
  std::string_view position_of(std::size_t index) const {
    return BytesView(positions_)
        .text()
        .substr(position_begin(index), slots_[index].position_end - position_begin(index));
  }

  tenon_list copy(tenon_call* call, std::size_t end) const {
    void* elements;
    const tenon_list list =
        tenon_new_list(call, end - taken_, sizeof(tenon_destination_v2_ack), &elements);
    auto* acks = static_cast<tenon_destination_v2_ack*>(elements);
    const std::size_t first = position_begin(taken_);
    const auto* positions = static_cast<const std::uint8_t*>(
        tenon_allocate_copy(call, positions_.data() + first, slots_[end - 1].position_end - first));
    for (std::size_t i = taken_; i < end; i++) {
      const std::size_t begin = position_begin(i);
      acks[i - taken_].position = {positions + (begin - first), slots_[i].position_end - begin};
    }
    for (auto error = errors_.begin(); error != errors_.end() && error->first < forgotten_ + end;
         ++error) {
      acks[error->first - forgotten_ - taken_].error =
          Value<std::optional<DestinationV2AckError>>::raw<Copy::deep>(call, error->second);
    }
    return list;
  }

  /// Not every time: what is kept moves to the front.
  void forget_taken() {
    if (taken_ < slots_.size() - taken_) return;
    const std::size_t bytes = position_begin(taken_);
    const auto count = static_cast<std::ptrdiff_t>(taken_);
    positions_.erase(positions_.begin(), positions_.begin() + static_cast<std::ptrdiff_t>(bytes));
    slots_.erase(slots_.begin(), slots_.begin() + count);
    for (Slot& slot : slots_) slot.position_end -= bytes;
    forgotten_ += taken_;
    ended_ -= taken_;
    taken_ = 0;
  }

  const std::string plugin_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint8_t> positions_;  // one behind the other
  std::vector<Slot> slots_;
  std::uint64_t forgotten_ = 0;  // records before the first slot
  std::size_t taken_ = 0;        // slots that the host has collected
  std::size_t ended_ = 0;        // slots of batches that have ended
  std::size_t open_ = 0;
  std::uint64_t batch_ = 0;
  std::map<std::uint64_t, DestinationV2AckError> errors_;  // by the record
  std::optional<Failure> broken_;
  bool closed_ = false;
};

/// The acknowledgement of one record, shared by the copies of its callback.
class OpenAck {
 public:
  OpenAck(std::shared_ptr<OpenAcks> acks, OpenAcks::Number number, std::string_view position)
      : acks_(std::move(acks)), number_(number), position_(position) {}
  ~OpenAck() {
    if (called_) return;
    acks_->answer(number_, acks_->unanswered_error(position_, "was dropped unacknowledged"));
  }
  OpenAck(const OpenAck&) = delete;
  OpenAck& operator=(const OpenAck&) = delete;

  void answer(std::optional<DestinationV2AckError> error) {
    if (called_.exchange(true)) return acks_->answered_twice(position_);
    acks_->answer(number_, std::move(error));
  }

 private:
  const std::shared_ptr<OpenAcks> acks_;
  const OpenAcks::Number number_;
  const std::string position_;
  std::atomic<bool> called_{false};
};

}  // namespace detail

/// Acknowledges one record. Called exactly once, from any thread, also when the destination has
/// ended. Copies stand for the same record. A record whose last copy is destroyed without a call
/// counts as not written. A second call is an error of the plugin: the first answer counts, and the
/// destination fails with TENON_INTERNAL | TENON_FATAL.
class AckCallback {
 public:
  explicit AckCallback(std::shared_ptr<detail::OpenAck> open) : open_(std::move(open)) {}
  // Not moved, so that a second call by the original is found as well.
  AckCallback(const AckCallback&) = default;
  AckCallback& operator=(const AckCallback&) = default;
  ~AckCallback() = default;

  /// The record is safe.
  void operator()() const { open_->answer(std::nullopt); }
  /// The record could not be written.
  void operator()(DestinationV2AckError error) const { open_->answer(std::move(error)); }

 private:
  std::shared_ptr<detail::OpenAck> open_;
};

}  // namespace tenon::sdk
