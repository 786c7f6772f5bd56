// SPDX-License-Identifier: BSL-1.0
#include "common/visibility.hpp"

#include <CLI/CLI.hpp>

#include "platform/utf8_path.hpp"

namespace tenon::tools {

void Visibility::print_warnings(const Host& host, Console& console) const {
  if (!control && trace_file.empty()) return;
  for (const Error& problem : host.problems()) {
    if (problem.severity() == Severity::warning) console.say(problem.to_string());
  }
}

void add_visibility(CLI::App& command, Visibility& visibility) {
  command.add_flag("--control", visibility.control,
                   "Lets `tenon ps`, `status` and `restart` see and change the run");
  command
      .add_option_function<std::string>(
          "--trace",
          [&visibility](const std::string& file) {
            visibility.trace_file = platform::path_from(file);
          },
          "File for a trace of loads, restarts and calls, which Perfetto opens")
      ->type_name("FILE");
}

}  // namespace tenon::tools
