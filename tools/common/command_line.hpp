// SPDX-License-Identifier: BSL-1.0
//
// Parses command lines and prints what is wrong with them.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include "common/completions.hpp"
#include "common/diagnostics.hpp"

namespace tenon::tools {

/// Parses a command line. Returns the exit status if the program must end: 0 after --help and
/// --version, 3 if their output cannot be written, 2 if the command line is wrong. In the last case
/// the problem and the nearest known word are printed on standard error. `help COMMAND` means
/// `COMMAND --help`. For the build, `--generate manual` prints the manual page, and `--generate`
/// with bash, fish or zsh the completions for this shell. `values` are those that shells complete.
std::optional<int> parse(CLI::App& program, int count, const char* const* arguments,
                         const CompletedValues& values = {});

/// Adds an option or argument whose value is one of the words.
CLI::Option* add_choice(CLI::App& command, const std::string& name, std::string& value,
                        std::vector<std::string> words, const std::string& description);

/// Prints the diagnostics on standard error.
void print(const tools::Diagnostics& diagnostics);

}  // namespace tenon::tools
