// SPDX-License-Identifier: BSL-1.0
//
// What our hosts show of a run to other programs, and the options for that.
#pragma once

#include <tenon/host.hpp>

#include <filesystem>

#include "common/console.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace tenon::tools {

/// See HostOptions.
struct Visibility {
  bool control = false;
  std::filesystem::path trace_file{};

  /// Prints the warnings of a host with these options, such as a socket that cannot be created.
  void print_warnings(const Host& host, Console& console) const;
};

/// Adds --control and --trace.
void add_visibility(CLI::App& command, Visibility& visibility);

}  // namespace tenon::tools
