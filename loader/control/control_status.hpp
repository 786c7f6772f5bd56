// SPDX-License-Identifier: BSL-1.0
//
// The state of a host as control clients see it.
#pragma once

#include <tenon/detail/json.hpp>
#include <tenon/module_info.hpp>
#include <tenon/plugin_info.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "control/control_events.hpp"
#include "control/control_server.hpp"
#include "control/figure_table.hpp"
#include "restart/restart_step.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// What `status` reports.
struct ControlStatus {
  std::string host;  // the name of the socket
  std::string app;
  std::chrono::milliseconds uptime{0};
  bool counts_calls = false;
  std::vector<ModuleInfo> modules;
  /// Of the restarts in progress, by package@version.
  std::map<std::string, RestartStep> restart_steps;
  std::vector<PluginInfo> plugins;
  std::vector<Error> problems;
  ControlCounts clients;
  std::vector<FigureTable::Value> figures;
  /// The problems of parts of the program; empty for those that work.
  std::map<std::string, std::string, std::less<>> health;
};

/// Writes one value.
void write_status(json::Writer& out, const ControlStatus& status, const ControlEvents& events);

}}}  // namespace tenon::v0_1::detail
