// SPDX-License-Identifier: BSL-1.0
//
// Writes scripts with which shells complete the command line of a program: its commands, its
// options, their values and the names of files.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tenon::tools {

/// The values that can be completed, by the name that an argument or the value of an option has in
/// the help, eg: "CODE". The scripts ask the program for them, with `--generate CODE`.
using CompletedValues =
    std::map<std::string, std::function<std::vector<std::string>()>, std::less<>>;

std::string bash_completions(const CLI::App& program, const CompletedValues& values);
std::string zsh_completions(const CLI::App& program, const CompletedValues& values);
std::string fish_completions(const CLI::App& program, const CompletedValues& values);

}  // namespace tenon::tools
