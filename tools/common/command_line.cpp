// SPDX-License-Identifier: BSL-1.0
#include "command_line.hpp"

#include "base/plain_text.hpp"

#include <iostream>

namespace tenon::tools {

void print(const reading::Findings& findings) {
  for (const auto& finding : findings.all()) std::cerr << to_text(finding) << "\n";
}

void print(const CLI::App& program, const CLI::ParseError& error) {
  const auto unknown = program.remaining(true);
  std::cerr << program.get_name() << ": "
            << harmless(unknown.empty() ? error.what() : "what is " + unknown.front() + "?")
            << "\nSee " << program.get_name() << " --help.\n";
}

}  // namespace tenon::tools
