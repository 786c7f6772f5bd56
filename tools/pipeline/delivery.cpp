// SPDX-License-Identifier: BSL-1.0
#include "delivery.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace pipeline {
namespace {

/// A position for people: as text where it is one.
std::string readable(tenon::BytesView position) {
  const auto printable = [](unsigned char c) { return c >= 0x20 && c < 0x7f; };
  if (std::all_of(position.begin(), position.end(), printable)) {
    return "\"" + std::string(position.text()) + "\"";
  }
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex = "0x";
  for (const std::uint8_t byte : position) hex += {digits[byte >> 4], digits[byte & 15]};
  return hex;
}

tenon::Error refused(std::string_view stage, tenon::BytesView position,
                     tenon::Destination::AckErrorView error) {
  return tenon::Error({.code = "record-refused",
                       .message = std::string(error.message()),
                       .where = std::string(stage),
                       .found = "the record at position " + readable(position) + ", refused as " +
                                std::string(error.code()),
                       .needed = "a record that the destination takes",
                       .fix = "correct the record in its origin, or the config of the destination; "
                              "the next run begins with this record"});
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
  if (!collected) {
    transit_.close(lane_);
    writing_.cancel();
  }
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
      if (auto taken = take(*acks); !taken) return taken;
    } else if (acks.error().restarted()) {
      if (auto reopened = reopen(); !reopened) return reopened;
    } else if (collecting_.cancelled()) {
      return {};
    } else if (!interrupted(collect_call_)) {
      return std::move(acks).error();
    }
  }
}

tenon::Result<void> Delivery::reopen() {
  std::lock_guard session(session_);
  const CallSlot::Scope call(collecting_calls_, "open");
  if (auto opened = destination_->open(); !opened) return opened;
  transit_.rewind(lane_);
  return {};
}

tenon::Result<void> Delivery::take(tenon::ListView<tenon::Destination::Ack> acks) {
  std::size_t taken = 0;
  while (taken < acks.size()) {
    const Records records = transit_.unacknowledged(lane_);
    if (records.empty()) {
      return wrong_acknowledgement(label_, readable(acks[taken].position()),
                                   "no more than was written");
    }
    const std::size_t count = std::min(records.size(), acks.size() - taken);
    for (std::size_t i = 0; i < count; i++) {
      const auto ack = acks[taken + i];
      const tenon::BytesView position = records[i].position();
      if (ack.position() == position && !ack.error()) continue;
      transit_.acknowledge(lane_, i);
      if (ack.position() == position) return refused(label_, position, *ack.error());
      return wrong_acknowledgement(label_, readable(ack.position()),
                                   readable(position) + ", the next that was written");
    }
    transit_.acknowledge(lane_, count);
    taken += count;
  }
  return {};
}

}  // namespace pipeline
