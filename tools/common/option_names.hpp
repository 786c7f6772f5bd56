// SPDX-License-Identifier: BSL-1.0
//
// The options of a command, as its manual page and the completions of shells name them.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tenon::tools {

/// Returns the names of an option with their dashes, or the name of an argument.
std::vector<std::string> names_of(const CLI::Option& option);

/// Returns the name of the value of an option; empty if it takes none.
std::string value_of(const CLI::Option& option);

/// Returns the options and arguments of a command, except hidden ones.
std::vector<const CLI::Option*> options_of(const CLI::App& command);

}  // namespace tenon::tools
