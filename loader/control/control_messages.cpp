// SPDX-License-Identifier: BSL-1.0
#include "control/control_messages.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

void begin_line(json::Writer& out) {
  out.begin_object();
  out.key("control");
  out.number(control_version);
}

void begin_reply(json::Writer& out, std::string_view request) {
  begin_line(out);
  if (!request.empty()) write_member(out, "request", request);
}

Error missing(std::string_view key) {
  return Error({.code = "missing-key",
                .where = std::string(key),
                .needed = R"(a request such as {"control": 1, "request": "status"})",
                .fix = "add the key"});
}

/// Checks the version, which comes first: another version may have other keys.
Result<void> check_version(const json::Reader* version) {
  if (version == nullptr) return missing("control");
  std::int64_t number = 0;
  if (version->form() == json::Form::number && version->read_integer(number, 1, 1, "version")) {
    return {};
  }
  return Error({.code = "wrong-value",
                .where = "control",
                .found = "another version of the protocol",
                .needed = "1",
                .fix = "use a client of the version of this host"});
}

}  // namespace

Result<ControlRequest> parse_control_request(json::Parser& parser, std::string_view line) {
  const auto parsed = parser.parse(line);
  if (!parsed) return parsed.error();
  if (parsed->form() != json::Form::object) return missing("control");
  json::Fields fields(*parsed);
  if (auto good = check_version(fields.take("control")); !good) return std::move(good).error();
  ControlRequest request;
  const auto take = [&](std::string_view key, std::string& text) {
    const json::Reader* value = fields.take(key);
    std::string_view view;
    if (value != nullptr && !value->read(view)) return false;
    text = view;
    return true;
  };
  if (!take("request", request.request) || !take("package", request.package) ||
      !take("level", request.level) || !take("calls", request.calls) ||
      !fields.finish("not a key of a request")) {
    return parser.take_error();
  }
  if (request.request.empty()) return missing("request");
  return request;
}

std::string result_line(std::string_view request, const std::function<void(json::Writer&)>& write) {
  json::Writer out;
  begin_reply(out, request);
  out.key("result");
  write(out);
  out.end_object();
  return out.take();
}

std::string error_line(std::string_view request, const Error& error) {
  json::Writer out;
  begin_reply(out, request);
  out.key("error");
  write_error(out, error);
  out.end_object();
  return out.take();
}

std::string event_line(std::string_view event) {
  json::Writer out;
  begin_line(out);
  out.key("event");
  out.raw(event);
  out.end_object();
  return out.take();
}

std::string trace_line(std::string_view elements) {
  json::Writer out;
  begin_line(out);
  out.key("trace");
  out.raw(elements);
  out.end_object();
  return out.take();
}

std::string lost_line(std::uint64_t events) {
  json::Writer out;
  begin_line(out);
  write_member(out, "lost", events);
  out.end_object();
  return out.take();
}

std::string event_json(const Event& event, std::uint64_t number,
                       std::chrono::system_clock::time_point time) {
  using std::chrono::milliseconds;
  const auto since_epoch = std::chrono::duration_cast<milliseconds>(time.time_since_epoch());
  json::Writer out;
  out.begin_object();
  write_member(out, "number", number);
  write_member(out, "time_ms", static_cast<std::uint64_t>(since_epoch.count()));
  write_member(out, "type", to_string(event.type));
  write_member(out, "package", event.package);
  write_member(out, "package_version", event.package_version);
  write_member(out, "generation", event.generation);
  write_member(out, "reason", to_string(event.reason));
  write_member(out, "message", event.message);
  write_member(out, "load_us", microseconds(event.load_time));
  write_member(out, "calls_waited_us", microseconds(event.calls_waited));
  write_member(out, "drain_us", microseconds(event.drain_time));
  write_member(out, "text", event.to_string());
  out.end_object();
  return out.take();
}

std::uint64_t microseconds(std::chrono::nanoseconds time) noexcept {
  const auto count = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  return count > 0 ? static_cast<std::uint64_t>(count) : 0;
}

void write_member(json::Writer& out, std::string_view key, std::string_view value) {
  out.key(key);
  out.text(value);
}

void write_member(json::Writer& out, std::string_view key, std::uint64_t value) {
  out.key(key);
  out.number(value);
}

void write_member(json::Writer& out, std::string_view key, bool value) {
  out.key(key);
  out.boolean(value);
}

void write_error(json::Writer& out, const Error& error) {
  out.begin_object();
  write_member(out, "code", error.code());
  write_member(out, "severity", to_string(error.severity()));
  write_member(out, "message", error.message());
  write_member(out, "where", error.where());
  write_member(out, "found", error.found());
  write_member(out, "needed", error.needed());
  write_member(out, "fix", error.fix());
  out.end_object();
}

void write_errors(json::Writer& out, const std::vector<Error>& errors) {
  out.begin_array();
  for (const Error& error : errors) write_error(out, error);
  out.end_array();
}

}}}  // namespace tenon::v0_1::detail
