// SPDX-License-Identifier: BSL-1.0
//
// The handling of records that a processor or a destination refuses.
#pragma once

#include <tenon/call.hpp>
#include <tenon/record.hpp>
#include <tenon/result.hpp>

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "canceller.hpp"
#include "in_flight_window.hpp"
#include "open_calls.hpp"
#include "pipeline_file.hpp"
#include "stages.hpp"

namespace pipeline {

/// Writes refused records to the dead-letter destination, until their limit is exceeded. Used by
/// the thread that commits; `cancel` may be called from any thread.
class DeadLetters {
 public:
  /// The arguments must outlive the object. `calls` is the slot of the thread that commits.
  DeadLetters(const std::string& pipeline, Stages& stages, CallSlot& calls)
      : pipeline_(pipeline), stages_(stages), calls_(calls) {}

  /// Writes a refused record, and waits until it is acknowledged. Records are added in ascending
  /// order of their numbers. Errors: record-refused if the limit is exceeded, if there is no
  /// dead-letter destination, or if the refusal is retryable (then the error is too);
  /// dead-letter-refused; those of the destination.
  tenon::Result<void> add(const InFlightWindow::Refused& refused);

  /// Stops the destination.
  tenon::Result<void> stop();

  /// Cancels the call in flight and all later ones.
  void cancel() { calling_.cancel(); }

 private:
  bool exceeds_limit(InFlightWindow::Number number);
  const UsedPlugin& plugin_of(const Refusal& refusal) const;
  tenon::Error error_of(const tenon::RecordView& record, const Refusal& refusal) const;
  tenon::Record letter(const InFlightWindow::Refused& refused) const;
  tenon::Result<void> write(const std::vector<tenon::Record>& letters);
  tenon::Result<void> try_write(const std::vector<tenon::Record>& letters);
  tenon::Result<void> check(tenon::ListView<tenon::Destination::Ack> acks,
                            tenon::BytesView position) const;

  const std::string& pipeline_;
  Stages& stages_;
  CallSlot& calls_;
  tenon::Call call_;
  Canceller calling_;
  std::deque<InFlightWindow::Number> refused_;  // those within the last `limit.of` records
  std::optional<tenon::Bytes> last_;            // the position of the last letter
};

/// Creates the file of refused records, which may contain secrets, so that only this user can read
/// it. Does nothing for a destination that is not tenon.dev/file or tenon.dev/sqlite. Errors:
/// untrusted-file if other users can change an existing one; cannot-read.
tenon::Result<void> make_private(const DeadLettersStage& letters);

}  // namespace pipeline
