// SPDX-License-Identifier: BSL-1.0
//
// Writes the manual page of a program, and completions of its command line for bash, from its
// options.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace tenon::tools {

/// Returns a page for man(1).
std::string manual_page(const CLI::App& program);

/// Returns a script for bash that completes the commands and options of a program, and the names of
/// files.
std::string bash_completions(const CLI::App& program);

}  // namespace tenon::tools
