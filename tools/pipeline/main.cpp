// SPDX-License-Identifier: BSL-1.0
//
// tenon-pipeline: carries records from a source to destinations, as a pipeline file says. All three
// are plugins; this program is also an example of a host.
#include "pipeline_file.hpp"
#include "pipeline_run.hpp"
#include "position_store.hpp"
#include "restarts.hpp"
#include "stages.hpp"

#include "base/plain_text.hpp"
#include "common/command_line.hpp"
#include "common/console.hpp"
#include "common/progress.hpp"
#include "common/signals.hpp"

#include <tenon/builtins.hpp>
#include <tenon/host.hpp>

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace pipeline;
using tenon::tools::Console;

Exit refuse(const Findings& findings) {
  tenon::tools::print(findings);
  return wrong_usage;
}

/// Whether the position is one of this pipeline.
void check_state(const PipelineState& state, const PipelineFile& file, const Stages& stages,
                 Findings& findings) {
  if (!state.source) return;
  const auto check = [&](std::string_view what, const std::string& found,
                         const std::string& needed) {
    if (found == needed) return;
    findings.add(
        {.place = file.position_place,
         .code = "wrong-position",
         .what = file.position.string() + " keeps the position of another " + std::string(what),
         .found = found,
         .needed = needed,
         .fix = "name another place, or remove that file to begin from the start"});
  };
  check("pipeline", state.pipeline, file.name);
  check("source", label_of(*state.source), label_of(stages.source.used));
}

/// The modules that are there and cannot be used may be the ones that are missing.
void tell_skipped(const tenon::Host& host, const Findings& findings, Console& console) {
  const auto& all = findings.all();
  const auto missing = [](const auto& finding) { return finding.code == "not-found"; };
  if (std::none_of(all.begin(), all.end(), missing)) return;
  for (const tenon::Error& finding : host.skipped()) {
    if (finding.grade() == tenon::ErrorGrade::error) console.say("skipped: " + finding.to_string());
  }
}

std::string progress_line(const Counts& counts, std::chrono::duration<double> since) {
  const double rate = since.count() > 0 ? static_cast<double>(counts.read) / since.count() : 0;
  return to_text(counts) + " (" + std::to_string(static_cast<std::uint64_t>(rate)) + "/s)";
}

Exit run_stages(tenon::Host& host, const PipelineFile& file, Stages stages, PositionStore& store,
                Console& console) {
  PipelineRun pipeline(host, file, store, console);
  Exit exit = done;
  {
    Restarts restarts(host, console);
    const tenon::tools::Progress progress(
        console, [&](auto since) { return progress_line(pipeline.counts(), since); });
    const tenon::tools::SignalWatch watch(
        [&](int, bool again) {
          if (!again) return pipeline.stop();
          pipeline.abandon();
          pipeline.report_open_calls();
        },
        [&] { restarts.request(); });
    exit = pipeline.run(std::move(stages));
  }
  std::cout << to_text(pipeline.counts()) << std::endl;
  if (std::cout) return exit;
  console.say("cannot write to standard output");
  return environment_failed;
}

tenon::HostOptions host_options(const std::vector<std::filesystem::path>& plugin_path) {
  return {.app = "tenon",
          .plugin_path = plugin_path,
          .builtins = {tenon::builtins()},
          .contain_crashes = true,
          .log_level = tenon::LogLevel::info};
}

std::optional<Stages> take_or_explain(tenon::Host& host, const PipelineFile& file, Console& console,
                                      Findings& findings) {
  auto stages = take_stages(host, file, console, findings);
  if (!stages) tell_skipped(host, findings, console);
  return stages;
}

/// The same, but ends the process at a signal: a plugin may hang while it is configured,
/// and nothing was read yet that would be lost.
std::optional<Stages> take_unless_interrupted(tenon::Host& host, const PipelineFile& file,
                                              Console& console, Findings& findings) {
  const tenon::tools::SignalWatch watch(
      [&](int number, bool) {
        console.say("interrupted before the pipeline began");
        _exit(128 + number);
      },
      [] {});
  return take_or_explain(host, file, console, findings);
}

Exit run_file(const std::filesystem::path& path,
              const std::vector<std::filesystem::path>& plugin_path) {
  Console console("tenon-pipeline");
  Findings findings;
  const auto file = read_pipeline_file(path, findings);
  if (!file) return refuse(findings);

  tenon::tools::hold_signals();
  tenon::Host host(host_options(plugin_path));
  auto stages = take_unless_interrupted(host, *file, console, findings);
  if (!stages) return refuse(findings);
  auto store = PositionStore::open(file->position, findings);
  if (!store) {
    console.say(store.error().to_string());
    return environment_failed;
  }
  check_state(store->state(), *file, *stages, findings);
  if (!findings.empty()) return refuse(findings);
  store->state().pipeline = file->name;
  return run_stages(host, *file, *std::move(stages), *store, console);
}

/// Configures the plugins of a file, and opens nothing.
Exit validate_file(const std::filesystem::path& path,
                   const std::vector<std::filesystem::path>& plugin_path) {
  Console console("tenon-pipeline");
  Findings findings;
  const auto file = read_pipeline_file(path, findings);
  if (!file) return refuse(findings);
  tenon::Host host(host_options(plugin_path));
  if (!take_or_explain(host, *file, console, findings)) return refuse(findings);
  std::cout << tenon::harmless(path.string()) << ": no problem found" << std::endl;
  return std::cout ? done : environment_failed;
}

int run(int count, char** arguments) {
  CLI::App program("Carries records from a source to destinations.", "tenon-pipeline");
  program.footer(
      "SIGINT stops after what was read is delivered; a second one ends without that. SIGHUP "
      "replaces "
      "plugins whose files have changed.\n"
      "Exit status: 0 done, 1 the pipeline failed, 2 wrong usage or a wrong pipeline file, 3 the "
      "environment failed.");
  program.require_subcommand(1);
  std::filesystem::path path;
  std::vector<std::filesystem::path> plugin_path;
  const auto add = [&](const char* name, const char* description) {
    CLI::App* command = program.add_subcommand(name, description);
    command->add_option("FILE", path, "the pipeline file")->required();
    command->add_option("--plugin-path", plugin_path, "a folder to look at before all others")
        ->type_name("DIR")
        ->allow_extra_args(false);
    return command;
  };
  add("run", "runs a pipeline until its source ends");
  const CLI::App* validate =
      add("validate", "checks a pipeline file; its plugins are configured and not opened");
  if (const auto exit = tenon::tools::parse(program, count, arguments)) return *exit;
  return validate->parsed() ? validate_file(path, plugin_path) : run_file(path, plugin_path);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count, arguments);
  } catch (const std::exception& error) {
    std::cerr << "tenon-pipeline: " << tenon::harmless(error.what()) << "\n";
    return environment_failed;
  }
}
