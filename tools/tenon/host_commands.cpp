// SPDX-License-Identifier: BSL-1.0
//
// The command lines of ps, status, restart, release, rescan, log, count, top, events and trace.
#include <cctype>
#include <chrono>
#include <memory>
#include <string>

#include "arguments.hpp"
#include "control.hpp"

namespace tenon::command {
namespace {

/// A command for running hosts.
struct HostCommand {
  const char* name;
  const char* description;
  Exit (*run)(const ControlArguments&);
  std::chrono::milliseconds timeout;
};

constexpr HostCommand ps = {"ps", "Lists the running hosts of this user", list_hosts,
                            std::chrono::seconds(5)};
constexpr HostCommand status = {"status", "Shows the modules of a running host", show_host,
                                std::chrono::seconds(5)};
constexpr HostCommand restart = {"restart", "Restarts packages in a running host", restart_in_host,
                                 std::chrono::minutes(1)};
constexpr HostCommand rescan = {"rescan", "Makes a running host scan its directories again",
                                rescan_host, std::chrono::minutes(1)};
constexpr HostCommand log_level = {"log", "Sets the log level of a running host",
                                   command::set_log_level, std::chrono::seconds(5)};
constexpr HostCommand count = {"count", "Makes a running host count calls, or stop that",
                               command::count_calls, std::chrono::seconds(5)};
constexpr HostCommand top = {"top", "Shows the calls of a running host by method, every second",
                             show_top, std::chrono::seconds(5)};
constexpr HostCommand events = {"events", "Shows the last 100 events of a running host",
                                show_events, std::chrono::seconds(5)};

constexpr HostCommand trace = {"trace", "Writes a trace of a running host, for Perfetto",
                               record_trace, std::chrono::seconds(5)};

void add_host(CLI::App& command, ControlArguments& given) {
  command
      .add_option("HOST", given.host,
                  "Number of a process, or one of its hosts as ps shows it, eg: 1234.2")
      ->required();
}

/// Adds a command. `add_arguments(parser, arguments)` adds what only this one has.
template <class AddArguments>
void add(CommandTable& table, const HostCommand& command, AddArguments add_arguments) {
  const auto given = std::make_shared<ControlArguments>();
  CLI::App& parser = *table.program().add_subcommand(command.name, command.description);
  add_arguments(parser, *given);
  add_timeout(parser, given->timeout, command.timeout, "How long to wait for the host, eg: 500ms");
  table.add(parser, [given, run = command.run] { return run(*given); });
}

void add_status(CommandTable& table) {
  add(table, status, [](CLI::App& parser, ControlArguments& given) {
    add_host(parser, given);
    add_json(parser, given.json);
    parser.add_flag("--metrics", given.metrics, "Prints metrics in the text format of Prometheus")
        ->excludes(parser.get_option("--json"));
    add_examples(parser, {"tenon status 1234", "tenon status 1234.2 --metrics"});
  });
}

void add_restart(CommandTable& table) {
  add(table, restart, [](CLI::App& parser, ControlArguments& given) {
    add_host(parser, given);
    add_json(parser, given.json);
    parser.add_option("PACKAGE", given.package,
                      "Package, or package@version; default: all that are loaded");
    add_examples(parser, {"tenon restart 1234", "tenon restart 1234 me.example/blur"});
  });
}

/// The subject of `release` is a running host, or an app; names of apps begin with a letter.
void add_release(CommandTable& table) {
  const auto given = std::make_shared<ControlArguments>();
  CLI::App& parser = *table.program().add_subcommand(
      "release", "Lets an app or a running host use a package again after a crash or a quarantine");
  parser
      .add_option("APP|HOST", given->host,
                  "Name of a host program, or the number of its process as ps shows it")
      ->required();
  parser.add_option("PACKAGE", given->package, "Package; of a running host also package@version")
      ->required();
  add_timeout(parser, given->timeout, std::chrono::minutes(1),
              "How long to wait for a running host, eg: 500ms");
  add_json(parser, given->json);
  add_examples(parser,
               {"tenon release photo me.example/blur", "tenon release 1234 me.example/blur@1.2.0"});
  table.add(parser, [&table, given] {
    if (std::isdigit(static_cast<unsigned char>(given->host.front())) != 0) {
      return release_in_host(*given);
    }
    Options& options = table.options();
    options.app = given->host;
    options.json = given->json;
    return release(options, given->package);
  });
}

void add_log(CommandTable& table) {
  add(table, log_level, [](CLI::App& parser, ControlArguments& given) {
    add_host(parser, given);
    parser.add_option("LEVEL", given.level, "trace, debug, info, warn, error or off")->required();
    add_examples(parser, {"tenon log 1234 debug"});
  });
}

void add_count(CommandTable& table) {
  add(table, count, [](CLI::App& parser, ControlArguments& given) {
    add_host(parser, given);
    add_choice(parser, "on|off", given.counting, {"on", "off"}, "Whether calls are counted")
        ->required();
    add_examples(parser, {"tenon count 1234 on"});
  });
}

void add_top(CommandTable& table) {
  add(table, top, [](CLI::App& parser, ControlArguments& given) {
    add_host(parser, given);
    add_time(parser, "--interval", given.interval, std::chrono::seconds(1),
             "Time between two tables, eg: 5s");
    parser.add_option("--tables", given.tables, "Ends after so many tables")
        ->check(in_range(1, 1'000'000));
    add_examples(parser, {"tenon top 1234", "tenon top 1234 --interval 10s --tables 1"});
  });
}

void add_events(CommandTable& table) {
  add(table, events, [](CLI::App& parser, ControlArguments& given) {
    add_host(parser, given);
    add_json(parser, given.json);
    parser.add_flag("--follow", given.follow, "Also shows further events until the host ends");
    add_examples(parser, {"tenon events 1234", "tenon events 1234 --follow --json"});
  });
}

void add_trace(CommandTable& table) {
  add(table, trace, [](CLI::App& parser, ControlArguments& given) {
    add_host(parser, given);
    parser.add_option("FILE", given.file, "File to write; an existing one is replaced")->required();
    add_time(parser, "--for", given.lasts, std::chrono::milliseconds(0),
             "Ends after this time, eg: 5s; without it, at Ctrl-C, or when the host ends");
    add_examples(parser, {"tenon trace 1234 photo.json --for 5s"});
  });
}

}  // namespace

void add_host_commands(CommandTable& table) {
  add(table, ps, [](CLI::App& parser, ControlArguments& given) {
    add_json(parser, given.json);
    add_examples(parser, {"tenon ps"});
  });
  add_status(table);
  add_restart(table);
  add_release(table);
  add(table, rescan, [](CLI::App& parser, ControlArguments& given) {
    add_host(parser, given);
    add_json(parser, given.json);
    add_examples(parser, {"tenon rescan 1234"});
  });
  add_log(table);
  add_count(table);
  add_top(table);
  add_events(table);
  add_trace(table);
}

}  // namespace tenon::command
