// SPDX-License-Identifier: BSL-1.0
//
// The command line of `tenon`: the commands by subject, and the options that several of them have.
#pragma once

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "common/command_line.hpp"

namespace tenon::command {

using tools::add_choice;

/// The commands that a command line may have, and the values of their options.
class CommandTable {
 public:
  explicit CommandTable(CLI::App& program) : program_(program) {}

  CLI::App& program() { return program_; }
  /// The options that all commands share. They live as long as this object.
  Options& options() { return options_; }

  /// Adds the function of a command, which runs if this command was given.
  void add(CLI::App& command, std::function<Exit()> run);
  /// As `add`, for a function that needs the description of the app, which is loaded before it.
  void add_for_app(CLI::App& command, std::function<Exit()> run);

  /// Runs the command that was given. REQUIRED: the command line was parsed.
  Exit run() const;

 private:
  struct Command {
    CLI::App* parser;
    std::function<Exit()> run;
  };

  CLI::App& program_;
  std::string color_;
  Options options_;
  std::vector<Command> commands_;
};

/// Loads the description of the app, and runs a function for it.
Exit run_for_app(Options& options, const std::function<Exit()>& run);

/// Adds the commands that this system has.
void add_commands(CommandTable& table);

void add_listing_commands(CommandTable& table);
void add_module_commands(CommandTable& table);
void add_verify_command(CommandTable& table);
void add_call_command(CommandTable& table);
void add_build_commands(CommandTable& table);
void add_document_commands(CommandTable& table);
void add_project_commands(CommandTable& table);
void add_host_commands(CommandTable& table);
void add_settings_commands(CommandTable& table);

/// Adds the options that select an app.
void add_app(CLI::App& command, Options& options);
void add_json(CLI::App& command, bool& json);
/// Adds the options of a command that creates a host of the app.
void add_common(CLI::App& command, Options& options);
void add_lock(CLI::App& command, Options& options);
/// Add an option, or --timeout, for a time from one millisecond to one day. `initial` is its value
/// without the option; 0: there is none.
void add_time(CLI::App& command, const std::string& name, std::chrono::milliseconds& time,
              std::chrono::milliseconds initial, const std::string& description);
void add_timeout(CLI::App& command, std::chrono::milliseconds& timeout,
                 std::chrono::milliseconds initial, const std::string& description);
/// Returns a check that the value of an option is a whole number in a range.
std::function<std::string(const std::string&)> in_range(std::uint64_t least, std::uint64_t most);

/// Ends the help of a command with examples of its use: whole command lines. The text that it
/// inherits from the program is left out.
void add_examples(CLI::App& command, const std::vector<std::string>& lines);

}  // namespace tenon::command
