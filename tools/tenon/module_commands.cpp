// SPDX-License-Identifier: BSL-1.0
//
// The command lines of inspect, verify, call, abi diff and pack.
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app.hpp"
#include "arguments.hpp"

namespace tenon::command {
namespace {

struct InspectArguments {
  std::string subject;
  std::string system;
  std::vector<std::string> descriptions;
};

void add_inspect_arguments(CLI::App& command, InspectArguments& inspect) {
  command
      .add_option("FILE|REF", inspect.subject,
                  "Module file, or [builtin:|standalone:]name[@version]")
      ->option_text("TEXT REQUIRED");
  command
      .add_option("--for", inspect.system,
                  "Also checks whether the module loads on this system, eg: bookworm, glibc-2.31")
      ->type_name("SYSTEM");
  command
      .add_option("--for-host", inspect.descriptions,
                  "Only says for each description of an app, a directory with app.json, whether "
                  "its host loads the module")
      ->type_name("DESCRIPTION...")
      ->excludes(command.get_option("--app"), command.get_option("--description"),
                 command.get_option("--specs"), command.get_option("--plugin-path"),
                 command.get_option("--for"));
}

/// Takes the last description for the module, which follows the descriptions without an option
/// between them. Throws CLI::RequiredError if there is no module.
void find_subject(InspectArguments& inspect) {
  if (!inspect.subject.empty()) return;
  if (inspect.descriptions.size() < 2) throw CLI::RequiredError("FILE|REF");
  inspect.subject = std::move(inspect.descriptions.back());
  inspect.descriptions.pop_back();
}

void add_inspect(CommandTable& table) {
  const auto given = std::make_shared<InspectArguments>();
  CLI::App& command = *table.program().add_subcommand(
      "inspect", "Checks one module without running its code, and shows its contents");
  add_common(command, table.options());
  add_inspect_arguments(command, *given);
  command.callback([given] { find_subject(*given); });
  add_examples(command, {"tenon inspect libblur.so", "tenon inspect --for bookworm libblur.so",
                         "tenon inspect --for-host photo-5.0 photo-5.1 libblur.so"});
  table.add(command, [&table, given] {
    Options& options = table.options();
    if (!given->descriptions.empty()) {
      return inspect_for_hosts(options, given->subject, given->descriptions);
    }
    return run_for_app(options, [&] { return inspect(options, given->subject, given->system); });
  });
}

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

void add_abi_diff(CommandTable& table) {
  struct Arguments {
    std::string older;
    std::string newer;
  };
  const auto given = std::make_shared<Arguments>();
  CLI::App& abi = *table.program().add_subcommand("abi", "Compares builds and specs");
  abi.require_subcommand(1);
  CLI::App& command = *abi.add_subcommand(
      "diff", "Shows the changes between two builds, and whether the version was raised enough");
  add_app(command, table.options());
  command
      .add_option("OLDER", given->older,
                  "Module file, directory of specs, or version of a kind, eg: tenon.dev/source@1")
      ->required();
  command.add_option("NEWER", given->newer, "The same of the newer build or specs")->required();
  add_json(command, table.options().json);
  add_examples(command, {"tenon abi diff blur-1.2.0.so libblur.so",
                         "tenon abi diff tenon.dev/source@1 tenon.dev/source@2"});
  table.add(command,
            [&table, given] { return abi_diff(table.options(), given->older, given->newer); });
}

void add_pack(CommandTable& table) {
  struct Arguments {
    std::vector<std::string> files;
    std::string output;
  };
  const auto given = std::make_shared<Arguments>();
  CLI::App& command = *table.program().add_subcommand(
      "pack", "Copies builds to DIR/PACKAGE/VERSION/, where hosts find them");
  command.add_option("FILE", given->files, "Module file")->required();
  command
      .add_option("-o,--output", given->output,
                  "Directory of packages. A build is refused if its version was not raised "
                  "enough since the next lower one in it, see abi diff")
      ->type_name("DIR")
      ->required();
  add_json(command, table.options().json);
  add_examples(command, {"tenon pack libblur.so -o packages"});
  table.add(command,
            [&table, given] { return pack(table.options(), given->files, given->output); });
}

}  // namespace

void add_module_commands(CommandTable& table) {
  add_inspect(table);
  add_verify(table);
  add_call(table);
  add_abi_diff(table);
  add_pack(table);
}

}  // namespace tenon::command
