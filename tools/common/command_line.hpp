// SPDX-License-Identifier: BSL-1.0
//
// Messages about wrong command lines and files.
#pragma once

#include "reading/findings.hpp"

#include <CLI/CLI.hpp>

namespace tenon::tools {

/// Prints findings on standard error.
void print(const reading::Findings& findings);

/// Prints on standard error why a command line cannot be used.
void print(const CLI::App& program, const CLI::ParseError& error);

}  // namespace tenon::tools
