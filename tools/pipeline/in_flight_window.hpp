// SPDX-License-Identifier: BSL-1.0
//
// The window of in-flight records: read from the source, and not yet acknowledged to it. Records
// stay in the arena of the Call that read them until no thread needs them.
//
// Processors turn each record that was read into one, several or no processed records, which are
// numbered separately. Without processors, the processed records are the records that were read.
//
// Without processors, records that are read one at a time are collected: they reach the
// destinations when one of these has nothing else to do and all records before them are committed
// or a short time has passed, or there are enough for a batch. If batches have a delay, all records
// are collected, and reach processors and destinations after it, or when there are enough. The
// threads that wait for records keep the time, because the thread that reads may be waiting in the
// source. The records of a read that joins others are copied to their arena, so that a batch has
// one Call.
//
// Each destination has a cursor, which moves through the processed records in three steps. A
// record is offered (passed to the destination), sent (accepted by it), and acknowledged. Batches
// that wait for a destination are offered together, and one by one after their write failed, so
// that those before the batch that fails are delivered. A record that was read is committed when
// all destinations have acknowledged everything that it became: its position is made durable, and
// it is acknowledged to the source.
#pragma once

#include <tenon/call.hpp>
#include <tenon/destination.hpp>
#include <tenon/mutex.hpp>
#include <tenon/record.hpp>
#include <tenon/record/v2.h>
#include <tenon/values.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "batch_limits.hpp"
#include "processed_batch.hpp"
#include "refusal.hpp"
#include "window_limits.hpp"

namespace pipeline {

/// The progress of a pipeline in records. A record that is sent again after a restart counts once.
struct Counts {
  std::uint64_t read = 0;
  std::uint64_t written = 0;       // processed records that every destination accepted
  std::uint64_t acknowledged = 0;  // records that were read and are committed
  std::uint64_t refused = 0;       // by a processor or by destinations
};
Counts& operator+=(Counts& counts, const Counts& more);

/// Returns "records: read 3, written 2, acknowledged 1", followed by ", refused 1" if any were.
std::string to_text(const Counts& counts);

/// Thread-safe. One thread reads, one processes if there are processors, two work for each
/// destination, and one commits. Records are numbered from 0 in the order in which they are read;
/// processed records, in the order in which they are processed. Ranges are half-open: they end
/// before the record with the number `until`. Destinations are identified by their index.
class InFlightWindow {
 public:
  using Number = std::uint64_t;

  /// The limit of batches. The Call of each keeps a file descriptor if the source waited in it.
  static constexpr std::uint64_t max_batches = 256;

  /// The Call and the limits of the next read.
  struct ReadBudget {
    tenon::Call* call;     // nullptr if the run has failed
    std::int32_t records;  // at least 1
    std::int64_t bytes;    // at least 1
    explicit operator bool() const noexcept { return call != nullptr; }
  };

  /// `batch` are the limits of batches that are read.
  explicit InFlightWindow(std::size_t destinations, const WindowLimits& limits = {},
                          bool has_processors = false, const BatchLimits& batch = {});

  /// Returns the limit of the records of a batch.
  std::uint64_t batch_records() const noexcept { return batch_.records; }

  // -- For the thread that reads ------------------------------------------------------------------

  /// Waits until the window has capacity for at least one record, or the run fails.
  ReadBudget await_capacity();
  /// Returns whether the window has capacity for at least one record.
  bool has_capacity() const;
  /// Adds the records that were read with the Call of the last `await_capacity`, at least one. They
  /// may exceed the budget. Returns their size in bytes.
  std::uint64_t add(Records records);
  /// Waits until all records are committed; collected records wait no longer. Returns false if the
  /// run has failed.
  bool await_all_committed();
  /// Reports that nothing more is read. Collected records wait no longer.
  void end_reading();

  // -- For the thread that processes, if there are processors -------------------------------------

  /// A batch to process.
  struct Work {
    Records read;
    ProcessedBatch& processed;  // the output
  };

  /// Waits for the next batch. Returns nothing at the end.
  std::optional<Work> await_unprocessed();
  /// Adds the processed records of the batch of the last `await_unprocessed`.
  void add_processed();
  /// Reports that nothing more is processed.
  void end_processing();

  // -- For the thread that writes to a destination ------------------------------------------------

  /// Waits for records to send, or for the time to stop the destination. Returns false at the end.
  bool await_work(std::size_t destination);
  /// Returns the next records to send, from one batch; empty if all are sent and the destination
  /// has to be stopped.
  Records offer(std::size_t destination);
  /// The same, but joins the batches after that one, as many as fit into the limits of a batch.
  /// `merged` keeps joined records, and must not change until they are sent.
  Records offer(std::size_t destination, std::vector<tenon_record_v2>& merged);
  /// The same, but returns at most `count` records, whatever batches they are from.
  Records offer(std::size_t destination, std::uint64_t count, std::vector<tenon_record_v2>& merged);
  /// Returns the number of records that can be sent with one write.
  std::uint64_t unsent(std::size_t destination) const;
  /// Waits until `count` records can be sent, no more are read before some are sent, the delivery
  /// ends, or `deadline`.
  void await_more(std::size_t destination, std::uint64_t count,
                  std::chrono::steady_clock::time_point deadline);
  /// Waits until `time`, or until the delivery ends.
  void pause_until(std::size_t destination, std::chrono::steady_clock::time_point time);
  /// Reports that the destination accepted none of the offered records. Returns whether they are
  /// from several batches, which are offered again one by one.
  bool separate(std::size_t destination);
  /// Reports that the destination accepted the offered records.
  void mark_sent(std::size_t destination);
  /// Reports that the destination's own processors have returned what the offered records become.
  void pass_on(std::size_t destination);
  /// Reports that the plugin was restarted during a write. There is no work until `rewind`. If the
  /// offered records are from several batches, these are offered again one by one.
  void suspend(std::size_t destination);
  /// Reports that the destination was stopped.
  void mark_stopped(std::size_t destination);
  /// Returns the position of the last record that the destination accepted, if there is one. Valid
  /// until the next `mark_sent`.
  std::optional<tenon::BytesView> last_position(std::size_t destination) const;

  // -- For the thread that collects acknowledgements of a destination -----------------------------

  /// Waits until acknowledgements of the destination are due. Returns false at the end.
  bool await_offered(std::size_t destination);
  /// Returns the next records whose acknowledgement is due, from one batch; empty if there are
  /// none.
  Records unacknowledged(std::size_t destination) const;
  /// Reports that the next `count` records were acknowledged.
  void acknowledge(std::size_t destination, std::size_t count);
  /// Reports that the destination refused the next record. Waits for `resolve_refused`, so that no
  /// later acknowledgements are collected before that. Returns false if it will never be called.
  bool refuse(std::size_t destination, tenon::Destination::AckError error);
  /// The same for a destination with processors of its own: `record` is the one that was refused,
  /// valid until this function returns. The next record is not acknowledged by that, because it may
  /// have become other records as well.
  bool refuse(std::size_t destination, Refusal refusal, const tenon::RecordView& record);
  /// Moves the cursor back to the first record that is not acknowledged, to send it again.
  void rewind(std::size_t destination);
  /// Reports that the destination failed: nothing more is sent to it. For both of its threads.
  void close(std::size_t destination);
  /// Reports the end of one of its two threads.
  void finish_thread(std::size_t destination);

  // -- For the thread that commits ----------------------------------------------------------------

  /// A refused record: if a processor refused it, as it was read, or as the processors of its
  /// destination got it; if destinations refused it, as they got it.
  struct Refused {
    Number number;  // of the record that was read
    tenon::RecordView record;
    std::vector<Refusal> refusals;  // at least one
  };

  /// Waits until records can be committed, or until all records before a refused one are committed.
  /// Returns the end of the records that can be committed; nothing at the end.
  std::optional<Number> await_committable();
  /// Returns the refused record if all records before it are committed.
  std::optional<Refused> refused() const;
  /// Counts that refused record as acknowledged.
  void resolve_refused();
  /// Returns the next records to commit, as they were read, from one batch.
  Records uncommitted(Number until) const;
  /// Returns the position of the record before `number`, as it was read.
  tenon::BytesView position_before(Number number) const;
  /// Commits the next `count` records, which are in one batch.
  void commit(std::size_t count);
  /// Reports that nothing more is committed.
  void end_committing();

  // -- For all threads ----------------------------------------------------------------------------

  /// Makes the records that are collected now wait no longer.
  void flush();
  /// Reports a permanent failure: nothing more is read. Records that were read are still delivered.
  void fail();
  /// Ends all waits; nothing more is delivered.
  void abandon();
  /// The step that a record waits for.
  enum class Step { processing, writing, acknowledging, committing };
  /// The first record that was read and is not committed.
  struct Oldest {
    tenon::Bytes position;
    Step step;
    std::size_t destination;  // if `step` is one of a destination
    // When all records before it were committed, or when the last pause that it waited for ended.
    std::chrono::steady_clock::time_point since;
  };
  /// Returns nothing if all records that were read are committed, or if the oldest waits on purpose
  /// before it is processed or written.
  std::optional<Oldest> oldest() const;
  /// Returns the progress.
  Counts counts() const;
  /// Returns the progress without records that are not committed.
  Counts committed_counts() const;

 private:
  /// Records with consecutive numbers.
  struct RecordRange {
    Records records;
    Number first = 0;
    Number end() const noexcept { return first + records.size(); }
  };
  struct Batch {
    tenon::Call call;
    RecordRange read;
    RecordRange processed;
    ProcessedBatch processing;            // owns the processed records
    std::vector<tenon_record_v2> merged;  // the records, if it was collected from several reads
    std::uint64_t bytes = 0;              // of the records that were read
    std::uint64_t processed_bytes = 0;    // of the processed records
    std::uint64_t retained_bytes = 0;     // memory that is reused for the next batch, approximately
  };
  /// The progress of one destination in the processed records.
  struct Cursor {
    Number offered = 0;
    Number sent = 0;
    Number acknowledged = 0;
    Number separate_until = 0;                  // the end of the last joined write that failed
    Number written = 0;                         // the records that it has accepted at any time
    std::optional<tenon::Bytes> last_position;  // of the last sent record
    std::optional<Refusal> refused;             // of the record after the acknowledged ones
    std::optional<tenon::RecordView> refused_record;  // if it is not that of the pipeline
    bool pausing = false;                             // see `await_more` and `pause_until`
    bool suspended = false;
    bool stopped = false;
    bool closed = false;
    int threads = 2;
    tenon::sync::ConditionVariable work;      // for the thread that writes
    tenon::sync::ConditionVariable acks_due;  // for the thread that collects
  };

  std::unique_ptr<Batch>& slot(std::uint64_t batch) TENON_REQUIRES(mutex_) {
    return batches_[batch % batches_.size()];
  }
  const Batch& batch(std::uint64_t number) const TENON_REQUIRES(mutex_) {
    return *batches_[number % batches_.size()];
  }
  Number held() const TENON_REQUIRES(mutex_);
  bool below_limits() const TENON_REQUIRES(mutex_) {
    const std::uint64_t batches = added_ - released_ + (collected_ ? 1 : 0);
    return held() < limits_.records && bytes_ < limits_.bytes && batches < max_batches;
  }
  void collect() TENON_REQUIRES(mutex_);
  void merge_into_collected() TENON_REQUIRES(mutex_);
  bool has_delay() const noexcept { return batch_.delay.count() != 0; }
  void add_wanted() TENON_REQUIRES(mutex_);
  void add_collected() TENON_REQUIRES(mutex_);
  void push(std::unique_ptr<Batch> batch) TENON_REQUIRES(mutex_);
  void grow() TENON_REQUIRES(mutex_);
  void set_processing_ended() TENON_REQUIRES(mutex_);
  void publish(Batch& batch, const Records& processed, std::uint64_t bytes) TENON_REQUIRES(mutex_);
  void release(std::unique_ptr<Batch> batch) TENON_REQUIRES(mutex_);
  std::uint64_t find(RecordRange Batch::*range, Number number) const TENON_REQUIRES(mutex_);
  Records slice(RecordRange Batch::*range, Number from, Number until) const TENON_REQUIRES(mutex_);
  Number end_of_write(const Cursor& cursor) const TENON_REQUIRES(mutex_);
  Number end_of_joined(const Cursor& cursor) const TENON_REQUIRES(mutex_);
  Records offer_until(Cursor& cursor, Number until, std::vector<tenon_record_v2>& merged)
      TENON_REQUIRES(mutex_);
  bool offers_several_batches(const Cursor& cursor) const TENON_REQUIRES(mutex_);
  static Number end_of(const Cursor& cursor);
  void advance(Cursor& cursor, std::size_t count) TENON_REQUIRES(mutex_);
  template <class Condition>
  void wait(tenon::sync::Lock<tenon::sync::Mutex>& lock, tenon::sync::ConditionVariable& changed,
            Condition condition,
            std::chrono::steady_clock::time_point end =
                std::chrono::steady_clock::time_point::max()) TENON_REQUIRES(mutex_);
  template <class Condition>
  void pause(std::size_t destination, std::chrono::steady_clock::time_point end, Condition is_over);
  struct Obstacle {
    Step step;
    std::size_t destination = 0;
  };
  std::optional<Obstacle> obstacle() const TENON_REQUIRES(mutex_);
  std::uint64_t batch_of_oldest() const TENON_REQUIRES(mutex_);
  Number acknowledged_by_all() const TENON_REQUIRES(mutex_);
  Number first_refused() const TENON_REQUIRES(mutex_);
  std::vector<std::size_t> refusing(Number number) const TENON_REQUIRES(mutex_);
  bool await_resolved(tenon::sync::Lock<tenon::sync::Mutex>& lock, Cursor& cursor)
      TENON_REQUIRES(mutex_);
  Number read_covered_by(Number processed) const TENON_REQUIRES(mutex_);
  Number committable() const TENON_REQUIRES(mutex_);
  bool refused_by_processor() const TENON_REQUIRES(mutex_);
  bool refused_by_destination() const TENON_REQUIRES(mutex_);
  bool refused_at(const Cursor& cursor, Number number) const {
    return cursor.refused && cursor.acknowledged == number;
  }

  const WindowLimits limits_;
  const bool has_processors_;
  const BatchLimits batch_;
  mutable tenon::sync::Mutex mutex_;
  tenon::sync::ConditionVariable capacity_;                  // for the thread that reads
  tenon::sync::ConditionVariable unprocessed_;               // for the thread that processes
  tenon::sync::ConditionVariable committable_;               // for the thread that commits
  std::unique_ptr<Batch> reading_ TENON_GUARDED_BY(mutex_);  // returned by `await_capacity`
  // The records after those in the ring buffer.
  std::unique_ptr<Batch> collected_ TENON_GUARDED_BY(mutex_);
  // The time until which they may wait for others.
  std::chrono::steady_clock::time_point collected_until_ TENON_GUARDED_BY(mutex_);
  Batch* processing_ = nullptr;  // returned by `await_unprocessed`
  // A ring buffer. Batches are numbered from 0; those from `released_` to `added_` are in it.
  std::vector<std::unique_ptr<Batch>> batches_ TENON_GUARDED_BY(mutex_);
  std::uint64_t added_ TENON_GUARDED_BY(mutex_) = 0;
  std::uint64_t published_ TENON_GUARDED_BY(mutex_) = 0;
  std::uint64_t released_ TENON_GUARDED_BY(mutex_) = 0;
  std::vector<std::unique_ptr<Batch>> free_ TENON_GUARDED_BY(mutex_);  // a stack, for reuse
  std::uint64_t free_bytes_ TENON_GUARDED_BY(mutex_) = 0;              // retained by them
  std::uint64_t bytes_ TENON_GUARDED_BY(mutex_) = 0;  // of the records in the window
  std::vector<Cursor> cursors_ TENON_GUARDED_BY(mutex_);
  Number read_ TENON_GUARDED_BY(mutex_) = 0;
  Number processed_ TENON_GUARDED_BY(mutex_) = 0;
  Number committed_ TENON_GUARDED_BY(mutex_) = 0;
  // See Oldest::since.
  std::chrono::steady_clock::time_point oldest_since_ TENON_GUARDED_BY(mutex_);
  Number committed_processed_ TENON_GUARDED_BY(mutex_) = 0;  // processed records of those
  // Not resolved.
  std::deque<std::pair<Number, Refusal>> refused_by_processors_ TENON_GUARDED_BY(mutex_);
  bool reading_ended_ TENON_GUARDED_BY(mutex_) = false;
  bool processing_ended_ TENON_GUARDED_BY(mutex_) = false;
  bool failed_ TENON_GUARDED_BY(mutex_) = false;
  bool abandoned_ TENON_GUARDED_BY(mutex_) = false;
  bool committing_ended_ TENON_GUARDED_BY(mutex_) = false;
  std::uint64_t resolved_refused_ TENON_GUARDED_BY(mutex_) = 0;
};

}  // namespace pipeline
