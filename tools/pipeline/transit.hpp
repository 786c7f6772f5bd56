// SPDX-License-Identifier: BSL-1.0
//
// The records on their way: read from the source, and not yet acknowledged to it. They stay where
// the source put them, in the memory of the Call that read them, until nobody needs them any more.
//
// In a pipeline with processors each record becomes one, several or none before it goes on, and the
// records that go on have numbers of their own. Without processors they are those that were read.
//
// Each destination goes through the processed records in a lane of its own. In a lane, records are
// offered to the destination, then sent, when it accepted them, then acknowledged. A record that
// was read is settled when all destinations have acknowledged everything that it became: its
// position becomes durable, and the source learns of it.
#pragma once

#include "processed.hpp"
#include "refusal.hpp"
#include "window.hpp"

#include <tenon/call.hpp>
#include <tenon/destination.hpp>
#include <tenon/record.hpp>
#include <tenon/values.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace pipeline {

/// How many records came how far. One that was sent again after a restart counts once.
struct Counts {
  std::uint64_t read = 0;
  std::uint64_t written = 0;       // processed, and accepted by every destination
  std::uint64_t acknowledged = 0;  // of those that were read: settled
  std::uint64_t refused = 0;       // of those, or of what they became
};
Counts& operator+=(Counts& counts, const Counts& more);

/// "records: read 3, written 2, acknowledged 1" and, if any were, ", refused 1".
std::string to_text(const Counts& counts);

/// Thread-safe: one thread reads, one processes if there are processors, two work for each
/// destination, and one settles. Records are numbered from 0 in the order in which they are
/// read, and processed records in the order in which they are processed. Ranges are half-open: a
/// record with the number `until` is not part of them.
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

  explicit Transit(std::size_t lanes, const Window& window = {}, bool has_processors = false);

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
  void end_reading();

  // -- For the thread that processes, if there are processors
  // -------------------------------------------------

  /// A batch to process.
  struct Work {
    Records read;
    Processed& processed;  // to be filled
  };

  /// Waits for the next batch; nothing when none will come.
  std::optional<Work> await_read();
  /// That batch is processed.
  void add_processed();
  /// Nothing more is processed.
  void end_processing();

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
  /// Of the last record to send, if there was one. Only when nothing more is processed.
  std::optional<tenon::BytesView> last_position() const;

  // -- For the thread that collects from a destination
  // ---------------------------------------------

  /// Waits until the destination owes acknowledgements; false when it never will again.
  bool await_offered(std::size_t lane);
  /// What it is to acknowledge next, as far as that lies in one batch; empty when it owes nothing.
  Records unacknowledged(std::size_t lane) const;
  void acknowledge(std::size_t lane, std::size_t count);
  /// The destination refused the next record that it owes. Waits for `pass_refused`, so that no
  /// more acknowledgements are collected before. Returns false if that will never come.
  bool refuse(std::size_t lane, tenon::Destination::AckError error);
  /// Everything that is not acknowledged has to be sent again.
  void rewind(std::size_t lane);
  /// Nothing more is sent to the destination: it failed. For both of its threads.
  void close(std::size_t lane);
  /// The end of each of its two threads.
  void finish(std::size_t lane);

  // -- For the thread that settles
  // -----------------------------------------------------------------

  /// A record that a processor refused, as it was read; or one that destinations refused, as they
  /// got it.
  struct Refused {
    Number number;  // of the record that was read
    tenon::RecordView record;
    std::vector<Refusal> refusals;  // at least one
  };

  /// Waits for records to settle, or for a refused one when all before it are settled. Returns
  /// until where records may be settled; nothing when there is nothing to do and never will be.
  std::optional<Number> await_acknowledged();
  /// The refused record, if it is its turn.
  std::optional<Refused> refused() const;
  /// The refused record counts as acknowledged.
  void pass_refused();
  /// The records as they were read and not yet settled, as far as they lie in one batch.
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
  /// The same, without the records that are not settled.
  Counts settled_counts() const;

 private:
  /// Records with numbers in a row.
  struct Run {
    Records records;
    Number first = 0;
    Number end() const noexcept { return first + records.size(); }
  };
  struct Batch {
    tenon::Call call;
    Run read;
    Run processed;
    Processed processing;     // holds what is processed
    std::uint64_t bytes = 0;  // of what was read
    std::uint64_t kept = 0;   // memory for the next ones, about
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
  void end();
  void hand_on(Batch& batch, const Records& processed);
  void release(std::unique_ptr<Batch> batch);
  std::uint64_t find(Run Batch::*run, Number number) const;
  Records run(Run Batch::*run, Number from, Number until) const;
  Number safe() const;
  Number first_refused() const;
  Number complete(Number processed) const;
  Number settleable() const;
  bool refused_by_processor() const;
  bool refused_by_destination() const;
  bool refused_at(const Lane& lane, Number number) const {
    return lane.refused && lane.acknowledged == number + 1;
  }

  const Window window_;
  const bool has_processors_;
  mutable std::mutex mutex_;
  std::condition_variable room_;         // for the thread that reads
  std::condition_variable unprocessed_;  // for the one that processes
  std::condition_variable settleable_;   // for the one that settles
  std::unique_ptr<Batch> reading_;       // what `await_room` gave
  Batch* processing_ = nullptr;          // what `await_read` gave
  // A ring: batches are numbered from the beginning.
  std::vector<std::unique_ptr<Batch>> batches_;
  std::uint64_t added_ = 0;
  std::uint64_t handed_on_ = 0;
  std::uint64_t released_ = 0;
  std::vector<std::unique_ptr<Batch>> free_;  // the one that was used last is used next
  std::uint64_t free_bytes_ = 0;              // that their Calls keep
  std::uint64_t bytes_ = 0;                   // of the batches that are not released
  std::vector<Lane> lanes_;
  Number read_ = 0;
  Number processed_ = 0;
  Number settled_ = 0;
  Number settled_processed_ = 0;                                  // what those became
  std::deque<std::pair<Number, Refusal>> refused_by_processors_;  // by the record; not passed
  tenon::Bytes last_position_;
  bool reading_ended_ = false;
  bool ended_ = false;  // nothing more is processed
  bool failed_ = false;
  bool abandoned_ = false;
  bool settling_ended_ = false;
  std::uint64_t passed_refused_ = 0;
};

}  // namespace pipeline
