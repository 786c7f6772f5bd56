// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include "commands.hpp"

namespace tenon::command {

/// Runs Graphviz on a drawing in its language, and writes SVG to standard output.
Exit print_svg(const std::string& dot);

}  // namespace tenon::command
