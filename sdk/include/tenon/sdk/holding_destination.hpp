// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/holding_destination.hpp: a base for destinations that write nothing after a refused
// record until the host has decided about it. Until then records are held in memory. If the host
// ends the pipeline at the refused record, no later record was written.
//
//   struct Table : tenon::sdk::HoldingDestination {
//     Refused write_all(tenon::ListView<tenon::RecordV2> records) override {
//       for (std::size_t i = 0; i < records.size(); ++i) {
//         if (!insert(records[i])) return {{i, {"wrong-value", "...", false}}};
//       }
//       return {};
//     }
//   };
#pragma once

#include <tenon/mutex.hpp>
#include <tenon/sdk/writing_destination.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

namespace tenon::sdk {

/// Override `write_all`. A host collects acknowledgements again only after it has decided about the
/// refused records that it got; then the held records are written, on that thread.
class HoldingDestination : public WritingDestination {
 public:
  /// Writes records up to the first one that it refuses, and returns only that one. See
  /// WritingDestination for everything else. Called by one thread at a time.
  Refused write_all(ListView<RecordV2> records) override = 0;

  /// Writes a batch with `write_all`, or holds it while a refused record is pending.
  void write_batch(ListView<RecordV2> records) final {
    {
      sync::Lock lock(mutex_);
      if (refusal_ != Progress::none) return hold(records);
    }
    Refused refused = write_all(records);
    const std::size_t done = done_of(records, refused);
    if (!refused.empty()) {
      sync::Lock lock(mutex_);
      refusal_ = Progress::unanswered;
      hold(records.slice(done, records.size() - done));
    }
    acknowledge(records.slice(0, done), std::move(refused));
  }

  /// Writes held records if possible, waits for acknowledgements, and returns them.
  tenon_status raw_next_acks(tenon_call* call,
                             const tenon_destination_v2_next_acks_request* request,
                             const tenon_destination_v2_next_acks_response** out) final {
    write_held(call);
    const tenon_status status = WritingDestination::raw_next_acks(call, request, out);
    const ListView<DestinationV2Ack> acks((*out)->acks);
    // A refused record is always the last of its acknowledgements.
    if (acks[acks.size() - 1].error()) {
      sync::Lock lock(mutex_);
      refusal_ = Progress::answered;
    }
    return status;
  }

  /// Drops the held records. Overrides have to call it.
  void teardown() override {
    sync::Lock lock(mutex_);
    held_.clear();
    refusal_ = Progress::none;
    held_at_once_ = most_held_at_once;
  }

 private:
  /// The state of a refusal: none, not yet returned by next_acks, or returned.
  enum class Progress : std::uint8_t { none, unanswered, answered };
  static constexpr std::size_t most_held_at_once = 256;

  std::size_t done_of(ListView<RecordV2> records, const Refused& refused) const {
    check_refused(records, refused);
    return refused.empty() ? records.size() : refused.begin()->first + 1;
  }

  void hold(ListView<RecordV2> records) TENON_REQUIRES(mutex_) {
    for (const RecordV2View record : records) held_.push_back(Value<RecordV2>::own(record.raw()));
  }

  /// Writes the first held records if the host has decided about the refused record before them.
  void write_held(tenon_call* call) {
    sync::Lock lock(mutex_);
    if (refusal_ != Progress::answered) return;
    if (held_.empty()) {
      // A batch that arrived between these lines would be held, and only the next call of
      // `next_acks` would write it. The lock prevents that.
      refusal_ = Progress::none;
      held_at_once_ = std::min(2 * held_at_once_, most_held_at_once);
      return;
    }
    const ListView<RecordV2> records = first_held(call);
    lock.unlock();
    Call(call).check();
    const Refused refused = write_all(records);
    const std::size_t done = done_of(records, refused);
    acknowledge(records.slice(0, done), refused);
    lock.lock();
    // After a second refusal the next one is likely.
    held_at_once_ = refused.empty() ? std::min(2 * held_at_once_, most_held_at_once) : 1;
    held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(done));
    if (!refused.empty()) {
      refusal_ = Progress::unanswered;
    } else if (held_.empty()) {
      refusal_ = Progress::none;
    }
  }

  /// Returns the first held records, allocated in the arena of the call.
  ListView<RecordV2> first_held(tenon_call* call) const TENON_REQUIRES(mutex_) {
    void* elements;
    const tenon_list list = tenon_new_list(call, std::min(held_.size(), held_at_once_),
                                           sizeof(tenon_record_v2), &elements);
    auto* element = static_cast<tenon_record_v2*>(elements);
    for (std::size_t i = 0; i < list.count; ++i) {
      *element++ = Value<RecordV2>::raw<Copy::shallow>(call, held_[i]);
    }
    return ListView<RecordV2>(list);
  }

  // write_batch calls write_all if `refusal_` is `none`; otherwise next_acks does.
  sync::Mutex mutex_;
  Progress refusal_ TENON_GUARDED_BY(mutex_) = Progress::none;
  std::deque<RecordV2> held_ TENON_GUARDED_BY(mutex_);  // accepted after the refused record
  std::size_t held_at_once_ TENON_GUARDED_BY(mutex_) = most_held_at_once;
};

}  // namespace tenon::sdk
