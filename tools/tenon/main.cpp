// SPDX-License-Identifier: BSL-1.0
//
// tenon: shows installed plugins, their problems, and which versions are compatible.
#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "base/plain_text.hpp"
#include "common/command_line.hpp"
#include "completed_values.hpp"
#include "platform/program.hpp"

namespace {

using namespace tenon::command;

int run(const std::vector<const char*>& arguments) {
  CLI::App program(
      "Shows plugins, packages and running hosts, checks modules, converts documents, and makes\n"
      "projects. Only verify and call run code of a plugin.",
      "tenon");
  program.footer("Exit status: 0 success, 1 problem found, 2 usage error, 3 I/O error.");
  program.set_version_flag("--version", TENON_VERSION, "Prints the version");
  program.require_subcommand(1);
  program.allow_windows_style_options(false);  // "/" begins a path on all systems
  CommandTable table(program);
  add_commands(table);
  if (const auto exit = tenon::tools::parse(program, static_cast<int>(arguments.size()),
                                            arguments.data(), completed_values())) {
    return *exit;
  }
  const Exit exit = table.run();
  if (std::cout.flush()) return exit;
  std::cerr << "tenon: cannot write to standard output\n";
  return io_error;
}

}  // namespace

int main(int count, char** arguments) {
  tenon::platform::hold_standard_streams();
  try {
    const auto texts = tenon::platform::program_arguments(count, arguments);
    std::vector<const char*> words;
    for (const std::string& text : texts) words.push_back(text.c_str());
    return run(words);
  } catch (const std::exception& error) {
    std::cerr << "tenon: " << tenon::escaped_for_display(error.what()) << "\n";
    return io_error;
  }
}
