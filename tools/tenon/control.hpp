// SPDX-License-Identifier: BSL-1.0
//
// The commands for running hosts.
#pragma once

#include <chrono>
#include <string>

#include "commands.hpp"

namespace tenon::command {

/// The arguments of these commands; empty if not given.
struct ControlArguments {
  /// The number of a process, eg: "1234", or one of its hosts, eg: "1234.2".
  std::string host;
  std::string package;
  std::string level;
  std::string counting;  // "on" or "off"
  std::chrono::milliseconds timeout{5'000};
  bool json = false;
  bool metrics = false;
  bool follow = false;
  std::chrono::milliseconds interval{1'000};  // between two looks
  std::string file;                           // of a trace
  std::chrono::milliseconds lasts{0};         // of a trace; 0: until it is ended
  int tables = 0;                             // of top; 0: until the host ends
};

/// Lists the running hosts of this user.
Exit list_hosts(const ControlArguments& arguments);
/// Shows the state of a host: as text, as JSON, or in the text format of Prometheus.
Exit show_host(const ControlArguments& arguments);
/// Restarts one package of a host, or all that are loaded.
Exit restart_in_host(const ControlArguments& arguments);
/// Ends the quarantine of a package.
Exit release_in_host(const ControlArguments& arguments);
/// Makes a host scan its directories again.
Exit rescan_host(const ControlArguments& arguments);
/// Sets the log level of a host.
Exit set_log_level(const ControlArguments& arguments);
/// Makes a host count calls, or end that.
Exit count_calls(const ControlArguments& arguments);
/// Shows the calls of each method of a host, again and again.
Exit show_top(const ControlArguments& arguments);
/// Shows the last events of a host, and those that follow if wanted.
Exit show_events(const ControlArguments& arguments);

/// Writes a trace of a host into a file, until it is ended.
Exit record_trace(const ControlArguments& arguments);

}  // namespace tenon::command
