// SPDX-License-Identifier: BSL-1.0
//
// The processors of one destination. They take the records that the pipeline offers to the
// destination, and put what they return into a window of their own, from which the destination is
// delivered. A record is acknowledged to the pipeline when everything that it became in this window
// is committed.
#pragma once

#include <tenon/processor.hpp>
#include <tenon/result.hpp>

#include <cstddef>
#include <vector>

#include "in_flight_window.hpp"
#include "open_calls.hpp"
#include "processing.hpp"
#include "stages.hpp"

namespace pipeline {

/// `process_all` and `commit_all` run concurrently, each on a thread of its own. They replace the
/// two threads of the destination in the window of the pipeline.
class Branch {
 public:
  /// The arguments are those of Processing, and the window of the pipeline. All must outlive the
  /// object.
  Branch(std::vector<Stage<tenon::Processor>>& stages, const std::vector<StageUse>& uses,
         const std::vector<CallSlot*>& calls, std::size_t destination, InFlightWindow& pipeline)
      : destination_(destination),
        pipeline_(pipeline),
        window_(1, unlimited, true, {.records = pipeline.batch_records()}),
        processing_(stages, uses, calls, destination, window_) {}

  /// The window of the destination, which has the index 0 in it.
  InFlightWindow& window() noexcept { return window_; }
  const InFlightWindow& window() const noexcept { return window_; }

  /// Opens the processors. Errors: see Processing::open_all.
  tenon::Result<void> open_all() { return processing_.open_all(); }

  /// Processes all records that the pipeline offers. Errors: see Processing::process_all.
  tenon::Result<void> process_all();
  /// Acknowledges records to the pipeline, and passes refusals on to it.
  void commit_all();

  /// Reports that nothing is processed, because a thread cannot be started.
  void end_processing();
  /// Ends all waits, and cancels the calls of processors. May be called from any thread.
  void abandon();

 private:
  tenon::Result<void> process_until_end();
  bool refuse(InFlightWindow::Refused refused);

  const std::size_t destination_;
  InFlightWindow& pipeline_;
  // The window of the pipeline limits the records.
  InFlightWindow window_;
  Processing processing_;
};

}  // namespace pipeline
