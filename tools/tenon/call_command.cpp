// SPDX-License-Identifier: BSL-1.0
//
// The command line of call, which runs code of a plugin.
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "app.hpp"
#include "arguments.hpp"

namespace tenon::command {
namespace {

/// Throws CLI::ArgumentMismatch if fewer words follow FILE than a call needs. CLI11 takes the first
/// of them as the plugin, and would name another one as missing.
void refuse_missing_words(const CLI::App& command) {
  if (command.count("METHOD") != 0 || command.get_help_ptr()->count() != 0) return;
  const auto words = command.get_option("[PLUGIN]")->results();
  const bool has_request = !words.empty() && words.front().starts_with('{');
  throw CLI::ArgumentMismatch(
      std::string(words.empty() ? "METHOD and JSON are"
                  : has_request ? "METHOD is"
                                : "JSON is") +
      " missing: found FILE" + (words.empty() ? "" : " '" + words.front() + "'") +
      ", needed FILE [PLUGIN] METHOD JSON; add " +
      (has_request ? "the method before the request" : "the request of the method, such as {}"));
}

void add_call_arguments(CLI::App& command, Options& options, CallArguments& call) {
  command.add_option("FILE", call.file, "Module file")
      ->required()
      ->each([&command](const std::string&) { refuse_missing_words(command); });
  command
      .add_option("[PLUGIN]", call.plugin,
                  "Registered name; needed if the module has several plugins with this method")
      ->option_text("TEXT")
      ->required();
  command.add_option("METHOD", call.method, "Method of the plugin's kind")->required();
  command
      .add_option("JSON", call.request,
                  "Request: an object with the fields of the method, eg: {\"text\": \"hello\"}")
      ->option_text("TEXT REQUIRED");
  command.add_option("--kind", call.kind,
                     "Kind of the plugin, eg: tenon.dev/source; needed if plugins of several kinds "
                     "have this name and method");
  command
      .add_option(
          "--config", call.configs,
          "Configuration of the plugin: KEY=VALUE, or a JSON object in which a value may be "
          "${NAME} or {\"file\": \"PATH\"}")
      ->type_name("CONFIG")
      ->allow_extra_args(false);
  add_app(command, options);
  add_timeout(command, call.timeout, std::chrono::seconds(10),
              "Deadline of each call, eg: 500ms; the process is killed 5 s after the last one");
  command.footer(
      "Prints the response as JSON, with bytes in base64 and times in nanoseconds. The plugin is "
      "configured first, and brought to a state in which the method may be called.");
  add_examples(command,
               {R"(tenon call numbers.so --config last=50 read_batch '{"max": 10}')",
                R"(tenon call numbers.so --config '{"last": "${LAST}"}' me.example/numbers )"
                R"(read_batch '{"max": 10}')"});
}

/// Moves the words to the left if the first of them, the plugin, was left out.
void move_words(CallArguments& call) {
  if (!call.request.empty()) return;
  call.request = std::move(call.method);
  call.method = std::exchange(call.plugin, {});
}

}  // namespace

void add_call_command(CommandTable& table) {
  const auto given = std::make_shared<CallArguments>();
  CLI::App& command = *table.program().add_subcommand(
      "call", "Calls one method of a plugin; runs its code in a child process");
  add_call_arguments(command, table.options(), *given);
  table.add_for_app(command, [&table, given] {
    move_words(*given);
    return call(table.options(), *given);
  });
}

}  // namespace tenon::command
