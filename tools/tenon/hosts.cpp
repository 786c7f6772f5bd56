// SPDX-License-Identifier: BSL-1.0
//
// tenon ps and status
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>

#include "base/plain_text.hpp"
#include "control.hpp"
#include "control_client.hpp"
#include "json.hpp"
#include "metrics.hpp"
#include "text.hpp"

namespace tenon::command {

namespace json = boost::json;

namespace {

using Objects = std::vector<const json::object*>;

/// eg: "3d 2h", "2h 5m", "5m 7s", "7s"
std::string uptime_text(std::uint64_t milliseconds) {
  const std::uint64_t seconds = milliseconds / 1000;
  const auto two = [](std::uint64_t most, const char* unit, std::uint64_t least,
                      const char* smaller) {
    return std::to_string(most) + unit + " " + std::to_string(least) + smaller;
  };
  if (seconds >= 86'400) return two(seconds / 86'400, "d", seconds / 3600 % 24, "h");
  if (seconds >= 3600) return two(seconds / 3600, "h", seconds / 60 % 60, "m");
  if (seconds >= 60) return two(seconds / 60, "m", seconds % 60, "s");
  return std::to_string(seconds) + "s";
}

std::size_t count_flag(const Objects& modules, std::string_view key) {
  return static_cast<std::size_t>(
      std::ranges::count_if(modules, [key](const auto* module) { return flag_of(*module, key); }));
}

std::uint64_t sum(const Objects& modules, std::string_view key) {
  std::uint64_t total = 0;
  for (const json::object* module : modules) total += number_of(*module, key);
  return total;
}

std::size_t count_errors(const json::object& status) {
  const auto problems = objects_of(status, "problems");
  return static_cast<std::size_t>(std::ranges::count_if(
      problems, [](const auto* one) { return text_of(*one, "severity") == "error"; }));
}

/// Returns the parts of the program that do not work.
Objects broken_parts(const json::object& status) {
  Objects parts = objects_of(status, "health");
  std::erase_if(parts, [](const auto* part) { return flag_of(*part, "works"); });
  return parts;
}

/// eg: "1 quarantined, 2 skipped"; "-" if there is none.
std::string problems_text(const json::object& status, const Objects& modules) {
  std::string text;
  const auto add = [&text](std::size_t count, std::string_view word) {
    if (count == 0) return;
    if (!text.empty()) text += ", ";
    text += std::to_string(count) + " " + std::string(word);
  };
  add(count_flag(modules, "quarantined"), "quarantined");
  add(sum(modules, "still_mapped"), "still mapped");
  add(count_errors(status), "skipped");
  add(broken_parts(status).size(), "failing");
  return text.empty() ? "-" : text;
}

Row row_of(const json::object& status) {
  const auto modules = objects_of(status, "modules");
  const std::string app(text_of(status, "app"));
  return {std::string(text_of(status, "host")),
          app.empty() ? "-" : app,
          uptime_text(number_of(status, "uptime_ms")),
          std::to_string(count_flag(modules, "loaded")) + " of " + std::to_string(modules.size()),
          std::to_string(sum(modules, "restarts")),
          problems_text(status, modules)};
}

/// Asks all hosts at once, so that one that does not reply delays the others only once.
std::vector<json::object> ask_all(std::chrono::milliseconds timeout, std::vector<Error>& errors) {
  std::vector<ControlClient> clients = connect_to_all(timeout, errors);
  std::vector<json::object> replies;
  const auto failed = [&errors](ControlClient& client) {
    auto sent = client.send({{"request", "status"}});
    if (sent) return false;
    errors.push_back(std::move(sent).error());
    return true;
  };
  std::erase_if(clients, failed);
  for (ControlClient& client : clients) {
    auto reply = client.reply();
    if (reply) {
      replies.push_back(*std::move(reply));
    } else {
      errors.push_back(std::move(reply).error());
    }
  }
  return replies;
}

void print_table(const std::vector<Row>& rows, const Paint& paint) {
  const auto lines = aligned(rows);
  std::cout << paint.strong(lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) std::cout << lines[i];
}

/// eg: "restarting: create of me.example/blur, for 12 ms"
std::string restart_text(const json::object& restart) {
  std::string text = "restarting";
  const std::string step(text_of(restart, "step"));
  if (!step.empty()) text += ": " + step + " of " + std::string(text_of(restart, "plugin"));
  return text + ", for " + microseconds_text(number_of(restart, "time_us"));
}

std::string state_text(const json::object& module) {
  if (const auto& restart = object_of(module, "restarting"); !restart.empty()) {
    return restart_text(restart);
  }
  if (flag_of(module, "quarantined")) return "quarantined";
  return flag_of(module, "loaded") ? "loaded" : "not loaded";
}

/// Returns whether a module has a state to show.
bool is_shown(const json::object& module) {
  return flag_of(module, "loaded") || flag_of(module, "quarantined") ||
         number_of(module, "still_mapped") != 0 || number_of(module, "draining") != 0 ||
         !text_of(module, "last_failure").empty();
}

void print_modules(const Objects& modules, const Paint& paint) {
  std::vector<Row> rows{{"PACKAGE", "VERSION", "STATE", "GENERATION", "INSTANCES", "RESTARTS",
                         "DRAINING", "STILL MAPPED", "FAILURES"}};
  std::size_t others = 0;
  for (const json::object* module : modules) {
    if (!is_shown(*module)) {
      ++others;
      continue;
    }
    const auto number = [module](const char* key) {
      return std::to_string(number_of(*module, key));
    };
    rows.push_back({std::string(text_of(*module, "package")),
                    std::string(text_of(*module, "package_version")), state_text(*module),
                    number("generation"), number("instances"), number("restarts"),
                    number("draining"), number("still_mapped"), number("faults")});
  }
  if (rows.size() > 1) print_table(rows, paint);
  if (others != 0) std::cout << counted(others, "other module") << ", not loaded\n";
}

void print_plugins(const Objects& modules, const Paint& paint) {
  std::vector<Row> rows{{"PLUGIN", "KIND", "VERSION", "PACKAGE"}};
  for (const json::object* module : modules) {
    if (!flag_of(*module, "loaded")) continue;
    for (const json::object* plugin : objects_of(*module, "plugins")) {
      rows.push_back({std::string(text_of(*plugin, "name")), std::string(text_of(*plugin, "kind")),
                      std::to_string(number_of(*plugin, "version")),
                      std::string(text_of(*module, "package"))});
    }
  }
  if (rows.size() == 1) return;
  std::cout << "\n";
  print_table(rows, paint);
}

void print_methods(const Objects& modules, const Paint& paint) {
  const auto time = [](const json::object& method, const char* key) {
    const std::uint64_t nanoseconds = number_of(method, key);
    return nanoseconds != 0 ? nanoseconds_text(nanoseconds) : std::string("-");
  };
  std::vector<Row> rows{{"PLUGIN", "METHOD", "CALLS", "FAILURES", "IN FLIGHT", "MEDIAN", "P99"}};
  for (const json::object* module : modules) {
    for (const json::object* method : objects_of(*module, "methods")) {
      rows.push_back({std::string(text_of(*method, "plugin")),
                      std::string(text_of(*method, "method")),
                      std::to_string(number_of(*method, "calls")),
                      std::to_string(number_of(*method, "failures")),
                      std::to_string(number_of(*method, "in_flight")), time(*method, "median_ns"),
                      time(*method, "p99_ns")});
    }
  }
  if (rows.size() == 1) return;
  std::cout << "\n";
  print_table(rows, paint);
}

void print_figures(const json::object& status, const Paint& paint) {
  std::vector<Row> rows{{"PART", "FIGURE", "VALUE"}};
  for (const json::object* figure : objects_of(status, "figures")) {
    const std::string part(text_of(*figure, "part"));
    const std::string unit(text_of(*figure, "unit"));
    rows.push_back({part.empty() ? "-" : part, std::string(text_of(*figure, "name")),
                    real_text(real_of(*figure, "value")) + (unit.empty() ? "" : " " + unit)});
  }
  if (rows.size() == 1) return;
  std::cout << "\n";
  print_table(rows, paint);
}

void print_failures(const json::object& status, const Objects& modules, const Paint& paint) {
  for (const json::object* part : broken_parts(status)) {
    std::string text = "failing";
    if (!text_of(*part, "part").empty()) text.append(": ").append(text_of(*part, "part"));
    text.append(": ").append(text_of(*part, "problem"));
    std::cout << "\n" << paint.bad(escaped_for_display(text)) << "\n";
  }
  for (const json::object* module : modules) {
    const std::string_view failure = text_of(*module, "last_failure");
    if (failure.empty()) continue;
    std::cout << "\n" << paint.bad("last failure: " + escaped_for_display(failure)) << "\n";
  }
  for (const json::object* problem : objects_of(status, "problems")) {
    std::cout << "\n" << paint.problem(error_of(*problem)) << "\n";
  }
}

void print_status(const json::object& status) {
  const Paint paint = Paint::for_stream(STDOUT_FILENO);
  const auto modules = objects_of(status, "modules");
  const Row row = row_of(status);
  std::cout << paint.strong(escaped_for_display(row[0] + "  " + row[1])) << "  up " << row[2]
            << "  " << row[3] << " modules loaded\n\n";
  print_modules(modules, paint);
  print_plugins(modules, paint);
  print_methods(modules, paint);
  print_figures(status, paint);
  print_failures(status, modules, paint);
}

}  // namespace

Exit list_hosts(const ControlArguments& arguments) {
  std::vector<Error> errors;
  const auto replies = ask_all(arguments.timeout, errors);
  if (arguments.json) {
    json::object output = make_output("ps");
    json::array hosts;
    for (const json::object& status : replies) hosts.push_back(status);
    output["hosts"] = std::move(hosts);
    output["errors"] = to_json(errors);
    print(output);
  } else {
    std::vector<Row> rows{{"HOST", "APP", "UPTIME", "LOADED", "RESTARTS", "PROBLEMS"}};
    for (const json::object& status : replies) rows.push_back(row_of(status));
    print_table(rows, Paint::for_stream(STDOUT_FILENO));
  }
  print_problems(errors);
  return errors.empty() ? success : problems_found;
}

Exit show_host(const ControlArguments& arguments) {
  const auto status = ask_host(arguments.host, {{"request", "status"}}, arguments.timeout);
  if (!status) {
    print_problems({status.error()});
    return status.error().code() == "bad-reference" ? usage_error : problems_found;
  }
  if (arguments.metrics) {
    std::cout << metrics_of(*status);
  } else if (arguments.json) {
    json::object output = make_output("status");
    output["status"] = *status;
    print(output);
  } else {
    print_status(*status);
  }
  return success;
}

}  // namespace tenon::command
