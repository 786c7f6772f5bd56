// SPDX-License-Identifier: BSL-1.0
#include "common/manual.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

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

/// Returns the names of an option with their dashes, or the name of an argument.
std::vector<std::string> names_of(const CLI::Option& option) {
  if (option.get_positional()) return {option.get_name(true)};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

/// Returns the name of the value of an option; empty if it takes none.
std::string value_of(const CLI::Option& option) {
  if (option.get_positional() || option.get_expected_max() == 0) return {};
  return option.get_option_text().empty() ? option.get_type_name() : option.get_option_text();
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  auto options = command.get_options();
  std::erase_if(options, [](const CLI::Option* option) { return option->get_group().empty(); });
  return options;
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

/// Adds a branch for a command and the commands below it: the words that may follow.
void write_words(std::string& script, const CLI::App& command, const std::string& path) {
  std::string words;
  for (const CLI::App* inner : command.get_subcommands({})) words += " " + inner->get_name();
  for (const CLI::Option* option : options_of(command)) {
    if (option->get_positional()) continue;
    for (const std::string& name : names_of(*option)) words += " " + name;
  }
  script += "    '" + path + "') words='" + words.substr(words.empty() ? 0 : 1) + "' ;;\n";
  for (const CLI::App* inner : command.get_subcommands({})) {
    write_words(script, *inner, path + " " + inner->get_name());
  }
}

void write_paths(std::string& script, const CLI::App& command, const std::string& path) {
  for (const CLI::App* inner : command.get_subcommands({})) {
    const std::string longer = path + " " + inner->get_name();
    script += (script.empty() ? "'" : " | '") + longer + "'";
    write_paths(script, *inner, longer);
  }
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

std::string bash_completions(const CLI::App& program) {
  const std::string& name = program.get_name();
  std::string function = "_" + name;
  std::ranges::replace(function, '-', '_');
  std::string paths;
  write_paths(paths, program, "");
  std::string script = "# Completions of " + name + " for bash.\n" + function + "() {\n" +
                       "  local path= words= i\n"
                       "  for ((i = 1; i < COMP_CWORD; i += 1)); do\n"
                       "    case \"$path ${COMP_WORDS[i]}\" in\n"
                       "    " +
                       (paths.empty() ? "''" : paths) +
                       ") path+=\" ${COMP_WORDS[i]}\" ;;\n"
                       "    esac\n"
                       "  done\n"
                       "  case $path in\n";
  write_words(script, program, "");
  return script +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
         "}\n"
         "complete -o default -F " +
         function + " " + name + "\n";
}

}  // namespace tenon::tools
