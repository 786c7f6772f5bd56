// SPDX-License-Identifier: BSL-1.0
//
// The messages between a host and its control clients, one JSON object a line; see
// loader/guide/control.md.
#pragma once

#include <tenon/detail/json.hpp>
#include <tenon/events.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace detail {

/// The version of the protocol.
inline constexpr std::int64_t control_version = 1;

/// A request of a client.
struct ControlRequest {
  std::string request;
  std::string package = {};  // empty if absent
  std::string level = {};    // empty if absent
  std::string calls = {};    // empty if absent
};

/// Parses a line. Errors: not-json, missing-key, unknown-key, wrong-value.
Result<ControlRequest> parse_control_request(json::Parser& parser, std::string_view line);

/// Return lines without a line end. `request` is empty if it is unknown. `write` writes one value.
std::string result_line(std::string_view request, const std::function<void(json::Writer&)>& write);
std::string error_line(std::string_view request, const Error& error);
/// A line with an event, which is JSON.
std::string event_line(std::string_view event);
/// A line with elements of a trace, a JSON array.
std::string trace_line(std::string_view elements);
/// The line that stands for lost events.
std::string lost_line(std::uint64_t events);

/// Returns an event as JSON.
std::string event_json(const Event& event, std::uint64_t number,
                       std::chrono::system_clock::time_point time);

/// Returns a duration as messages state it; 0 if it is negative.
std::uint64_t microseconds(std::chrono::nanoseconds time) noexcept;

/// Writes a member with a text, a number or a truth value.
void write_member(json::Writer& out, std::string_view key, std::string_view value);
void write_member(json::Writer& out, std::string_view key, std::uint64_t value);
void write_member(json::Writer& out, std::string_view key, bool value);
/// Writes an error as an object.
void write_error(json::Writer& out, const Error& error);
void write_errors(json::Writer& out, const std::vector<Error>& errors);

}}}  // namespace tenon::v0_1::detail
