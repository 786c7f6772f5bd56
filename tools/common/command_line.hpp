// SPDX-License-Identifier: BSL-1.0
//
// Command lines, and messages about what people wrote wrong.
#pragma once

#include "common/findings.hpp"

#include <CLI/CLI.hpp>

#include <optional>

namespace tenon::tools {

/// Parses a command line. Returns the exit status if the program must end: 0 after --help and
/// --version; 2 if the command line is wrong, and then prints on standard error what is wrong and
/// which word may be meant.
std::optional<int> parse(CLI::App& program, int count, const char* const* arguments);

/// Prints findings on standard error.
void print(const reading::Findings& findings);

}  // namespace tenon::tools
