// SPDX-License-Identifier: BSL-1.0
//
// The command lines of types and convert.
#include <memory>

#include "arguments.hpp"

namespace tenon::command {
namespace {

void add_types(CommandTable& table) {
  CLI::App& command =
      *table.program().add_subcommand("types", "Lists the document types and their versions");
  add_app(command, table.options());
  add_json(command, table.options().json);
  add_examples(command, {"tenon types", "tenon types -a photo"});
  table.add_for_app(command, [&table] { return types(table.options()); });
}

void add_convert_arguments(CLI::App& command, ConvertArguments& arguments) {
  command.add_option("--type", arguments.type,
                     "Type of documents that do not name it, eg: tenon.dev/record");
  command.add_option("--from", arguments.from, "Version of documents that do not name it");
  command.add_option("--to", arguments.to,
                     "Version to convert to; default: the one that `tenon types` shows as "
                     "stored");
  command.add_flag("--lenient", arguments.lenient,
                   "Keeps fields and versions that are unknown, instead of refusing the document");
  CLI::Option* in_place =
      command.add_flag("--in-place", arguments.in_place,
                       "Replaces FILE, or all *.json and *.jsonl below a directory");
  CLI::Option* file = command.add_option(
      "FILE", arguments.file,
      "One document, or one on each line, of at most 64 MB each; default: standard input");
  in_place->needs(file);
}

void add_convert(CommandTable& table) {
  const auto given = std::make_shared<ConvertArguments>();
  CLI::App& command = *table.program().add_subcommand(
      "convert", "Converts documents between versions of their type");
  add_app(command, table.options());
  add_convert_arguments(command, *given);
  add_examples(command,
               {"tenon convert --to 2 record.json", "tenon convert -a photo --in-place documents"});
  table.add_for_app(command, [&table, given] { return convert(table.options(), *given); });
}

}  // namespace

void add_document_commands(CommandTable& table) {
  add_types(table);
  add_convert(table);
}

}  // namespace tenon::command
