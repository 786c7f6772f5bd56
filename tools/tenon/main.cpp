// SPDX-License-Identifier: BSL-1.0
//
// tenon: shows installed plugins, their problems, and which versions are compatible.
#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>

#include "arguments.hpp"
#include "base/plain_text.hpp"
#include "common/command_line.hpp"
#include "common/descriptor.hpp"
#include "completed_values.hpp"

namespace {

using namespace tenon::command;

int run(int count, char** arguments) {
  CLI::App program(
      "Shows plugins, packages and running hosts, checks modules, converts documents, and makes\n"
      "projects. Only verify and call run code of a plugin.",
      "tenon");
  program.footer("Exit status: 0 success, 1 problem found, 2 usage error, 3 I/O error.");
  program.set_version_flag("--version", TENON_VERSION, "Prints the version");
  program.require_subcommand(1);
  CommandTable table(program);
  add_listing_commands(table);
  add_module_commands(table);
  add_document_commands(table);
  add_project_commands(table);
  add_host_commands(table);
  add_settings_commands(table);
  if (const auto exit = tenon::tools::parse(program, count, arguments, completed_values())) {
    return *exit;
  }
  const Exit exit = table.run();
  if (std::cout.flush()) return exit;
  std::cerr << "tenon: cannot write to standard output\n";
  return io_error;
}

}  // namespace

int main(int count, char** arguments) {
  tenon::tools::hold_standard_streams();
  try {
    return run(count, arguments);
  } catch (const std::exception& error) {
    std::cerr << "tenon: " << tenon::escaped_for_display(error.what()) << "\n";
    return io_error;
  }
}
