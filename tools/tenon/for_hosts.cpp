// SPDX-License-Identifier: BSL-1.0
//
// tenon inspect --for-host
#include <tenon/inspect.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app.hpp"
#include "commands.hpp"
#include "json.hpp"
#include "platform/utf8_path.hpp"
#include "search_path_errors.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

namespace fs = std::filesystem;

/// The result for one host.
struct Verdict {
  std::string description;
  ModuleReport report;

  std::size_t usable() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        report.plugins, [](const PluginInfo& plugin) { return plugin.compatibility().usable(); }));
  }
  /// A host loads a module for one of its plugins.
  bool loads() const { return report.would_load() && usable() > 0; }
};

Options options_of(const std::string& description) {
  Options options;
  const fs::path path = platform::path_from(description);
  options.description = path.filename() == "app.json" ? path.parent_path() : path;
  if (options.description.empty()) options.description = ".";
  return options;
}

/// Returns whether a problem is about the kind of a plugin.
bool is_of_kind(const Error& problem) {
  const std::string_view code = problem.code();
  return code.starts_with("kind-") || code == "unknown-kind" || code == "draft-differs";
}

/// Returns why a module, or one of its plugins, cannot be used; empty if there is no reason.
std::string reason_of(const ModuleReport& report) {
  std::vector<Error> problems = report.errors;
  std::ranges::copy_if(report.warnings, std::back_inserter(problems), is_of_kind);
  if (problems.empty()) return {};
  const Error& first = problems.front();
  std::string reason(first.code());
  reason.append(": ").append(first.found()).append("; needed: ").append(first.needed());
  return reason;
}

std::string verdict_text(const Verdict& verdict) {
  if (!verdict.loads()) return "does not load: " + reason_of(verdict.report);
  const std::size_t all = verdict.report.plugins.size();
  if (verdict.usable() == all) return "loads";
  return "loads, with " + std::to_string(verdict.usable()) + " of " + counted(all, "plugin") +
         ": " + reason_of(verdict.report);
}

void print_json(const std::string& file, const std::vector<Verdict>& verdicts) {
  boost::json::object output = make_output("inspect-for-host");
  output["subject"] = file;
  boost::json::array hosts;
  for (const Verdict& verdict : verdicts) {
    boost::json::array plugins;
    for (const PluginInfo& plugin : verdict.report.plugins) plugins.push_back(to_json(plugin));
    hosts.push_back({{"description", verdict.description},
                     {"loads", verdict.loads()},
                     {"plugins", std::move(plugins)},
                     {"errors", to_json(verdict.report.errors)},
                     {"warnings", to_json(verdict.report.warnings)}});
  }
  output["hosts"] = std::move(hosts);
  print(output);
}

void print_text(const std::vector<Verdict>& verdicts) {
  std::vector<Row> rows;
  for (const Verdict& verdict : verdicts)
    rows.push_back({verdict.description, verdict_text(verdict)});
  for (const std::string& line : aligned(rows)) std::cout << line;
}

}  // namespace

Exit inspect_for_hosts(const Options& options, const std::string& file,
                       const std::vector<std::string>& descriptions) {
  std::vector<Options> hosts;
  for (const std::string& description : descriptions) {
    Options& host = hosts.emplace_back(options_of(description));
    if (const Exit loaded = load_app(host); loaded != success) return loaded;
  }
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    use_app(hosts[i]);
    verdicts.push_back(
        {descriptions[i], tenon::inspect(platform::path_from(file), hosts[i].program)});
  }
  const ModuleReport& first = verdicts.front().report;
  if (options.json) {
    print_json(file, verdicts);
  } else if (first.manifest) {
    print_text(verdicts);
  } else {
    print_problems(first.errors);
  }
  if (std::ranges::any_of(first.errors, is_unreadable)) return io_error;
  return std::ranges::any_of(verdicts, &Verdict::loads) ? success : problems_found;
}

}  // namespace tenon::command
