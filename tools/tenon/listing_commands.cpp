// SPDX-License-Identifier: BSL-1.0
//
// The command lines of list, explain, resolve, lock and graph.
#include <memory>
#include <string>
#include <vector>

#include "arguments.hpp"

namespace tenon::command {
namespace {

void add_list(CommandTable& table) {
  struct Arguments {
    std::string kind;
    bool why = false;
  };
  const auto given = std::make_shared<Arguments>();
  CLI::App& command =
      *table.program().add_subcommand("list", "Lists the plugins that a host would find");
  add_common(command, table.options());
  command.add_option("--kind", given->kind, "Only plugins of this kind, eg: tenon.dev/source")
      ->type_name("KIND");
  command.add_flag("--why", given->why,
                   "Also shows the directories that were searched, and each file in them with the "
                   "reason why it is used or not");
  add_examples(command,
               {"tenon list -a photo", "tenon list -a photo --kind photo.example/filter --why"});
  table.add_for_app(command,
                    [&table, given] { return list(table.options(), given->kind, given->why); });
}

void add_explain(CommandTable& table) {
  const auto subject = std::make_shared<std::string>();
  CLI::App& command = *table.program().add_subcommand(
      "explain", "Explains an error code, or a kind and its methods from its spec");
  add_app(command, table.options());
  command.add_option("CODE|KIND[@VERSION][.METHOD]", *subject,
                     "Error code, eg: kind-too-new, or kind, which contains a '/', eg: "
                     "tenon.dev/source@2.open; default: lists all codes");
  add_json(command, table.options().json);
  add_examples(command, {"tenon explain kind-too-new", "tenon explain tenon.dev/source",
                         "tenon explain tenon.dev/source@2.open"});
  table.add(command, [&table, subject] { return explain(table.options(), *subject); });
}

void add_resolve(CommandTable& table) {
  struct Arguments {
    std::vector<std::string> references;
    bool reasons = false;
  };
  const auto given = std::make_shared<Arguments>();
  CLI::App& command = *table.program().add_subcommand(
      "resolve", "Shows the packages that a host would use for references");
  add_common(command, table.options());
  add_lock(command, table.options());
  command
      .add_option("REF", given->references,
                  "Plugin or package: [builtin:|standalone:]name[@version]")
      ->required();
  command.add_flag("--explain", given->reasons,
                   "Shows what requires each package, and why newer versions are not used");
  add_examples(command, {"tenon resolve -a photo me.example/blur@^1.2",
                         "tenon resolve -a photo --explain me.example/blur"});
  table.add_for_app(command, [&table, given] {
    return resolve(table.options(), given->references, given->reasons);
  });
}

void add_lock_command(CommandTable& table) {
  struct Arguments {
    std::string file = default_lock;
    bool check = false;
  };
  const auto given = std::make_shared<Arguments>();
  CLI::App& command = *table.program().add_subcommand(
      "lock", "Writes a lock file, which pins the packages that a host uses");
  add_common(command, table.options());
  command
      .add_option(
          "-o,--output", given->file,
          "File to write or replace, unless it is the lock of another app, or lists modules "
          "and none are found now")
      ->type_name("FILE")
      ->capture_default_str();
  command.add_flag("--check", given->check,
                   "Writes nothing; exit status 1 if the lock file is not the one that would be "
                   "written");
  add_examples(command, {"tenon lock -a photo", "tenon lock -a photo --check"});
  table.add_for_app(command, [&table, given] {
    return command::lock(table.options(), given->file, given->check);
  });
}

/// Throws CLI::ValidationError.
GraphFormat parse_format(const std::string& text) {
  if (text == "dot") return GraphFormat::dot;
  if (text == "svg") return GraphFormat::svg;
  if (text == "mermaid") return GraphFormat::mermaid;
  throw CLI::ValidationError("--format", "found \"" + text + "\", needed dot, svg or mermaid");
}

void add_graph(CommandTable& table) {
  const auto format = std::make_shared<GraphFormat>(GraphFormat::dot);
  CLI::App& command =
      *table.program().add_subcommand("graph", "Draws the packages and their requirements");
  add_common(command, table.options());
  add_lock(command, table.options());
  command
      .add_option_function<std::string>(
          "--format", [format](const std::string& text) { *format = parse_format(text); },
          "Format: dot (Graphviz), mermaid, or svg, which needs the program dot")
      ->type_name("dot|svg|mermaid")
      ->default_str("dot")
      ->excludes(command.get_option("--json"));
  add_examples(command, {"tenon graph -a photo --format mermaid",
                         "tenon graph -a photo --format svg > packages.svg"});
  table.add_for_app(command, [&table, format] { return graph(table.options(), *format); });
}

}  // namespace

void add_listing_commands(CommandTable& table) {
  add_list(table);
  add_explain(table);
  add_resolve(table);
  add_lock_command(table);
  add_graph(table);
}

}  // namespace tenon::command
