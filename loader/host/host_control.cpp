// SPDX-License-Identifier: BSL-1.0
#include "host/host_control.hpp"

#include <cstdint>
#include <exception>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log_level.hpp"
#include "control/control_messages.hpp"
#include "control/control_status.hpp"
#include "control/trace_text.hpp"
#include "host/host_core.hpp"
#include "platform/exposure.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

using Clock = HostControl::Clock;

/// The listeners that the calling thread is in.
constinit thread_local int listeners_here = 0;

struct InListener {
  InListener() noexcept { ++listeners_here; }
  ~InListener() { --listeners_here; }
  InListener(const InListener&) = delete;
  InListener& operator=(const InListener&) = delete;
};

std::uint64_t microseconds_since(Clock::time_point begin) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count());
}

std::string name_of(const ModuleInfo& module) {
  return module.package + "@" + module.package_version;
}

std::set<std::string> names_of(const std::vector<ModuleInfo>& modules) {
  std::set<std::string> names;
  for (const ModuleInfo& module : modules) names.insert(name_of(module));
  return names;
}

void write_names(json::Writer& out, std::string_view key, const std::set<std::string>& names,
                 const std::set<std::string>& without) {
  out.key(key);
  out.begin_array();
  for (const std::string& name : names) {
    if (without.count(name) == 0) out.text(name);
  }
  out.end_array();
}

Error wrong_word(std::string where, std::string found, std::string needed) {
  return Error({.code = "unknown-word",
                .where = std::move(where),
                .found = std::move(found),
                .needed = std::move(needed),
                .fix = "correct the word"});
}

std::string_view to_string(RestartOutcome outcome) {
  switch (outcome) {
    case RestartOutcome::restarted:
      return "restarted";
    case RestartOutcome::scheduled:
      return "scheduled";
    case RestartOutcome::not_loaded:
      return "not loaded";
  }
  return "";
}

/// Errors: missing-key, not-found, not-quarantined.
Result<void> check_quarantined(const std::vector<ModuleInfo>& modules, const std::string& package) {
  if (package.empty()) {
    return Error({.code = "missing-key",
                  .where = "package",
                  .needed = "the package that is in quarantine",
                  .fix = "add the key"});
  }
  bool found = false;
  for (const ModuleInfo& module : modules) {
    if (module.package != package && name_of(module) != package) continue;
    if (module.quarantined) return {};
    found = true;
  }
  if (!found) return {};  // the restart reports it
  return Error({.code = "not-quarantined",
                .where = package,
                .found = "a package that is not in quarantine",
                .needed = "one that failed too often",
                .fix = "see tenon status; tenon restart replaces the code of any package"});
}

std::string log_reply(const HostCore& core, const ControlRequest& request) {
  const auto level = parse_log_level(request.level);
  if (!level) {
    return error_line(request.request,
                      wrong_word("level", request.level, std::string(all_log_levels)));
  }
  core.log()->set_level(*level);
  return result_line(request.request, [&](json::Writer& out) {
    out.begin_object();
    write_member(out, "level", request.level);
    out.end_object();
  });
}

std::string count_reply(HostCore& core, const ControlRequest& request) {
  if (request.calls != "on" && request.calls != "off") {
    return error_line(request.request, wrong_word("calls", request.calls, "on or off"));
  }
  core.count_calls(request.calls == "on");
  return result_line(request.request, [&](json::Writer& out) {
    out.begin_object();
    write_member(out, "counts_calls", core.counts_calls());
    out.end_object();
  });
}

void rescan(HostCore& core, json::Writer& out) {
  const auto begin = Clock::now();
  const auto before = names_of(core.modules());
  core.rescan();
  const auto after = names_of(core.modules());
  out.begin_object();
  write_names(out, "added", after, before);
  write_names(out, "removed", before, after);
  out.key("problems");
  write_errors(out, core.problems());
  write_member(out, "total_us", microseconds_since(begin));
  out.end_object();
}

}  // namespace

/// A request that may take long, for a worker.
struct HostControl::Job {
  std::shared_ptr<HostCore> core;
  ControlRequest request;
  Reply reply;
};

std::function<void(const Event&)> HostControl::listener(
    std::function<void(const Event&)> listener) const {
  return [events = events_, inner = std::move(listener)](const Event& event) {
    events->report(event);
    const InListener inside;
    if (inner) inner(event);
  };
}

Result<void> HostControl::start(const std::weak_ptr<HostCore>& core) {
  if (platform::has_privileges_of_another_user()) {
    return Error({.code = "control-refused",
                  .where = "HostOptions::control",
                  .found = "a process with the privileges of another user (set-user-ID)",
                  .needed = "a process that only its own user controls",
                  .fix = "do not set the option in such a program",
                  .severity = Severity::warning});
  }
  auto server = ControlServer::start(
      events_,
      [this, core](const ControlRequest& request, const Reply& reply) {
        if (const auto alive = core.lock()) handle(alive, request, reply);
      },
      {}, trace(core));
  if (!server) return std::move(server).error();
  server_ = *std::move(server);
  return {};
}

/// Without the host, there is nothing to record.
ControlTrace HostControl::trace(const std::weak_ptr<HostCore>& core) const {
  const auto text = std::make_shared<std::unique_ptr<TraceText>>();
  ControlTrace functions;
  functions.begin = [core, text]() -> Result<void> {
    const auto alive = core.lock();
    if (alive == nullptr) return {};
    if (auto begun = alive->begin_trace(); !begun) return begun;
    *text = std::make_unique<TraceText>(alive->trace(), alive->options().app);
    return {};
  };
  functions.write = [text](json::Writer& out) { return *text ? (*text)->write(out) : 0; };
  functions.end = [core] {
    if (const auto alive = core.lock()) alive->end_trace();
  };
  return functions;
}

bool HostControl::stop(Clock::time_point deadline) noexcept {
  return server_ == nullptr || server_->stop(deadline);
}

void HostControl::stop_jobs(Clock::time_point deadline) noexcept {
  // A restart is complete when the listener has returned.
  jobs_.stop(listeners_here != 0 ? Clock::now() : deadline);
}

void HostControl::handle(const std::shared_ptr<HostCore>& core, const ControlRequest& request,
                         const Reply& reply) {
  const std::string& word = request.request;
  if (word == "status") return reply.send(status(*core, reply));
  if (word == "log") return reply.send(log_reply(*core, request));
  if (word == "count") return reply.send(count_reply(*core, request));
  Result<void> begun;
  if (word == "release") begun = check_quarantined(core->modules(), request.package);
  if (word == "restart" || word == "release" || word == "rescan") {
    if (begun) begun = begin({core, request, reply});
  } else {
    begun = wrong_word("request", word,
                       "status, restart, release, rescan, log, count, events or trace");
  }
  if (!begun) reply.send(error_line(word, begun.error()));
}

Result<void> HostControl::begin(Job job) {
  return jobs_.run([this, job = std::move(job)] {
    try {
      job.reply.send(result_line(job.request.request, [&](json::Writer& out) {
        job.request.request == "rescan" ? rescan(*job.core, out) : restart(job, out);
      }));
    } catch (const std::exception&) {  // out of memory: the client sees its own deadline
    }
  });
}

std::string HostControl::status(const HostCore& core, const Reply& reply) const {
  const auto uptime =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_);
  const ControlStatus status{.host = reply.host(),
                             .app = core.options().app,
                             .uptime = uptime,
                             .counts_calls = core.counts_calls(),
                             .modules = core.modules(),
                             .restart_steps = core.restart_steps(),
                             .plugins = core.registered(),
                             .problems = core.problems(),
                             .clients = reply.counts(),
                             .figures = core.figures().figures(),
                             .health = core.figures().health()};
  return result_line("status", [&](json::Writer& out) { write_status(out, status, *events_); });
}

void HostControl::restart(const Job& job, json::Writer& out) const {
  std::set<std::string> packages;
  if (!job.request.package.empty()) {
    packages.insert(job.request.package);
  } else {
    for (const ModuleInfo& module : job.core->modules()) {
      if (module.loaded) packages.insert(module.package);
    }
  }
  const auto begin = Clock::now();
  out.begin_object();
  out.key("restarts");
  out.begin_array();
  for (const std::string& package : packages) restart(*job.core, package, out);
  out.end_array();
  write_member(out, "total_us", microseconds_since(begin));
  out.end_object();
}

void HostControl::restart(HostCore& core, const std::string& package, json::Writer& out) const {
  const auto begin = Clock::now();
  const auto outcome = core.restart(package, {});
  out.begin_object();
  write_member(out, "package", std::string_view(package));
  write_member(out, "outcome", outcome ? to_string(*outcome) : std::string_view("failed"));
  write_member(out, "total_us", microseconds_since(begin));
  if (!outcome) {
    out.key("error");
    write_error(out, outcome.error());
  }
  out.key("modules");
  out.begin_array();
  for (const ModuleInfo& module : core.modules()) {
    if (!module.loaded || (module.package != package && name_of(module) != package)) continue;
    const ModuleHistory history = events_->history(module.package, module.package_version);
    out.begin_object();
    write_member(out, "package_version", std::string_view(module.package_version));
    write_member(out, "generation", module.generation);
    write_member(out, "load_us", microseconds(history.load_time));
    write_member(out, "calls_waited_us", microseconds(history.calls_waited));
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

}}}  // namespace tenon::v0_1::detail
