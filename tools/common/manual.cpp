// SPDX-License-Identifier: BSL-1.0
#include "common/manual.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "common/option_names.hpp"

namespace tenon::tools {
namespace {

/// Returns a text for troff.
std::string escaped(std::string_view text) {
  std::string result;
  bool at_start = true;
  for (const char letter : text) {
    if (at_start && (letter == '.' || letter == '\'')) result += "\\&";
    if (letter == '\\') {
      result += "\\e";
    } else if (letter == '-') {
      result += "\\-";
    } else {
      result += letter;
    }
    at_start = letter == '\n';
  }
  return result;
}

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  });
  return text;
}

void write_option(std::string& page, const CLI::Option& option) {
  page += ".TP\n";
  std::string names;
  for (const std::string& name : names_of(option)) {
    names += (names.empty() ? "\\fB" : ", \\fB") + escaped(name) + "\\fR";
  }
  const std::string value = value_of(option);
  page += names + (value.empty() ? "" : " \\fI" + escaped(value) + "\\fR") + "\n";
  page += escaped(option.get_description()) + "\n";
}

void write_usage(std::string& page, const CLI::App& command, const std::string& path) {
  page += ".B " + escaped(path) + "\n";
  const bool has_commands = !command.get_subcommands({}).empty();
  std::string arguments = "[\\fIOPTION\\fR]...";
  if (has_commands) arguments += " \\fICOMMAND\\fR";
  for (const CLI::Option* option : options_of(command)) {
    if (!option->get_positional()) continue;
    const std::string name = "\\fI" + escaped(option->get_name(true)) + "\\fR" +
                             (option->get_expected_max() > 1 ? "..." : "");
    arguments += option->get_required() ? " " + name : " [" + name + "]";
  }
  page += arguments + "\n";
}

void write_command(std::string& page, const CLI::App& command, const std::string& path) {
  page += ".SS " + escaped(path) + "\n" + escaped(command.get_description()) + "\n.PP\n";
  write_usage(page, command, path);
  for (const CLI::Option* option : options_of(command)) write_option(page, *option);
  // A command inherits the text of its program, unless it has its own.
  if (command.get_footer() != command.get_parent()->get_footer()) {
    page += ".PP\n" + escaped(command.get_footer()) + "\n";
  }
  for (const CLI::App* inner : command.get_subcommands({})) {
    write_command(page, *inner, path + " " + inner->get_name());
  }
}

/// Returns the first line of a text without the full stop at its end.
std::string summary_of(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  if (line.ends_with('.')) line.pop_back();
  return line;
}

}  // namespace

std::string manual_page(const CLI::App& program) {
  const std::string& name = program.get_name();
  std::string page = ".TH " + upper_case(escaped(name)) + " 1 \"\" \"tenon " + program.version() +
                     "\" \"User Commands\"\n";
  page += ".SH NAME\n" + escaped(name) + " \\- " + escaped(summary_of(program.get_description())) +
          "\n.SH SYNOPSIS\n";
  write_usage(page, program, name);
  page += ".SH DESCRIPTION\n" + escaped(program.get_description()) + "\n.SH OPTIONS\n";
  for (const CLI::Option* option : options_of(program)) write_option(page, *option);
  if (!program.get_subcommands({}).empty()) page += ".SH COMMANDS\n";
  for (const CLI::App* command : program.get_subcommands({})) {
    write_command(page, *command, name + " " + command->get_name());
  }
  if (!program.get_footer().empty()) page += ".SH NOTES\n" + escaped(program.get_footer()) + "\n";
  return page;
}

}  // namespace tenon::tools
