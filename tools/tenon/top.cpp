// SPDX-License-Identifier: BSL-1.0
//
// tenon top: the calls of the methods of a running host, in the time between two looks.
#include <tenon/module_info.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "control.hpp"
#include "control_client.hpp"
#include "text.hpp"

namespace tenon::command {

namespace json = boost::json;

namespace {

/// The counts of a method at one look, or their increase since the one before.
struct Calls {
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;
  std::uint64_t in_flight = 0;                   // no increase
  std::map<std::uint64_t, std::uint64_t> timed;  // by the bound in nanoseconds
};

/// By package, plugin and method.
using Look = std::map<std::tuple<std::string, std::string, std::string>, Calls>;

Look look_at(const json::object& status) {
  Look look;
  for (const json::object* module : objects_of(status, "modules")) {
    const std::string package = std::string(text_of(*module, "package")) + "@" +
                                std::string(text_of(*module, "package_version"));
    for (const json::object* method : objects_of(*module, "methods")) {
      Calls& calls = look[{package, std::string(text_of(*method, "plugin")),
                           std::string(text_of(*method, "method"))}];
      calls.calls = number_of(*method, "calls");
      calls.failures = number_of(*method, "failures");
      calls.in_flight = number_of(*method, "in_flight");
      for (const json::object* timed : objects_of(*method, "timed")) {
        calls.timed[number_of(*timed, "below_ns")] = number_of(*timed, "calls");
      }
    }
  }
  return look;
}

/// Returns the increase, without the methods in which nothing happened.
Look increase(const Look& before, const Look& now) {
  Look result;
  for (const auto& [name, counts] : now) {
    Calls calls = counts;
    // A module that was forgotten and found again begins at zero.
    if (const auto earlier = before.find(name);
        earlier != before.end() && earlier->second.calls <= counts.calls) {
      calls.calls -= earlier->second.calls;
      calls.failures -= earlier->second.failures;
      for (const auto& [below, count] : earlier->second.timed) calls.timed[below] -= count;
    }
    if (calls.calls != 0 || calls.in_flight != 0) result.emplace(name, std::move(calls));
  }
  return result;
}

/// Returns the bound below which `share` of the timed calls ended; "-" if none was timed.
std::string time_of(const Calls& calls, double share) {
  MethodCalls timed;
  for (const auto& [below, count] : calls.timed) {
    const std::chrono::nanoseconds bound(static_cast<std::int64_t>(below));
    if (count != 0) timed.timed.push_back({bound, count});
  }
  if (timed.timed.empty()) return "-";
  return nanoseconds_text(static_cast<std::uint64_t>(timed.time_of(share).count()));
}

std::string rate_text(std::uint64_t count, std::chrono::duration<double> time) {
  char text[32];
  const double rate = static_cast<double>(count) / time.count();
  std::snprintf(text, sizeof text, rate < 10 ? "%.1f" : "%.0f", rate);
  return text;
}

std::string table(const Look& look, std::chrono::duration<double> time, const Paint& paint) {
  std::vector<const Look::value_type*> order;
  for (const auto& method : look) order.push_back(&method);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [](const auto* method) { return method->second.calls; });
  std::vector<Row> rows{
      {"CALLS/S", "FAILURES/S", "IN FLIGHT", "MEDIAN", "P99", "PLUGIN", "METHOD", "PACKAGE"}};
  for (const auto* method : order) {
    const auto& [name, calls] = *method;
    rows.push_back({rate_text(calls.calls, time), rate_text(calls.failures, time),
                    std::to_string(calls.in_flight), time_of(calls, 0.5), time_of(calls, 0.99),
                    std::get<1>(name), std::get<2>(name), std::get<0>(name)});
  }
  const auto lines = aligned(rows);
  std::string text = paint.strong(lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) text += lines[i];
  return text;
}

/// Returns the state of the host. Errors: those of ask_host; calls-not-counted.
Result<json::object> counting_host(const ControlArguments& arguments) {
  auto status = ask_host(arguments.host, {{"request", "status"}}, arguments.timeout);
  if (!status || flag_of(*status, "counts_calls")) return status;
  return Error({.code = "calls-not-counted",
                .where = arguments.host,
                .found = "a host that does not count calls",
                .needed = "counts to compare",
                .fix = "run tenon count " + arguments.host + " on"});
}

}  // namespace

Exit show_top(const ControlArguments& arguments) {
  using Clock = std::chrono::steady_clock;
  const Paint paint = Paint::for_stream(STDOUT_FILENO);
  const bool redraw = isatty(STDOUT_FILENO) != 0;
  auto status = counting_host(arguments);
  auto time = Clock::now();
  for (int shown = 0; status && (arguments.tables == 0 || shown < arguments.tables); ++shown) {
    const Look before = look_at(*status);
    const auto earlier = time;
    std::this_thread::sleep_until(earlier + arguments.interval);
    status = counting_host(arguments);
    if (!status) break;
    time = Clock::now();
    // One write, so that a terminal shows no half of a table.
    std::string text = redraw ? "\033[H\033[J" : shown == 0 ? "" : "\n";
    text += table(increase(before, look_at(*status)), time - earlier, paint);
    if (!(std::cout << text << std::flush)) return success;  // main reports it
  }
  if (status) return success;
  print_problems({status.error()});
  return status.error().code() == "bad-reference" ? usage_error : problems_found;
}

}  // namespace tenon::command
