// SPDX-License-Identifier: BSL-1.0
#include "control/trace_text.hpp"

#include <tenon/detail/intercept.hpp>

#include <cstdio>
#include <utility>

#include "control/control_messages.hpp"
#include "platform/process.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// Tracks of packages look like threads. Linux gives no thread such a number.
constexpr std::int64_t first_track = std::int64_t{1} << 22;
constexpr std::size_t most_calls = 1'000;

/// Writes a time in microseconds, which is the unit of the format.
void write_time(json::Writer& out, std::string_view key, std::int64_t nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03d", static_cast<long long>(nanoseconds / 1000),
                static_cast<int>(nanoseconds % 1000));
  out.key(key);
  out.raw(text);
}

void write_number(json::Writer& out, std::string_view key, std::int64_t value) {
  out.key(key);
  out.number(value);
}

}  // namespace

TraceText::TraceText(std::shared_ptr<CallTrace> trace, std::string app)
    : trace_(std::move(trace)), app_(std::move(app)), process_(platform::process_number()) {}

std::size_t TraceText::write(json::Writer& out) {
  const CallTrace::Taken taken = trace_->take(most_calls);
  elements_ = 0;
  if (!std::exchange(begun_, true)) write_name(out, "process_name", process_, app_);
  for (const auto& [thread, name] : taken.threads) write_name(out, "thread_name", thread, name);
  for (const TracedEvent& event : taken.events) write_event(out, event);
  for (const TracedCall& call : taken.calls) write_call(out, call);
  write_lost(out, "calls lost", taken.lost_calls);
  write_lost(out, "events lost", taken.lost_events);
  return elements_;
}

/// Begins an element, which is left open.
void TraceText::begin(json::Writer& out, std::string_view phase, std::string_view name,
                      std::int64_t track) {
  ++elements_;
  out.begin_object();
  write_member(out, "ph", phase);
  write_member(out, "name", name);
  write_number(out, "pid", process_);
  write_number(out, "tid", track);
}

void TraceText::write_name(json::Writer& out, std::string_view what, std::int64_t track,
                           std::string_view name) {
  begin(out, "M", what, track);
  out.key("args");
  out.begin_object();
  write_member(out, "name", name);
  out.end_object();
  out.end_object();
}

void TraceText::write_call(json::Writer& out, const TracedCall& call) {
  begin(out, "X", name_of(call.method), call.thread);
  write_member(out, "cat", std::string_view("call"));
  write_time(out, "ts", call.begin);
  write_time(out, "dur", static_cast<std::int64_t>(call.time));
  if (call.failed) {
    out.key("args");
    out.begin_object();
    write_member(out, "failed", true);
    out.end_object();
  }
  out.end_object();
}

/// Loads and restarts are slices that end when they are reported; other events have no duration.
void TraceText::write_event(json::Writer& out, const TracedEvent& traced) {
  const Event& event = traced.event;
  const bool is_slice = event.type == Event::Type::loaded || event.type == Event::Type::restarted;
  const std::int64_t track = track_of(out, event);
  begin(out, is_slice ? "X" : "i", to_string(event.type), track);
  write_member(out, "cat", std::string_view("event"));
  write_time(out, "ts", traced.time - (is_slice ? event.load_time.count() : 0));
  if (is_slice) {
    write_time(out, "dur", event.load_time.count());
  } else {
    write_member(out, "s", std::string_view("t"));
  }
  out.key("args");
  out.begin_object();
  write_member(out, "text", event.to_string());
  write_member(out, "generation", event.generation);
  out.end_object();
  out.end_object();
}

void TraceText::write_lost(json::Writer& out, std::string_view name, std::uint64_t count) {
  if (count == 0) return;
  begin(out, "i", name, process_);
  write_member(out, "cat", std::string_view("lost"));
  write_time(out, "ts", MethodCounter::now());
  write_member(out, "s", std::string_view("p"));
  out.key("args");
  out.begin_object();
  write_member(out, "count", count);
  out.end_object();
  out.end_object();
}

/// Returns the track of a package, and names a new one.
std::int64_t TraceText::track_of(json::Writer& out, const Event& event) {
  const std::string name = event.package + "@" + event.package_version;
  const auto [found, added] =
      tracks_.emplace(name, first_track + static_cast<std::int64_t>(tracks_.size()));
  if (added) write_name(out, "thread_name", found->second, name);
  return found->second;
}

const std::string& TraceText::name_of(std::uint32_t method) {
  const auto [found, added] = methods_.try_emplace(method);
  if (added) found->second = trace_->name_of(method);
  return found->second;
}

}}}  // namespace tenon::v0_1::detail
