// SPDX-License-Identifier: BSL-1.0
#include "control/control_status.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "control/control_messages.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

using Plugins = std::multimap<std::pair<std::string_view, std::string_view>, const PluginInfo*>;

void write_counts(json::Writer& out, const CallCounts& counts) {
  write_member(out, "calls", counts.calls);
  write_member(out, "failures", counts.failures);
  write_member(out, "in_flight", counts.in_flight);
}

std::uint64_t nanoseconds(std::chrono::nanoseconds time) {
  return static_cast<std::uint64_t>(time.count());
}

void write_times(json::Writer& out, const MethodCalls& method) {
  if (method.timed.empty()) return;
  write_member(out, "median_ns", nanoseconds(method.time_of(0.5)));
  write_member(out, "p99_ns", nanoseconds(method.time_of(0.99)));
  write_member(out, "timed_ns", nanoseconds(method.timed_sum));
  out.key("timed");
  out.begin_array();
  for (const TimedCalls& timed : method.timed) {
    out.begin_object();
    write_member(out, "below_ns", nanoseconds(timed.below));
    write_member(out, "calls", timed.calls);
    out.end_object();
  }
  out.end_array();
}

void write_methods(json::Writer& out, const ModuleInfo& module) {
  out.key("methods");
  out.begin_array();
  for (const MethodCalls& method : module.methods) {
    out.begin_object();
    write_member(out, "plugin", method.plugin);
    write_member(out, "method", method.method);
    write_counts(out, method);
    write_times(out, method);
    out.end_object();
  }
  out.end_array();
}

void write_plugins(json::Writer& out, const ModuleInfo& module, const Plugins& plugins) {
  out.key("plugins");
  out.begin_array();
  const auto [begin, end] = plugins.equal_range({module.package, module.package_version});
  for (auto at = begin; at != end; ++at) {
    out.begin_object();
    write_member(out, "name", at->second->name());
    write_member(out, "kind", at->second->kind());
    out.key("version");
    out.number(static_cast<std::int64_t>(at->second->version()));
    out.end_object();
  }
  out.end_array();
}

void write_history(json::Writer& out, const ModuleHistory& history) {
  write_member(out, "restarts", history.count(Event::Type::restarted));
  write_member(out, "failed_restarts", history.count(Event::Type::restart_failed));
  write_member(out, "faults", history.count(Event::Type::faulted));
  write_member(out, "last_failure", history.last_failure);
  write_member(out, "last_load_us", microseconds(history.load_time));
  write_member(out, "last_calls_waited_us", microseconds(history.calls_waited));
}

void write_step(json::Writer& out, const RestartStep& step) {
  out.key("restarting");
  out.begin_object();
  write_member(out, "step", step.step);
  write_member(out, "plugin", step.plugin);
  write_member(out, "time_us", microseconds(step.time));
  out.end_object();
}

void write_module(json::Writer& out, const ControlStatus& status, const ModuleInfo& module,
                  const Plugins& plugins, const ControlEvents& events) {
  out.begin_object();
  write_member(out, "package", module.package);
  write_member(out, "package_version", module.package_version);
  write_member(out, "file", module.file.string());
  write_member(out, "loaded", module.loaded);
  write_member(out, "generation", module.generation);
  write_member(out, "instances", std::uint64_t{module.instances});
  write_member(out, "draining", std::uint64_t{module.draining_generations});
  write_member(out, "still_mapped", std::uint64_t{module.still_mapped});
  write_member(out, "quarantined", module.quarantined);
  const auto step = status.restart_steps.find(module.package + "@" + module.package_version);
  if (step != status.restart_steps.end()) write_step(out, step->second);
  write_history(out, events.history(module.package, module.package_version));
  out.key("calls");
  out.begin_object();
  write_counts(out, module.calls);
  out.end_object();
  write_methods(out, module);
  write_plugins(out, module, plugins);
  out.end_object();
}

void write_clients(json::Writer& out, const ControlCounts& clients) {
  out.key("clients");
  out.begin_object();
  write_member(out, "accepted", clients.accepted);
  write_member(out, "refused", clients.refused);
  write_member(out, "foreign", clients.foreign);
  write_member(out, "malformed", clients.malformed);
  write_member(out, "silent", clients.silent);
  write_member(out, "slow", clients.slow);
  write_member(out, "events_lost", clients.events_lost);
  out.end_object();
}

void write_figures(json::Writer& out, const std::vector<FigureTable::Value>& figures) {
  out.key("figures");
  out.begin_array();
  for (const auto& [info, value] : figures) {
    out.begin_object();
    write_member(out, "part", info.part);
    write_member(out, "name", info.name);
    write_member(out, "unit", info.unit);
    write_member(out, "total", info.total);
    out.key("value");
    out.number(value);
    out.end_object();
  }
  out.end_array();
}

void write_health(json::Writer& out, const ControlStatus& status) {
  out.key("health");
  out.begin_array();
  for (const auto& [part, problem] : status.health) {
    out.begin_object();
    write_member(out, "part", part);
    write_member(out, "works", problem.empty());
    write_member(out, "problem", problem);
    out.end_object();
  }
  out.end_array();
}

}  // namespace

void write_status(json::Writer& out, const ControlStatus& status, const ControlEvents& events) {
  Plugins plugins;
  for (const PluginInfo& plugin : status.plugins) {
    plugins.emplace(
        std::pair<std::string_view, std::string_view>(plugin.package(), plugin.package_version()),
        &plugin);
  }
  out.begin_object();
  write_member(out, "host", status.host);
  write_member(out, "app", status.app);
  write_member(out, "uptime_ms", static_cast<std::uint64_t>(status.uptime.count()));
  write_member(out, "counts_calls", status.counts_calls);
  out.key("modules");
  out.begin_array();
  for (const ModuleInfo& module : status.modules) {
    write_module(out, status, module, plugins, events);
  }
  out.end_array();
  out.key("problems");
  write_errors(out, status.problems);
  write_clients(out, status.clients);
  write_figures(out, status.figures);
  write_health(out, status);
  out.end_object();
}

}}}  // namespace tenon::v0_1::detail
