// SPDX-License-Identifier: BSL-1.0
//
// Passes records through processors in turn: those of all records of a pipeline, or those of one
// destination.
#pragma once

#include <tenon/processor.hpp>
#include <tenon/result.hpp>

#include <cstddef>
#include <optional>
#include <vector>

#include "canceller.hpp"
#include "in_flight_window.hpp"
#include "open_calls.hpp"
#include "stages.hpp"

namespace pipeline {

/// Used by one thread at a time; `cancel` may be called from any thread.
class Processing {
 public:
  /// `stages`, `uses` and `calls` are those of all processors of the pipeline. Only those with this
  /// `destination` are used. All arguments must outlive the object.
  Processing(std::vector<Stage<tenon::Processor>>& stages, const std::vector<StageUse>& uses,
             const std::vector<CallSlot*>& calls, std::optional<std::size_t> destination,
             InFlightWindow& window);

  /// Opens the processors. Errors here and below contain the label of the processor.
  tenon::Result<void> open_all();

  /// Processes all records that are read. If a processor was restarted, opens it again and passes
  /// it the batch again. Errors: wrong-results; those of the processors.
  tenon::Result<void> process_all();
  /// Processes the next batch. Returns false if there is none. Errors: as above.
  tenon::Result<bool> process_next();

  /// Cancels the call in flight and all later ones.
  void cancel() { calling_.cancel(); }

 private:
  tenon::Result<void> process_until_end();
  tenon::Result<void> open(std::size_t number);
  tenon::Result<void> step(std::size_t number, tenon::Call& call, ProcessedBatch& batch);
  Records select(std::size_t number, const Records& records);
  void apply(std::size_t number, tenon::ListView<tenon::Processor::Result> results,
             std::size_t count, ProcessedBatch& batch) const;

  std::vector<Stage<tenon::Processor>>& stages_;
  const std::vector<StageUse>& uses_;
  const std::vector<CallSlot*>& calls_;
  InFlightWindow& window_;
  std::vector<std::size_t> numbers_;  // of the processors that are used
  // Of the current step, if its processor has a condition.
  std::vector<tenon_record_v2> selected_;
  std::vector<bool> is_selected_;
  Canceller calling_;
};

}  // namespace pipeline
