// SPDX-License-Identifier: BSL-1.0
//
// What becomes of records that a processor or a destination refuses.
#pragma once

#include "canceller.hpp"
#include "open_calls.hpp"
#include "pipeline_file.hpp"
#include "stages.hpp"
#include "transit.hpp"

#include <tenon/call.hpp>
#include <tenon/record.hpp>
#include <tenon/result.hpp>

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace pipeline {

/// Writes refused records to a destination of their own until there are too many of them. Belongs
/// to the thread that settles; `cancel` may come from any.
class DeadLetters {
 public:
  /// Both live longer. `calls` is the slot of the thread that settles.
  DeadLetters(const std::string& pipeline, Stages& stages, CallSlot& calls)
      : pipeline_(pipeline), stages_(stages), calls_(calls) {}

  /// Writes a refused record, and waits until it is acknowledged. Its number is not lower than
  /// those before. Errors: record-refused, if there are too many or there is no destination for
  /// them; it is retryable if the refusal is. Those of the destination.
  tenon::Result<void> take(const Transit::Refused& refused);

  /// Tells the destination that no record follows.
  tenon::Result<void> stop();

  void cancel() { calling_.cancel(); }

 private:
  bool too_many(Transit::Number number);
  const UsedPlugin& plugin_of(const Refusal& refusal) const;
  tenon::Error error_of(const tenon::RecordView& record, const Refusal& refusal) const;
  tenon::Record letter(const Transit::Refused& refused) const;
  tenon::Result<void> write(const std::vector<tenon::Record>& letters);
  tenon::Result<void> try_write(const std::vector<tenon::Record>& letters);
  tenon::Result<void> check(tenon::ListView<tenon::Destination::Ack> acks,
                            tenon::BytesView position) const;

  const std::string& pipeline_;
  Stages& stages_;
  CallSlot& calls_;
  tenon::Call call_;
  Canceller calling_;
  std::deque<Transit::Number> refused_;  // as far as the limit counts them
  std::optional<tenon::Bytes> last_;     // the position of the last letter
};

}  // namespace pipeline
