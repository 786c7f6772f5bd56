// SPDX-License-Identifier: BSL-1.0
#include "delivery.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "record_text.hpp"

namespace pipeline {
namespace {

using AckError = tenon::Destination::AckError;

AckError own(tenon::Destination::AckErrorView error) {
  return tenon::Value<AckError>::own(error.raw());
}

tenon::Error wrong_acknowledgement(std::string_view stage, std::string found, std::string needed) {
  return tenon::Error({.code = "wrong-acknowledgement",
                       .message = "the destination acknowledged an unexpected record",
                       .where = std::string(stage),
                       .found = std::move(found),
                       .needed = std::move(needed),
                       .fix = "report this to the author of the plugin"});
}

}  // namespace

void Delivery::cancel() {
  writing_.cancel();
  collecting_.cancel();
}

// -- Writing ------------------------------------------------------------------

tenon::Result<void> Delivery::write_all() {
  auto done = write_until_stopped();
  window_.finish_thread(destination_index_);
  return done;
}

tenon::Result<void> Delivery::write_until_stopped() {
  while (window_.await_work(destination_index_)) {
    std::uint64_t most = 0;
    if (pace_) {
      most = pace_->await(window_, destination_index_);
      if (!window_.await_work(destination_index_)) break;
    }
    tenon::sync::Lock session(session_);
    const Records records = pace_ ? window_.offer(destination_index_, most, merged_)
                                  : window_.offer(destination_index_, merged_);
    auto done = records.empty() ? stop() : write(records);
    if (done) continue;
    window_.close(destination_index_);
    const bool write_failed = !records.empty() && !writing_.cancelled();
    if (!write_failed || !acknowledges_the_rest()) collecting_.cancel();
    return done;
  }
  return {};
}

/// Makes the destination acknowledge the records that it accepted before a write failed; it may
/// hold them until it is stopped. Returns whether acknowledgements follow.
bool Delivery::acknowledges_the_rest() {
  return !window_.unacknowledged(destination_index_).empty() && stop();
}

/// Writes records. If they are from several batches and none was accepted, these are written one by
/// one next.
tenon::Result<void> Delivery::write(Records records) {
  const CallSlot::Scope call(writing_calls_, "write_batch");
  writing_.attach(write_call_);
  auto written = destination_->write_batch(write_call_, records);
  if (written) {
    window_.mark_sent(destination_index_);
  } else if (written.error().restarted()) {
    window_.suspend(destination_index_);
  } else if (writing_.cancelled() || !window_.separate(destination_index_)) {
    return written;
  }
  return {};
}

tenon::Result<void> Delivery::stop() {
  const CallSlot::Scope call(writing_calls_, "stop");
  for (;;) {
    writing_.attach(write_call_);
    auto stopped = destination_->stop(write_call_, window_.last_position(destination_index_));
    // A restarted plugin is not open. It is opened if records have to be sent again.
    if (ok_or_unimplemented(stopped) || stopped.error().restarted()) {
      window_.mark_stopped(destination_index_);
      return {};
    }
    if (!interrupted_by_restart(write_call_)) return stopped;
  }
}

// -- Collecting ---------------------------------------------------------------

tenon::Result<void> Delivery::collect_all() {
  auto collected = collect();
  if (!collected) close();
  window_.finish_thread(destination_index_);
  return collected;
}

tenon::Result<void> Delivery::collect() {
  for (;;) {
    collecting_.attach(collect_call_);
    if (!window_.await_offered(destination_index_)) return {};
    auto acks = [&] {
      const CallSlot::Scope call(collecting_calls_, "next_acks");
      return destination_->next_acks(collect_call_);
    }();
    if (acks) {
      const auto open = process_acks(*acks);
      if (!open) return open.error();
      if (!*open) {
        close();
        return {};
      }
    } else if (acks.error().restarted()) {
      if (auto reopened = reopen(); !reopened) return reopened;
    } else if (collecting_.cancelled()) {
      return {};
    } else if (!interrupted_by_restart(collect_call_)) {
      return std::move(acks).error();
    }
  }
}

/// Ends the delivery: nothing more is written.
void Delivery::close() {
  window_.close(destination_index_);
  writing_.cancel();
}

tenon::Result<void> Delivery::reopen() {
  tenon::sync::Lock session(session_);
  const CallSlot::Scope call(collecting_calls_, "open");
  if (auto opened = destination_->open(); !ok_or_unimplemented(opened)) return opened;
  window_.rewind(destination_index_);
  return {};
}

/// Applies acknowledgements to the window. Returns whether more can be collected.
tenon::Result<bool> Delivery::process_acks(tenon::ListView<tenon::Destination::Ack> acks) {
  std::size_t applied = 0;
  while (applied < acks.size()) {
    const Records records = window_.unacknowledged(destination_index_);
    if (records.empty()) {
      return wrong_acknowledgement(label_, position_text(acks[applied].position()),
                                   "no acknowledgement: all written records have one");
    }
    const std::size_t most = std::min(records.size(), acks.size() - applied);
    std::size_t count = 0;
    while (count < most && acks[applied + count].position() == records[count].position() &&
           !acks[applied + count].error()) {
      ++count;
    }
    window_.acknowledge(destination_index_, count);
    applied += count;
    if (count == most) continue;
    const auto ack = acks[applied++];
    if (ack.position() != records[count].position()) {
      return wrong_acknowledgement(
          label_, position_text(ack.position()),
          position_text(records[count].position()) + ", the next record that was written");
    }
    if (!window_.refuse(destination_index_, own(*ack.error()))) return false;
  }
  return true;
}

}  // namespace pipeline
