// SPDX-License-Identifier: BSL-1.0
//
// Writes the manual page of a program from its options.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace tenon::tools {

/// Returns a page for man(1).
std::string manual_page(const CLI::App& program);

}  // namespace tenon::tools
