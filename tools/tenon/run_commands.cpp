// SPDX-License-Identifier: BSL-1.0
//
// The command lines of verify and call, which run code of plugins.
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "app.hpp"
#include "arguments.hpp"

namespace tenon::command {
namespace {

void add_verify_arguments(CLI::App& command, Options& options, VerifyArguments& verify) {
  command
      .add_option("FILE", verify.files,
                  "Module file, or a directory of them: DIR/*.so, DIR/*/*.so and DIR/*/*/*.so")
      ->required();
  add_app(command, options);
  command
      .add_option("--config", verify.configs,
                  "JSON file with configurations of the plugins: [{\"kind\": \"tenon.dev/source\", "
                  "\"plugin\": \"me.example/numbers\", \"config\": {}}]")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command.add_flag("--yes", verify.may_change_data,
                   "Also calls methods that may change data with generated requests: those of "
                   "destinations, object stores, volume snapshotters and item actions");
  command.add_option("--seed", verify.seed, "Number that repeats the generated requests of a run")
      ->type_name("NUMBER")
      ->check(in_range(0, std::numeric_limits<std::uint64_t>::max()));
  command.add_flag("--in-process", verify.in_process,
                   "Runs the cases of one module in this process, without limits, for a debugger");
  add_timeout(command, verify.timeout, std::chrono::seconds(10),
              "Time limit of each case, eg: 500ms");
  add_json(command, options.json);
  command.footer(
      "Each case runs in a child process, in an empty directory. Packages that the module requires "
      "are searched in the directories of $TENON_CONFORMANCE_PLUGIN_PATH.");
  add_examples(command, {"tenon verify numbers.so", "tenon verify --config numbers.json numbers.so",
                         "tenon verify --specs kinds build/plugins",
                         "tenon verify --in-process numbers.so"});
}

void add_verify(CommandTable& table) {
  const auto given = std::make_shared<VerifyArguments>();
  CLI::App& command = *table.program().add_subcommand(
      "verify",
      "Tests modules against the rules for all modules and those of the standard kinds, and calls "
      "their methods; runs their code in child processes");
  add_verify_arguments(command, table.options(), *given);
  // The conformance kit has a host with the standard kinds, also if the app has others.
  table.add(command, [&table, given] {
    const Exit loaded = load_app(table.options());
    return loaded == success ? verify(table.options(), *given) : loaded;
  });
}

void add_call_arguments(CLI::App& command, Options& options, CallArguments& call) {
  command.add_option("FILE", call.file, "Module file")->required();
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

void add_call(CommandTable& table) {
  const auto given = std::make_shared<CallArguments>();
  CLI::App& command = *table.program().add_subcommand(
      "call", "Calls one method of a plugin; runs its code in a child process");
  add_call_arguments(command, table.options(), *given);
  table.add_for_app(command, [&table, given] {
    move_words(*given);
    return call(table.options(), *given);
  });
}

}  // namespace

void add_run_commands(CommandTable& table) {
  add_verify(table);
  add_call(table);
}

}  // namespace tenon::command
