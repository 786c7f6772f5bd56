// SPDX-License-Identifier: BSL-1.0
//
// Delivers records to one destination: one thread writes them, another collects the
// acknowledgements.
#pragma once

#include <tenon/destination.hpp>
#include <tenon/host.hpp>
#include <tenon/mutex.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "canceller.hpp"
#include "in_flight_window.hpp"
#include "open_calls.hpp"
#include "stages.hpp"
#include "write_pace.hpp"

namespace pipeline {

/// `write_all` and `collect_all` run concurrently, each on a thread of its own.
class Delivery {
 public:
  /// `use` is the description of the stage. All arguments must outlive the Delivery. The slots are
  /// those of its two threads.
  Delivery(Stage<tenon::Destination>& stage, const StageUse& use, InFlightWindow& window,
           std::size_t destination_index, CallSlot& writing_calls, CallSlot& collecting_calls)
      : label_(label_of(stage.used)),
        destination_(*stage.plugin),
        window_(window),
        destination_index_(destination_index),
        writing_calls_(writing_calls),
        collecting_calls_(collecting_calls) {
    if (use.batch || use.rate) pace_.emplace(use.batch, use.rate);
  }

  CallSlot& writing_calls() const noexcept { return writing_calls_; }
  CallSlot& collecting_calls() const noexcept { return collecting_calls_; }

  /// Cancels the calls in flight and all later ones. May be called from any thread.
  void cancel();

  /// Writes all processed records, and stops the destination after the last one.
  tenon::Result<void> write_all();
  /// Collects acknowledgements until all are collected, the destination fails, or a refused record
  /// cannot be resolved. If the plugin was restarted, opens the destination again and rewinds it,
  /// so that unacknowledged records are sent again.
  tenon::Result<void> collect_all();

 private:
  tenon::Result<void> write_until_stopped();
  tenon::Result<void> write(Records records) TENON_REQUIRES(session_);
  tenon::Result<void> stop() TENON_REQUIRES(session_);
  bool acknowledges_the_rest() TENON_REQUIRES(session_);
  tenon::Result<void> collect();
  tenon::Result<void> reopen();
  tenon::Result<bool> process_acks(tenon::ListView<tenon::Destination::Ack> acks);
  void close();

  const std::string label_;
  tenon::Handle<tenon::Destination>& destination_;
  InFlightWindow& window_;
  const std::size_t destination_index_;
  CallSlot& writing_calls_;
  CallSlot& collecting_calls_;
  std::optional<WritePace> pace_;
  std::vector<tenon_record_v2> merged_;  // of the current write, if it joins batches
  // Held during each write, so that a write to the plugin before a restart is never counted after
  // the rewind.
  tenon::sync::Mutex session_;
  tenon::Call write_call_;
  tenon::Call collect_call_;
  Canceller writing_;
  Canceller collecting_;
};

}  // namespace pipeline
