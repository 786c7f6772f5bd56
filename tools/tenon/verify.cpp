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
#include "common/json_source.hpp"
#include "common/object_reader.hpp"
#include "common/plugin_use.hpp"
#include "common/text_file.hpp"
#include "json.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

namespace conformance = sdk::conformance;
using conformance::Case;
using conformance::PluginSetup;
using conformance::Verdict;
using reading::Findings;
using reading::JsonValue;
using Setups = std::vector<PluginSetup>;

// -- Configurations -----------------------------------------------------------

/// A resource is written as JSON.
std::string optional_json(const reading::ObjectReader& object, std::string_view key) {
  const JsonValue* value = object.optional(key);
  return value == nullptr ? "" : to_json(*value);
}

void read_setup(const JsonValue& value, const std::vector<Case>& cases, Setups& setups,
                Findings& findings) {
  const reading::ObjectReader object(
      value, "a configuration", {"kind", "plugin", "config", "bucket", "item", "volume"}, findings);
  tools::PluginUse use = tools::read_plugin_use(object, findings);
  PluginSetup setup{object.text("kind"),           use.reference,
                    std::move(use.config),         object.optional_text("bucket"),
                    optional_json(object, "item"), object.optional_text("volume")};
  const auto is_of = [&](const auto& one) {
    return one.kind == setup.kind && one.plugin == setup.plugin;
  };
  if (std::ranges::none_of(cases, is_of)) {
    findings.add({.place = use.place,
                  .code = "not-found",
                  .what = "the module has no plugin '" + setup.plugin + "' of kind '" + setup.kind +
                          "' that can be verified",
                  .fix = "see `tenon inspect` for its plugins"});
  }
  if (std::ranges::any_of(setups, is_of)) {
    findings.add({.place = use.place,
                  .code = "duplicate-plugin",
                  .what = "'" + setup.plugin + "' of kind '" + setup.kind + "' stands twice",
                  .fix = "remove one of the two"});
  }
  setups.push_back(std::move(setup));
}

void read_file(const std::string& file, const std::vector<Case>& cases, Setups& setups,
               Findings& findings) {
  const auto text = reading::read_text_file(file, findings);
  const auto root = text ? reading::read_json(*text, file, findings) : std::nullopt;
  if (!root) return;
  const JsonValue::Array* all = root->array();
  if (all == nullptr) {
    return add_wrong_type(*root, "the file", "an array of configurations", findings);
  }
  for (const JsonValue& value : *all) read_setup(value, cases, setups, findings);
}

// -- Output -------------------------------------------------------------------

/// On one line, whatever the reason.
std::string line_of(std::string text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) {
    const std::size_t next = text.find_first_not_of(" \n", at);
    text.replace(at, std::min(next, text.size()) - at, "; ");
  }
  return harmless(text);
}

std::string painted(const conformance::Result& result, const Paint& paint) {
  const std::string_view verdict = to_string(result.verdict);
  if (result.verdict == Verdict::passed) return paint.good(verdict);
  const std::string reason = ": " + line_of(result.reason);
  return (result.verdict == Verdict::failed ? paint.bad(verdict) : paint.doubtful(verdict)) +
         reason;
}

/// A line for each case: of which kind and plugin, what it proves.
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
  return text.empty() ? boost::json::value(nullptr) : boost::json::value(harmless(text));
}

void print_json(const Verification& what, const std::vector<conformance::Result>& results,
                const std::vector<Error>& errors) {
  boost::json::object answer = answer_of("verify");
  answer["file"] = what.file.string();
  boost::json::array cases;
  for (const conformance::Result& result : results) {
    cases.push_back({{"kind", or_null(result.of.kind)},
                     {"plugin", result.of.plugin},
                     {"case", result.of.name},
                     {"verdict", to_string(result.verdict)},
                     {"reason", or_null(result.reason)}});
  }
  answer["cases"] = std::move(cases);
  const Counts counts = counts_of(results);
  answer["passed"] = counts.passed;
  answer["failed"] = counts.failed;
  answer["not_run"] = counts.not_run;
  answer["errors"] = to_json(errors);
  print(answer);
}

/// Runs the cases; each line is printed when its case has ended.
std::vector<conformance::Result> run_all(const conformance::Options& options,
                                         const std::vector<Case>& cases, bool prints) {
  const Paint paint = Paint::for_stream(STDOUT_FILENO);
  const std::vector<std::string> lines = lines_of(cases);
  std::vector<conformance::Result> results;
  for (std::size_t i = 0; i < cases.size(); i++) {
    results.push_back(conformance::run(options, cases[i]));
    if (prints) std::cout << lines[i] << painted(results.back(), paint) << std::endl;
  }
  return results;
}

Exit no_module(const Options& options, const Verification& what, const std::vector<Error>& errors) {
  if (options.json) print_json(what, {}, errors);
  for (const Error& error : errors) std::cerr << "tenon: " << error.to_string() << "\n";
  const bool unreadable =
      std::ranges::any_of(errors, [](const Error& error) { return error.code() == "cannot-read"; });
  return unreadable ? environment_failed : finding;
}

Exit wrong_configs(const Findings& findings) {
  tools::print(findings);
  const auto unreadable = [](const reading::Finding& finding) {
    return finding.code == "cannot-read";
  };
  return std::ranges::any_of(findings.all(), unreadable) ? environment_failed : wrong_usage;
}

}  // namespace

Exit verify(const Options& options, const Verification& what) {
  const ModuleReport report = tenon::inspect(what.file);
  if (!report.manifest) return no_module(options, what, report.errors);
  conformance::Options how{.module = what.file, .timeout = what.timeout};
  const std::vector<Case> cases = conformance::cases(how);
  Findings findings;
  for (const std::string& file : what.configs) read_file(file, cases, how.setups, findings);
  if (!findings.empty()) return wrong_configs(findings);
  const auto results = run_all(how, cases, !options.json);
  const Counts counts = counts_of(results);
  if (options.json) {
    print_json(what, results, report.errors);
  } else {
    std::cout << counts.passed << " passed, " << counts.failed << " failed, " << counts.not_run
              << " not run\n";
  }
  return counts.failed == 0 ? yes : finding;
}

}  // namespace tenon::command
