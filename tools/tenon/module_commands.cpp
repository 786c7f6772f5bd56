// SPDX-License-Identifier: BSL-1.0
//
// The command lines of inspect, abi diff and pack.
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
}

void add_build_commands(CommandTable& table) {
  add_abi_diff(table);
  add_pack(table);
}

}  // namespace tenon::command
