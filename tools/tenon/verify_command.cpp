// SPDX-License-Identifier: BSL-1.0
//
// The command line of verify, which runs code of plugins.
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>

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

}  // namespace

void add_verify_command(CommandTable& table) {
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

}  // namespace tenon::command
