// SPDX-License-Identifier: BSL-1.0
//
// The command line of new.
#include <memory>
#include <string>
#include <vector>

#include "arguments.hpp"

namespace tenon::command {
namespace {

void add_new_arguments(CLI::App& command, NewArguments& arguments) {
  const std::vector<std::string> subjects = {"host", "plugin", "kind"};
  add_choice(command, "WHAT", arguments.subject, subjects,
             "host: a program that uses sources. plugin: a plugin for pipelines. kind: a program "
             "with a kind of plugin of its own, and a plugin")
      ->required();
  command
      .add_option(
          "NAME", arguments.name,
          "Name of a host, eg: photo, or id of a plugin or kind, eg: me.example/numbers; its "
          "last part names the directory")
      ->required();
  command
      .add_option("--kind", arguments.kind,
                  "Kind of a plugin: source or processor; with --sdk one of that SDK, which may be "
                  "left out if it has only one")
      ->type_name("source|processor|KIND")
      ->default_str("source");
  command
      .add_option("--sdk", arguments.sdk,
                  "Directory of the SDK of an app, which tenon_install_sdk or tenon-gen sdk has "
                  "written; the plugin is for this app")
      ->type_name("DIR");
  add_choice(command, "--language", arguments.language, {"c", "c++", "rust"},
             "Language of the plugin; the host of a kind is in C++")
      ->default_str("c++");
  add_choice(command, "--build", arguments.build, {"cmake", "meson"}, "Build system")
      ->capture_default_str();
}

}  // namespace

void add_project_commands(CommandTable& table) {
  const auto given = std::make_shared<NewArguments>();
  CLI::App& command = *table.program().add_subcommand(
      "new", "Makes a directory with the project of a host, a plugin or a kind of plugins");
  add_new_arguments(command, *given);
  add_examples(command, {"tenon new plugin me.example/numbers",
                         "tenon new plugin me.example/shout --kind processor --language rust",
                         "tenon new plugin me.example/blur --sdk photo-sdk --kind filter",
                         "tenon new kind photo.example/filter --language rust --build meson"});
  table.add(command, [given] { return make_project(*given); });
}

}  // namespace tenon::command
