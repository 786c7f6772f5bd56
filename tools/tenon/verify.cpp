// SPDX-License-Identifier: BSL-1.0
//
// tenon verify
#include <tenon/inspect.hpp>
#include <tenon/sdk/conformance.hpp>

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "commands.hpp"
#include "common/command_line.hpp"
#include "common/json_reader.hpp"
#include "common/object_reader.hpp"
#include "common/plugin_use.hpp"
#include "common/text_file.hpp"
#include "json.hpp"
#include "search_path_errors.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

namespace conformance = sdk::conformance;
using conformance::Case;
using conformance::PluginSetup;
using conformance::Verdict;
using tools::Diagnostics;
using tools::JsonValue;
using Setups = std::vector<PluginSetup>;

// -- Configurations -----------------------------------------------------------

/// Returns the JSON text of an optional value, or an empty text.
std::string optional_json(const tools::ObjectReader& object, std::string_view key) {
  const JsonValue* value = object.optional(key);
  return value == nullptr ? "" : to_json(*value);
}

void read_setup(const JsonValue& value, const std::vector<Case>& cases, Setups& setups,
                Diagnostics& problems) {
  const tools::ObjectReader object(
      value, "a configuration", {"kind", "plugin", "config", "bucket", "item", "volume"}, problems);
  tools::PluginUse use = tools::read_plugin_use(object, problems);
  PluginSetup setup{object.text("kind"),           use.reference,
                    std::move(use.config),         object.optional_text("bucket"),
                    optional_json(object, "item"), object.optional_text("volume")};
  const auto is_of = [&](const auto& one) {
    return one.kind == setup.kind && one.plugin == setup.plugin;
  };
  // A missing or invalid key is already reported.
  if (setup.kind.empty() || setup.plugin.empty()) return;
  if (std::ranges::none_of(cases, is_of)) {
    problems.add({.location = use.location,
                  .code = "not-found",
                  .message = "the module has no plugin '" + setup.plugin + "' of kind '" +
                             setup.kind + "' that can be verified",
                  .fix = "see `tenon inspect` for its plugins"});
  }
  if (std::ranges::any_of(setups, is_of)) {
    problems.add(
        {.location = use.location,
         .code = "duplicate-plugin",
         .message = "'" + setup.plugin + "' of kind '" + setup.kind + "' is configured twice",
         .fix = "remove one of the configurations"});
  }
  setups.push_back(std::move(setup));
}

void read_file(const std::string& file, const std::vector<Case>& cases, Setups& setups,
               Diagnostics& problems) {
  const auto text = tools::read_text_file(file, problems);
  const auto root = text ? tools::read_json(*text, file, problems) : std::nullopt;
  if (!root) return;
  const JsonValue::Array* all = root->array();
  if (all == nullptr) {
    return add_wrong_type(*root, "the file", "an array of configurations", problems);
  }
  for (const JsonValue& value : *all) read_setup(value, cases, setups, problems);
}

// -- Output -------------------------------------------------------------------

/// Returns a text on one line.
std::string line_of(std::string text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) {
    const std::size_t next = text.find_first_not_of(" \n", at);
    text.replace(at, std::min(next, text.size()) - at, "; ");
  }
  return escaped_for_display(text);
}

std::string painted(const conformance::Result& result, const Paint& paint) {
  const std::string_view verdict = to_string(result.verdict);
  if (result.verdict == Verdict::passed) return paint.good(verdict);
  const std::string reason = ": " + line_of(result.reason);
  return (result.verdict == Verdict::failed ? paint.bad(verdict) : paint.warning(verdict)) + reason;
}

/// Returns a line for each case with its kind, plugin and name.
std::vector<std::string> lines_of(const std::vector<Case>& cases) {
  std::vector<Row> rows;
  for (const Case& one : cases) {
    rows.push_back({one.kind.empty() ? "module" : one.kind, one.plugin, one.name});
  }
  std::vector<std::string> lines = aligned(std::move(rows));
  std::size_t width = 0;
  for (std::string& line : lines) {
    line.pop_back();
    width = std::max(width, width_of(line));
  }
  for (std::string& line : lines) line.resize(line.size() + width - width_of(line) + 2, ' ');
  return lines;
}

struct Counts {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t not_run = 0;
};

Counts counts_of(const std::vector<conformance::Result>& results) {
  const auto of = [&](Verdict verdict) {
    return static_cast<std::size_t>(
        std::ranges::count(results, verdict, &conformance::Result::verdict));
  };
  return {of(Verdict::passed), of(Verdict::failed), of(Verdict::not_run)};
}

boost::json::value or_null(const std::string& text) {
  return text.empty() ? boost::json::value(nullptr) : boost::json::value(escaped_for_display(text));
}

void print_json(const VerifyArguments& arguments, const std::vector<conformance::Result>& results,
                const std::vector<Error>& errors) {
  boost::json::object output = make_output("verify");
  output["file"] = arguments.file.string();
  boost::json::array cases;
  for (const conformance::Result& result : results) {
    cases.push_back({{"kind", or_null(result.of.kind)},
                     {"plugin", result.of.plugin},
                     {"case", result.of.name},
                     {"verdict", to_string(result.verdict)},
                     {"reason", or_null(result.reason)}});
  }
  output["cases"] = std::move(cases);
  const Counts counts = counts_of(results);
  output["passed"] = counts.passed;
  output["failed"] = counts.failed;
  output["not_run"] = counts.not_run;
  output["errors"] = to_json(errors);
  print(output);
}

/// Runs the cases. If `prints`, the line of each case is printed when the case has ended.
std::vector<conformance::Result> run_all(const conformance::Options& options,
                                         const std::vector<Case>& cases, bool prints) {
  const Paint paint = Paint::for_stream(STDOUT_FILENO);
  const std::vector<std::string> lines = lines_of(cases);
  std::vector<conformance::Result> results;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    results.push_back(conformance::run(options, cases[i]));
    if (prints) std::cout << lines[i] << painted(results.back(), paint) << std::endl;
  }
  return results;
}

Exit no_module(const Options& options, const VerifyArguments& arguments,
               const std::vector<Error>& errors) {
  if (options.json) print_json(arguments, {}, errors);
  print_problems(errors);
  return std::ranges::any_of(errors, is_unreadable) ? io_error : problems_found;
}

Exit wrong_configs(const Options& options, const VerifyArguments& arguments,
                   std::vector<Error> errors, const Diagnostics& problems) {
  tools::print(problems);
  if (options.json) {
    for (const tools::Diagnostic& problem : problems.all()) {
      errors.push_back(Error({.code = problem.code,
                              .message = problem.message,
                              .where = to_text(problem.location),
                              .found = problem.found,
                              .needed = problem.needed,
                              .fix = problem.fix}));
    }
    print_json(arguments, {}, errors);
  }
  const auto unreadable = [](const tools::Diagnostic& problem) {
    return problem.code == "cannot-read";
  };
  return std::ranges::any_of(problems.all(), unreadable) ? io_error : usage_error;
}

}  // namespace

Exit verify(const Options& options, const VerifyArguments& arguments) {
  const ModuleReport report = tenon::inspect(arguments.file);
  const bool is_dll = report.format == "PE";  // of which no code can be run here
  if (!report.manifest || is_dll) return no_module(options, arguments, report.errors);
  conformance::Options setup{.module = arguments.file, .timeout = arguments.timeout};
  const std::vector<Case> cases = conformance::cases(setup);
  Diagnostics problems;
  for (const std::string& file : arguments.configs) read_file(file, cases, setup.setups, problems);
  if (!problems.empty()) return wrong_configs(options, arguments, report.errors, problems);
  const auto results = run_all(setup, cases, !options.json);
  const Counts counts = counts_of(results);
  if (options.json) {
    print_json(arguments, results, report.errors);
  } else {
    std::cout << counts.passed << " passed, " << counts.failed << " failed, " << counts.not_run
              << " not run\n";
  }
  if (counts.passed + counts.failed == 0) {
    std::cerr << "tenon verify: no case could be run\n";
    return problems_found;
  }
  return counts.failed == 0 ? success : problems_found;
}

}  // namespace tenon::command
