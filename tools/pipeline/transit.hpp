// SPDX-License-Identifier: BSL-1.0
//
// The records on their way: read from the source, and not yet acknowledged to it. They stay where
// the source put them, in the memory of the Call that read them, until nobody needs them any more.
//
// Each destination goes through them in a lane of its own. In a lane, records are offered to the
// destination, then sent, when it accepted them, then acknowledged. What all destinations have
// acknowledged is settled: its position becomes durable, and the source learns of it.
#pragma once

#include "window.hpp"

#include <tenon/call.hpp>
#include <tenon/destination.hpp>
#include <tenon/record.hpp>
#include <tenon/values.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace pipeline {

using Records = tenon::ListView<tenon::Record>;

/// How many records came how far. One that was sent again after a restart counts once.
struct Counts {
  std::uint64_t read = 0;
  std::uint64_t written = 0;       // accepted by every destination
  std::uint64_t acknowledged = 0;  // settled
  std::uint64_t refused = 0;       // of those
};
Counts& operator+=(Counts& counts, const Counts& more);

/// "records: read 3, written 2, acknowledged 1" and, if any were, ", refused 1".
std::string to_text(const Counts& counts);

/// Thread-safe: one thread reads, two work for each destination, and one settles. Records are
/// numbered from 0 as they are read; what is `until` a number ends before it.
class Transit {
 public:
  using Number = std::uint64_t;

  /// The limits of the next read.
  struct Room {
    tenon::Call* call;     // to read with; nullptr: the run has failed
    std::int32_t records;  // at least one
    std::int64_t bytes;    // the same
    explicit operator bool() const noexcept { return call != nullptr; }
  };

  explicit Transit(std::size_t lanes, const Window& window = {});

  // -- For the thread that reads
  // -------------------------------------------------------------------

  /// Waits until the window has room for at least one record.
  Room await_room();
  /// Returns whether the window has room for at least one record.
  bool has_room() const;
  /// Adds what was read with the Call of the last `await_room`; not empty. There may be more than
  /// was allowed.
  void add(Records records);
  /// Waits until everything is settled; false when the run has failed.
  bool await_settled();
  /// Nothing more is read.
  void end();

  // -- For the thread that writes to a destination
  // -------------------------------------------------

  /// Waits for something to do; false when there is nothing any more.
  bool await_work(std::size_t lane);
  /// The next records to send; empty when all are sent, and it is time to stop.
  Records offer(std::size_t lane);
  /// The destination accepted what was offered.
  void sent(std::size_t lane);
  /// It was restarted; there is no work until `rewind`.
  void lost(std::size_t lane);
  /// It was told that no record follows.
  void stopped(std::size_t lane);
  /// Of the last record that was read, if there was one. Only after `end`.
  std::optional<tenon::BytesView> last_position() const;

  // -- For the thread that collects from a destination
  // ---------------------------------------------

  /// Waits until the destination owes acknowledgements; false when it never will again.
  bool await_offered(std::size_t lane);
  /// What it is to acknowledge next, as far as that lies in one batch; empty when it owes nothing.
  Records unacknowledged(std::size_t lane) const;
  void acknowledge(std::size_t lane, std::size_t count);
  /// The destination refused the next record that it owes. Waits until that record is settled, so
  /// that no more acknowledgements are collected before. Returns false if it never will be.
  bool refuse(std::size_t lane, tenon::Destination::AckError error);
  /// Everything that is not acknowledged has to be sent again.
  void rewind(std::size_t lane);
  /// Nothing more is sent to the destination: it failed. For both of its threads.
  void close(std::size_t lane);
  /// The end of each of its two threads.
  void finish(std::size_t lane);

  // -- For the thread that settles
  // -----------------------------------------------------------------

  /// A destination does not take a record.
  struct Refusal {
    std::size_t lane;
    tenon::Destination::AckError error;
  };

  /// Waits for records that every destination acknowledged or refused, and returns until where. A
  /// refused record comes alone. Nothing when there are none and none will come.
  std::optional<Number> await_acknowledged();
  /// Who refused the oldest record that is not settled.
  std::vector<Refusal> refusals() const;
  /// The records not yet settled, as far as they lie in one batch.
  Records unsettled(Number until) const;
  tenon::BytesView position_before(Number number) const;
  void settle(std::size_t count);
  /// Nothing more is settled.
  void end_settling();

  // -- For all
  // -------------------------------------------------------------------------------------

  /// Something failed for good: nothing more is read. What was read goes its way.
  void fail();
  /// Nothing goes any further; every wait ends.
  void abandon();
  Counts counts() const;

 private:
  struct Batch {
    tenon::Call call;
    Records records;
    Number first = 0;
    std::uint64_t bytes = 0;  // of its records
    std::uint64_t kept = 0;   // memory for the next ones, about
    Number end() const noexcept { return first + records.size(); }
  };
  struct Lane {
    Number offered = 0;
    Number sent = 0;
    Number acknowledged = 0;
    Number written = 0;                                   // the most that `sent` ever was
    std::optional<tenon::Destination::AckError> refused;  // of the last that is acknowledged
    bool lost = false;
    bool stopped = false;
    bool closed = false;
    int threads = 2;
    std::condition_variable work;  // for the thread that writes
    std::condition_variable owed;  // for the one that collects
  };

  std::unique_ptr<Batch>& place(std::uint64_t batch) { return batches_[batch % batches_.size()]; }
  const Batch& batch(std::uint64_t number) const { return *batches_[number % batches_.size()]; }
  Number held() const;
  bool is_open() const { return held() < window_.records && bytes_ < window_.bytes; }
  void grow();
  void release(std::unique_ptr<Batch> batch);
  Records run(Number from, Number until) const;
  Number safe() const;
  Number settleable() const;
  bool refused_at(const Lane& lane, Number number) const {
    return lane.refused && lane.acknowledged == number + 1;
  }

  const Window window_;
  mutable std::mutex mutex_;
  std::condition_variable room_;        // for the thread that reads
  std::condition_variable settleable_;  // for the one that settles
  std::unique_ptr<Batch> reading_;      // what `await_room` gave
  // A ring: batches are numbered from the beginning.
  std::vector<std::unique_ptr<Batch>> batches_;
  std::uint64_t added_ = 0;
  std::uint64_t released_ = 0;
  std::vector<std::unique_ptr<Batch>> free_;  // the one that was used last is used next
  std::uint64_t free_bytes_ = 0;              // that their Calls keep
  std::uint64_t bytes_ = 0;                   // of the batches that are not released
  std::vector<Lane> lanes_;
  Number read_ = 0;
  Number settled_ = 0;
  tenon::Bytes last_position_;
  bool ended_ = false;
  bool failed_ = false;
  bool abandoned_ = false;
  bool settling_ended_ = false;
  Number refused_ = 0;  // records that were settled
};

}  // namespace pipeline
