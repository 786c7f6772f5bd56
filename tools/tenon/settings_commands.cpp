// SPDX-License-Identifier: BSL-1.0
//
// The command lines of disable, enable, pin and unpin.
#include <memory>
#include <string>
#include <vector>

#include "arguments.hpp"

namespace tenon::command {
namespace {

struct SettingsCommand {
  const char* name;
  const char* description;
  SettingsChange change;
  const char* argument;
  const char* argument_description;
  std::vector<std::string> examples;
};

void add(CommandTable& table, const SettingsCommand& one) {
  const auto given = std::make_shared<std::string>();
  CLI::App& command = *table.program().add_subcommand(one.name, one.description);
  add_common(command, table.options());
  command.add_option(one.argument, *given, one.argument_description)->required();
  command.footer(
      "Changes $XDG_CONFIG_HOME/tenon/APP.json, otherwise ~/.config/tenon/APP.json. Hosts read it "
      "with each scan; see tenon rescan.");
  add_examples(command, one.examples);
  table.add_for_app(command, [&table, given, change = one.change] {
    return change_settings(table.options(), change, *given);
  });
}

}  // namespace

void add_settings_commands(CommandTable& table) {
  add(table, {"disable",
              "Switches a package off for the hosts of an app",
              SettingsChange::disable,
              "PACKAGE",
              "Package",
              {"tenon disable -a photo me.example/blur"}});
  add(table, {"enable",
              "Switches a package on again",
              SettingsChange::enable,
              "PACKAGE",
              "Package",
              {"tenon enable -a photo me.example/blur"}});
  add(table, {"pin",
              "Lets the hosts of an app use one version of a package only",
              SettingsChange::pin,
              "PACKAGE[@VERSION]",
              "Package; without a version, the one that is used now",
              {"tenon pin -a photo me.example/blur", "tenon pin -a photo me.example/blur@1.2.0"}});
  add(table, {"unpin",
              "Lets the hosts of an app use all versions of a package again",
              SettingsChange::unpin,
              "PACKAGE",
              "Package",
              {"tenon unpin -a photo me.example/blur"}});
}

}  // namespace tenon::command
