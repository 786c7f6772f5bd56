// SPDX-License-Identifier: BSL-1.0
//
// tenon restart, release, rescan, log, count and events
#include "control.hpp"

#include <ctime>
#include <iostream>
#include <utility>

#include "base/plain_text.hpp"
#include "control_client.hpp"
#include "json.hpp"
#include "text.hpp"

namespace tenon::command {

namespace json = boost::json;

namespace {

Exit fail(const Error& error) {
  print_problems({error});
  return error.code() == "bad-reference" || error.code() == "unknown-word" ? usage_error
                                                                           : problems_found;
}

/// Prints one package as it was restarted. Returns whether that succeeded.
bool print_restart(const json::object& restart, std::vector<Row>& rows) {
  const std::string package(text_of(restart, "package"));
  const std::string outcome(text_of(restart, "outcome"));
  const auto modules = objects_of(restart, "modules");
  if (outcome == "failed") {
    print_problems({error_of(object_of(restart, "error"))});
    return false;
  }
  const std::string total = microseconds_text(number_of(restart, "total_us"));
  if (outcome != "restarted") rows.push_back({package, outcome, total});
  if (outcome != "restarted") return true;
  for (const json::object* module : modules) {
    rows.push_back({package, std::string(text_of(*module, "package_version")), outcome,
                    "generation " + std::to_string(number_of(*module, "generation")),
                    "loaded in " + microseconds_text(number_of(*module, "load_us")),
                    "calls waited " + microseconds_text(number_of(*module, "calls_waited_us")),
                    "total " + total});
  }
  return true;
}

Exit restart_packages(const ControlArguments& arguments, const char* request) {
  json::object message{{"request", request}};
  if (!arguments.package.empty()) message["package"] = arguments.package;
  const auto reply = ask_host(arguments.host, std::move(message), arguments.timeout);
  if (!reply) return fail(reply.error());
  const auto restarts = objects_of(*reply, "restarts");
  std::vector<Row> rows;
  bool good = true;
  for (const json::object* one : restarts) good = print_restart(*one, rows) && good;
  if (arguments.json) {
    json::object output = make_output(request);
    output["host"] = arguments.host;
    for (const auto& [key, value] : *reply) output[key] = value;
    print(output);
  } else {
    for (const std::string& line : aligned(rows)) std::cout << line;
    if (restarts.empty()) std::cout << "no package is loaded\n";
  }
  return good ? success : problems_found;
}

void print_names(const char* what, const json::object& reply, const char* key) {
  const json::value* names = reply.if_contains(key);
  if (names == nullptr || !names->is_array()) return;
  for (const json::value& name : names->get_array()) {
    if (!name.is_string()) continue;
    std::cout << what << escaped_for_display(name.get_string()) << "\n";
  }
}

/// eg: "2026-11-29 12:30:01"
std::string time_of(const json::object& event) {
  const auto seconds = static_cast<std::time_t>(number_of(event, "time_ms") / 1000);
  std::tm parts{};
  char text[32] = "";
  if (::localtime_r(&seconds, &parts) != nullptr) {
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  }
  return text;
}

void print_event(const json::object& event, bool as_json) {
  if (as_json) {
    std::cout << json::serialize(event) << std::endl;
    return;
  }
  std::cout << time_of(event) << "  " << escaped_for_display(text_of(event, "text")) << std::endl;
}

Exit follow(ControlClient& client, bool as_json) {
  while (std::cout) {
    const auto message = client.next_message();
    if (!message) return fail(message.error());
    if (message->empty()) {
      std::cerr << "tenon: " << to_string(client.host()) << " has ended\n";
      return success;
    }
    if (const std::uint64_t lost = number_of(*message, "lost"); lost != 0) {
      std::cerr << "tenon: " << counted(lost, "event") << " lost: they came faster than they were "
                << "printed\n";
    } else {
      print_event(object_of(*message, "event"), as_json);
    }
  }
  return success;  // main reports that standard output cannot be written
}

}  // namespace

Exit restart_in_host(const ControlArguments& arguments) {
  return restart_packages(arguments, "restart");
}

Exit release_in_host(const ControlArguments& arguments) {
  return restart_packages(arguments, "release");
}

Exit rescan_host(const ControlArguments& arguments) {
  auto reply = ask_host(arguments.host, {{"request", "rescan"}}, arguments.timeout);
  if (!reply) return fail(reply.error());
  std::vector<Error> problems;
  for (const json::object* sent : objects_of(*reply, "problems")) {
    problems.push_back(error_of(*sent));
  }
  if (arguments.json) {
    json::object output = make_output("rescan");
    output["host"] = arguments.host;
    for (auto& [key, value] : *reply) output[key] = std::move(value);
    print(output);
  } else {
    print_names("added    ", *reply, "added");
    print_names("removed  ", *reply, "removed");
    print_problems(problems);
  }
  return any_error(problems) ? problems_found : success;
}

Exit set_log_level(const ControlArguments& arguments) {
  const auto reply =
      ask_host(arguments.host, {{"request", "log"}, {"level", arguments.level}}, arguments.timeout);
  return reply ? success : fail(reply.error());
}

Exit count_calls(const ControlArguments& arguments) {
  const auto reply = ask_host(arguments.host, {{"request", "count"}, {"calls", arguments.counting}},
                              arguments.timeout);
  return reply ? success : fail(reply.error());
}

Exit show_events(const ControlArguments& arguments) {
  auto client = connect_to_host(arguments.host, arguments.timeout);
  if (!client) return fail(client.error());
  if (auto sent = client->send({{"request", "events"}}); !sent) return fail(sent.error());
  const auto reply = client->reply();
  if (!reply) return fail(reply.error());
  for (const json::object* event : objects_of(*reply, "recent")) {
    print_event(*event, arguments.json);
  }
  return arguments.follow ? follow(*client, arguments.json) : success;
}

}  // namespace tenon::command
