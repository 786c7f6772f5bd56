// SPDX-License-Identifier: BSL-1.0
#include "call/events.hpp"

#include <exception>

#include "base/plain_text.hpp"
#include "call/exceptions.hpp"

namespace tenon { inline namespace v0_1 {
namespace {

std::string in_words(std::chrono::nanoseconds time) {
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  return microseconds < 10'000 ? std::to_string(microseconds) + " us"
                               : std::to_string(microseconds / 1000) + " ms";
}

bool is_problem(Event::Type type) {
  switch (type) {
    case Event::Type::faulted:
    case Event::Type::restart_failed:
    case Event::Type::drain_overdue:
    case Event::Type::call_overdue:
    case Event::Type::quarantined:
    case Event::Type::unload_prevented:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string_view to_string(RestartReason reason) noexcept {
  switch (reason) {
    case RestartReason::requested:
      return "requested";
    case RestartReason::file_changed:
      return "file changed";
    case RestartReason::fatal_status:
      return "fatal status";
    case RestartReason::exception:
      return "exception";
    case RestartReason::crash:
      return "crash";
    case RestartReason::hang:
      return "hang";
  }
  return "";
}

std::string_view to_string(Event::Type type) noexcept {
  switch (type) {
    case Event::Type::loaded:
      return "loaded";
    case Event::Type::unloaded:
      return "unloaded";
    case Event::Type::faulted:
      return "faulted";
    case Event::Type::restarted:
      return "restarted";
    case Event::Type::restart_failed:
      return "restart failed";
    case Event::Type::drained:
      return "drained";
    case Event::Type::drain_overdue:
      return "drain overdue";
    case Event::Type::call_overdue:
      return "call overdue";
    case Event::Type::quarantined:
      return "quarantined";
    case Event::Type::released:
      return "released";
    case Event::Type::unload_prevented:
      return "unload prevented";
  }
  return "";
}

std::string Event::to_string() const {
  std::string text = package + " " + package_version + ": " + std::string(tenon::to_string(type));
  if (type == Type::restarted || type == Type::restart_failed || type == Type::faulted) {
    text += " (" + std::string(tenon::to_string(reason)) + ")";
  }
  if (generation != 0) text += ", generation " + std::to_string(generation);
  if (load_time.count() != 0) text += ", loaded in " + in_words(load_time);
  if (calls_waited.count() != 0) text += ", closed for " + in_words(calls_waited);
  if (drain_time.count() != 0) text += ", after " + in_words(drain_time);
  if (!message.empty()) text += ": " + escaped_for_display(message);
  return text;
}

namespace detail {

std::string in_one_line(const Error& error) {
  std::string line;
  for (const char c : error.to_string()) {
    if (c == '\n') {
      line += ';';
    } else if (c != ' ' || line.empty() || line.back() != ' ') {
      line += c;
    }
  }
  return line;
}

Event overdue(Event event, const char* what) {
  event.type = Event::Type::drain_overdue;
  event.message =
      std::string(what) + " has not ended; the host ends without it, and the code stays loaded";
  return event;
}

void Events::report(const Event& event, bool returned) noexcept try {
  lock_order::expect_none();
  const LogLevel level = is_problem(event.type) && !returned ? LogLevel::warn : LogLevel::debug;
  if (log_->wants(level)) log_->write(level, event.to_string());
  trace_->add(event);
  if (listener_) call_listener(event);
} catch (const std::exception&) {  // out of memory
}

void Events::call_listener(const Event& event) {
  const CallbackGate::Guard open(listener_gate_);
  if (!open) return;
  try {
    listener_(event);
  } catch (...) {
    log_->write(LogLevel::error, text_of_exception("the event listener of the host"));
  }
}

}  // namespace detail
}}  // namespace tenon::v0_1
