// SPDX-License-Identifier: BSL-1.0
//
// Brings the records to one destination: one thread writes, another collects what the destination
// acknowledges.
#pragma once

#include "canceller.hpp"
#include "open_calls.hpp"
#include "stages.hpp"
#include "transit.hpp"

#include <tenon/destination.hpp>
#include <tenon/host.hpp>

#include <cstddef>
#include <mutex>
#include <string>

namespace pipeline {

/// Its two functions run on a thread each, at the same time.
class Delivery {
 public:
  /// All of them live longer than the Delivery. The slots are those of its two threads.
  Delivery(Stage<tenon::Destination>& stage, Transit& transit, std::size_t lane,
           CallSlot& writing_calls, CallSlot& collecting_calls)
      : label_(label_of(stage.used)),
        destination_(*stage.plugin),
        transit_(transit),
        lane_(lane),
        writing_calls_(writing_calls),
        collecting_calls_(collecting_calls) {}

  CallSlot& writing_calls() noexcept { return writing_calls_; }

  /// Cancels both calls, and all that follow. From any thread.
  void cancel();

  /// Writes all that is read, and tells the destination when nothing follows.
  tenon::Result<void> write_all();
  /// Collects acknowledgements until all are there, the destination fails, or a refused record
  /// cannot be settled. When its plugin was restarted it opens the destination again, and what is
  /// not acknowledged is sent again.
  tenon::Result<void> collect_all();

 private:
  tenon::Result<void> write_until_stopped();
  tenon::Result<void> write(Records records);
  tenon::Result<void> stop();
  tenon::Result<void> collect();
  tenon::Result<void> reopen();
  tenon::Result<bool> take(tenon::ListView<tenon::Destination::Ack> acks);
  void close();

  const std::string label_;
  tenon::Handle<tenon::Destination>& destination_;
  Transit& transit_;
  const std::size_t lane_;
  CallSlot& writing_calls_;
  CallSlot& collecting_calls_;
  // Held while something is written, so that nothing written before a restart counts behind it.
  std::mutex session_;
  tenon::Call write_call_;
  tenon::Call collect_call_;
  Canceller writing_;
  Canceller collecting_;
};

}  // namespace pipeline
