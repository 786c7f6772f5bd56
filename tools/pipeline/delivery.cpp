// SPDX-License-Identifier: BSL-1.0
#include "delivery.hpp"

#include "record_text.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace pipeline {
namespace {

using AckError = tenon::Destination::AckError;

AckError own(tenon::Destination::AckErrorView error) {
  return tenon::Value<AckError>::own(error.raw());
}

tenon::Error wrong_acknowledgement(std::string_view stage, std::string found, std::string needed) {
  return tenon::Error({.code = "wrong-acknowledgement",
                       .message = "the destination does not acknowledge what it was given",
                       .where = std::string(stage),
                       .found = std::move(found),
                       .needed = std::move(needed),
                       .fix = "tell the author of the plugin"});
}

}  // namespace

void Delivery::cancel() {
  writing_.cancel();
  collecting_.cancel();
}

// -- Writing ------------------------------------------------------------------

tenon::Result<void> Delivery::write_all() {
  auto done = write_until_stopped();
  transit_.finish(lane_);
  return done;
}

tenon::Result<void> Delivery::write_until_stopped() {
  while (transit_.await_work(lane_)) {
    std::lock_guard session(session_);
    writing_.use(write_call_);
    const Records records = transit_.offer(lane_);
    auto done = records.empty() ? stop() : write(records);
    if (done) continue;
    transit_.close(lane_);
    // What it accepted before is still acknowledged; if that is nothing, nobody waits for it.
    if (transit_.unacknowledged(lane_).empty()) collecting_.cancel();
    return done;
  }
  return {};
}

tenon::Result<void> Delivery::write(Records records) {
  const CallSlot::Scope call(writing_calls_, "write_batch");
  auto written = destination_->write_batch(write_call_, records);
  if (written) {
    transit_.sent(lane_);
  } else if (written.error().restarted()) {
    transit_.lost(lane_);
  } else {
    return written;
  }
  return {};
}

tenon::Result<void> Delivery::stop() {
  const CallSlot::Scope call(writing_calls_, "stop");
  auto stopped = destination_->stop(write_call_, transit_.last_position());
  // In a plugin that was restarted nothing is open; if something has to be sent again it is opened.
  if (done_or_nothing_to_do(stopped) || stopped.error().restarted()) {
    transit_.stopped(lane_);
  } else if (!interrupted(write_call_)) {
    return stopped;
  }
  return {};
}

// -- Collecting ---------------------------------------------------------------

tenon::Result<void> Delivery::collect_all() {
  auto collected = collect();
  if (!collected) close();
  transit_.finish(lane_);
  return collected;
}

tenon::Result<void> Delivery::collect() {
  for (;;) {
    collecting_.use(collect_call_);
    if (!transit_.await_offered(lane_)) return {};
    auto acks = [&] {
      const CallSlot::Scope call(collecting_calls_, "next_acks");
      return destination_->next_acks(collect_call_);
    }();
    if (acks) {
      const auto taken = take(*acks);
      if (!taken) return taken.error();
      if (!*taken) {
        close();
        return {};
      }
    } else if (acks.error().restarted()) {
      if (auto reopened = reopen(); !reopened) return reopened;
    } else if (collecting_.cancelled()) {
      return {};
    } else if (!interrupted(collect_call_)) {
      return std::move(acks).error();
    }
  }
}

/// Nothing more is written.
void Delivery::close() {
  transit_.close(lane_);
  writing_.cancel();
}

tenon::Result<void> Delivery::reopen() {
  std::lock_guard session(session_);
  const CallSlot::Scope call(collecting_calls_, "open");
  if (auto opened = destination_->open(); !opened) return opened;
  transit_.rewind(lane_);
  return {};
}

/// Returns whether more may be collected.
tenon::Result<bool> Delivery::take(tenon::ListView<tenon::Destination::Ack> acks) {
  std::size_t taken = 0;
  while (taken < acks.size()) {
    const Records records = transit_.unacknowledged(lane_);
    if (records.empty()) {
      return wrong_acknowledgement(label_, position_text(acks[taken].position()),
                                   "no more than was written");
    }
    const std::size_t most = std::min(records.size(), acks.size() - taken);
    std::size_t count = 0;
    while (count < most && acks[taken + count].position() == records[count].position() &&
           !acks[taken + count].error()) {
      count++;
    }
    transit_.acknowledge(lane_, count);
    taken += count;
    if (count == most) continue;
    const auto ack = acks[taken++];
    if (ack.position() != records[count].position()) {
      return wrong_acknowledgement(
          label_, position_text(ack.position()),
          position_text(records[count].position()) + ", the next that was written");
    }
    if (!transit_.refuse(lane_, own(*ack.error()))) return false;
  }
  return true;
}

}  // namespace pipeline
