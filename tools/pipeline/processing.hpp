// SPDX-License-Identifier: BSL-1.0
//
// Passes the records that were read through the processors, one after another.
#pragma once

#include "canceller.hpp"
#include "open_calls.hpp"
#include "stages.hpp"
#include "transit.hpp"

#include <tenon/processor.hpp>
#include <tenon/result.hpp>

#include <cstddef>
#include <vector>

namespace pipeline {

/// Belongs to one thread at a time, but `cancel` may come from any.
class Processing {
 public:
  /// All of them live longer.
  Processing(std::vector<Stage<tenon::Processor>>& stages, Transit& transit, OpenCalls& calls);

  CallSlot& calls(std::size_t number) noexcept { return *calls_[number]; }

  /// Opens all processors. Errors name theirs, here and below.
  tenon::Result<void> open_all();

  /// Processes all that is read. When the plugin of a processor was restarted, opens it again and
  /// processes the batch again. Errors: wrong-results, those of the processors.
  tenon::Result<void> process_all();

  /// Cancels the call under way, and all that follow.
  void cancel() { calling_.cancel(); }

 private:
  tenon::Result<void> process_until_end();
  tenon::Result<void> open(std::size_t number);
  tenon::Result<void> step(std::size_t number, Processed& batch);
  tenon::Result<void> take(std::size_t number, tenon::ListView<tenon::Processor::Result> results,
                           std::size_t count, Processed& batch) const;

  std::vector<Stage<tenon::Processor>>& stages_;
  Transit& transit_;
  std::vector<CallSlot*> calls_;
  Canceller calling_;
};

}  // namespace pipeline
