// SPDX-License-Identifier: BSL-1.0
#include "common/command_line.hpp"

#include <algorithm>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/plain_text.hpp"
#include "common/hidden_values.hpp"
#include "common/manual.hpp"

namespace tenon::tools {
namespace {

constexpr int wrong_usage = 2;
constexpr int io_failed = 3;

std::vector<std::string> long_options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> commands_of(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

/// Throws if a word is empty, or is an option with an empty value. Such words come from unset
/// variables of scripts; CLI11 takes the next word as the value of `--app=`.
void refuse_empty_words(int count, const char* const* arguments) {
  const auto refuse = [](const std::string& problem) { throw CLI::ValidationError(problem); };
  bool options_may_follow = true;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    const std::string_view before = arguments[i - 1];
    if (word == "--") options_may_follow = false;
    if (word.empty()) {
      const bool is_value = options_may_follow && before.starts_with('-');
      refuse(is_value ? std::string(before) + ": the value is empty" : "an argument is empty");
    }
    if (options_may_follow && word.starts_with("--") && word.find('=') == word.size() - 1) {
      refuse(std::string(word.substr(0, word.size() - 1)) + ": the value is empty");
    }
  }
}

/// Words the description of `--help` like those of the other options.
void describe_help(CLI::App& program) {
  program.get_help_ptr()->description("Prints this help");
  for (CLI::App* command : program.get_subcommands({})) describe_help(*command);
}

/// Prints the problem with the command line, and the nearest known word.
void print(const CLI::App& program, const CLI::ParseError& error) {
  const auto chosen = program.get_subcommands();
  const CLI::App& command = chosen.empty() ? program : *chosen.front();
  const std::string name = program.get_name() + (chosen.empty() ? "" : " " + command.get_name());
  auto unknown = program.remaining(true);
  std::erase(unknown, "--");
  if (unknown.empty()) {
    std::cerr << name << ": " << escaped_for_display(error.what()) << "\n";
  } else {
    const bool option = unknown.front().starts_with('-');
    const std::string word = unknown.front().substr(0, unknown.front().find('='));
    // An option of the command that is before the command or after "--".
    const bool misplaced = option && command.get_option_no_throw(word) != nullptr;
    std::cerr << name << (misplaced ? ": misplaced " : ": unknown ")
              << (option           ? "option"
                  : chosen.empty() ? "command"
                                   : "word")
              << " " << escaped_for_display(word) << "\n";
    const auto known = option ? long_options_of(command) : commands_of(command);
    const std::string meant = tools::did_you_mean(word, known);
    if (!misplaced && !meant.empty()) std::cerr << meant << "\n";
  }
  std::cerr << "See " << name << " --help.\n";
}

/// Returns the arguments, with `help COMMAND` as `COMMAND --help`.
std::vector<const char*> with_help(int count, const char* const* arguments) {
  std::vector<const char*> words(arguments, arguments + count);
  if (count > 1 && words[1] == std::string_view("help")) {
    words.erase(words.begin() + 1);
    words.push_back("--help");
  }
  return words;
}

/// Returns what `--generate` prints for the build and for shells; nothing if it is not known.
std::optional<std::string> generated(const CLI::App& program, std::string_view what,
                                     const CompletedValues& values) {
  if (what == "manual") return manual_page(program);
  if (what == "bash") return bash_completions(program, values);
  if (what == "zsh") return zsh_completions(program, values);
  if (what == "fish") return fish_completions(program, values);
  const auto completed = values.find(what);
  if (completed == values.end()) return std::nullopt;
  std::string lines;
  for (const std::string& word : completed->second()) lines += word + "\n";
  return lines;
}

int print_text(const CLI::App& program, const std::string& text) {
  std::cout << text;
  if (std::cout.flush()) return 0;
  std::cerr << program.get_name() << ": cannot write to standard output\n";
  return io_failed;
}

}  // namespace

std::optional<int> parse(CLI::App& program, int count, const char* const* arguments,
                         const CompletedValues& values) {
  const std::vector<const char*> words = with_help(count, arguments);
  try {
    refuse_empty_words(count, arguments);
    describe_help(program);
    if (count == 3 && words[1] == std::string_view("--generate")) {
      if (const auto text = generated(program, words[2], values)) return print_text(program, *text);
    }
    program.parse(count, words.data());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      program.exit(error);
      return print_text(program, "");
    }
    print(program, error);
    return wrong_usage;
  }
  return std::nullopt;
}

CLI::Option* add_choice(CLI::App& command, const std::string& name, std::string& value,
                        std::vector<std::string> words, const std::string& description) {
  std::string needed;
  for (const std::string& word : words) needed += (needed.empty() ? "" : "|") + word;
  return command.add_option(name, value, description)
      ->type_name(needed)
      ->check([words = std::move(words), needed](const std::string& text) {
        const bool known = std::ranges::find(words, text) != words.end();
        return known ? "" : "found \"" + text + "\", needed " + needed;
      });
}

void print(const tools::Diagnostics& diagnostics) {
  for (const auto& diagnostic : diagnostics.all()) {
    std::cerr << without_hidden_values(to_text(diagnostic)) << "\n";
  }
}

}  // namespace tenon::tools
