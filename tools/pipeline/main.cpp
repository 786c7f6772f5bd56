// SPDX-License-Identifier: BSL-1.0
//
// tenon-pipeline: moves records from a source through processors to destinations, as described by a
// pipeline file. All of them are plugins. This program is also an example of a host.
#include <tenon/builtins.hpp>
#include <tenon/host.hpp>
#include <tenon/pipeline_position_json.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/plain_text.hpp"
#include "common/command_line.hpp"
#include "common/console.hpp"
#include "common/json_reader.hpp"
#include "common/log_lines.hpp"
#include "common/plugin_origins.hpp"
#include "common/progress.hpp"
#include "common/signals.hpp"
#include "common/text_file.hpp"
#include "common/visibility.hpp"
#include "common/worker.hpp"
#include "deletion.hpp"
#include "messages.hpp"
#include "pipeline_file.hpp"
#include "pipeline_run.hpp"
#include "platform/program.hpp"
#include "platform/utf8_path.hpp"
#include "position_store.hpp"
#include "restarts.hpp"
#include "stages.hpp"
#include "used_files.hpp"

namespace {

using namespace pipeline;
using tenon::tools::Console;
using tenon::tools::Visibility;

constexpr const char* program_name = "tenon-pipeline";

using Paths = std::vector<std::filesystem::path>;

/// A pipeline of this process.
struct Pipeline {
  PipelineFile file;
  Messages messages;
  std::optional<Stages> stages{};
  std::optional<PositionStore> store{};
  std::unique_ptr<PipelineRun> run{};
  Exit exit = done;
};
using Pipelines = std::deque<Pipeline>;

Exit refuse(const Diagnostics& diagnostics) {
  tenon::tools::print(diagnostics);
  const auto& all = diagnostics.all();
  const bool unreadable = std::any_of(all.begin(), all.end(), [](const auto& diagnostic) {
    return diagnostic.code == "cannot-read";
  });
  return unreadable ? io_failed : wrong_usage;
}

/// Returns whether a file is the position of a pipeline, in whatever version.
bool is_position(const std::filesystem::path& path) {
  const auto content = tenon::tools::read_file(path);
  if (!content.text) return false;
  Diagnostics ignored;
  const auto value = tenon::tools::read_json(*content.text, path.string(), ignored);
  const auto* type = value ? value->find("type") : nullptr;
  return type != nullptr && type->text() != nullptr &&
         *type->text() == "tenon.dev/pipeline_position";
}

/// A file that may describe a pipeline.
struct Candidate {
  std::filesystem::path path;
  bool named = true;  // by the user; otherwise it was found in a directory
  std::optional<PipelineFile> file{};
  Diagnostics diagnostics{};  // of the file
};
using Candidates = std::vector<Candidate>;

/// Returns the pipeline files at `paths`. A directory contributes its files with the extension
/// .json, sorted by name, without the positions that pipelines store in it.
Candidates candidates_of(const Paths& paths, Diagnostics& diagnostics) {
  Candidates candidates;
  for (const auto& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      candidates.push_back({path});
      continue;
    }
    Paths inside;
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      std::error_code ignored;  // a FIFO would be read for ever
      if (entry.path().extension() == ".json" && entry.is_regular_file(ignored) &&
          !is_position(entry.path())) {
        inside.push_back(entry.path());
      }
    }
    if (error) {
      diagnostics.add(tenon::tools::cannot_read(path, "reading the directory", error.value()));
    } else if (inside.empty()) {
      diagnostics.add({.location = {.file = path.string()},
                       .code = "no-pipeline",
                       .message = "the directory contains no pipeline file",
                       .needed = "at least one file with the extension .json",
                       .fix = "specify another directory, or a file"});
    }
    std::sort(inside.begin(), inside.end());
    for (const auto& file : inside) candidates.push_back({file, false});
  }
  return candidates;
}

/// Returns whether a file of a directory is the damaged position of another pipeline. It is
/// reported as such when that pipeline is opened.
bool is_damaged_position(const Candidate& candidate, const Candidates& all) {
  if (candidate.named || candidate.diagnostics.empty()) return false;
  return std::any_of(all.begin(), all.end(), [&](const Candidate& other) {
    std::error_code ignored;
    return &other != &candidate && other.file &&
           std::filesystem::equivalent(other.file->position, candidate.path, ignored);
  });
}

/// Reads the files at `paths`, without those that are positions.
Candidates read_files(const Paths& paths, Diagnostics& diagnostics) {
  Candidates all = candidates_of(paths, diagnostics);
  for (Candidate& candidate : all) {
    candidate.file = read_pipeline_file(candidate.path, candidate.diagnostics);
  }
  Candidates files;
  for (const Candidate& candidate : all) {
    if (!is_damaged_position(candidate, all)) files.push_back(candidate);
  }
  return files;
}

/// Reads pipeline files. If there are several, messages have the name of the pipeline as a prefix.
Pipelines read_pipelines(const Paths& paths, Console& console, Diagnostics& diagnostics) {
  Candidates files = read_files(paths, diagnostics);
  std::map<std::string, std::filesystem::path> names;
  Pipelines pipelines;
  for (auto& [path, named, file, problems] : files) {
    for (const auto& problem : problems.all()) diagnostics.add(problem);
    if (!file) continue;
    const auto [known, added] = names.emplace(file->name, path);
    if (!added) {
      diagnostics.add({.location = {.file = path.string()},
                       .code = "duplicate-name",
                       .message = "another pipeline has the name '" + file->name + "'",
                       .found = known->second.string(),
                       .needed = "a name that is unique among the pipelines of a process",
                       .fix = "change the name of one of them"});
    }
    const std::string prefix = files.size() > 1 ? file->name : std::string();
    pipelines.push_back({*std::move(file), Messages(console, prefix)});
  }
  return pipelines;
}

void check_position(const PipelineFile& file, std::string_view what, const std::string& found,
                    const std::string& needed, Diagnostics& diagnostics) {
  if (found == needed) return;
  diagnostics.add(
      {.location = file.position_place,
       .code = "wrong-position",
       .message = file.position.string() + " contains the position of another " + std::string(what),
       .found = found,
       .needed = needed,
       .fix = "specify another path, or remove that file to begin from the start"});
}

/// Checks that a position belongs to this pipeline.
void check_name(const PipelineState& state, const PipelineFile& file, Diagnostics& diagnostics) {
  if (!state.pipeline.empty())
    check_position(file, "pipeline", state.pipeline, file.name, diagnostics);
}
void check_state(const PipelineState& state, const PipelineFile& file, const Stages& stages,
                 Diagnostics& diagnostics) {
  if (!state.source) return;
  check_name(state, file, diagnostics);
  check_position(file, "source", label_of(*state.source), label_of(stages.source.used),
                 diagnostics);
}

/// Prints the skipped modules if a plugin was not found, because it may be in one of them.
void report_skipped(const tenon::Host& host, const Diagnostics& diagnostics, Console& console) {
  const auto& all = diagnostics.all();
  const auto missing = [](const auto& diagnostic) { return diagnostic.code == "not-found"; };
  if (std::none_of(all.begin(), all.end(), missing)) return;
  for (const tenon::Error& diagnostic : host.problems()) {
    if (diagnostic.severity() == tenon::Severity::error)
      console.say("skipped: " + diagnostic.to_string());
  }
}

std::string progress_line(const Counts& counts, std::chrono::duration<double> since) {
  const double rate = since.count() > 0 ? static_cast<double>(counts.read) / since.count() : 0;
  return to_text(counts) + " (" + std::to_string(static_cast<std::uint64_t>(rate)) + "/s)";
}

Counts sum(const Pipelines& pipelines) {
  Counts counts;
  for (const Pipeline& pipeline : pipelines) counts += pipeline.run->counts();
  return counts;
}

/// Runs all pipelines concurrently, each on a thread of its own, until the last one has ended.
/// Returns false if threads of plugins do not end. The process has to exit after that.
bool run_concurrently(Pipelines& pipelines) {
  std::map<Pipeline*, std::thread> threads;
  for (Pipeline& pipeline : pipelines) {
    try {
      threads.emplace(&pipeline, [&] { pipeline.run->run(*std::move(pipeline.stages)); });
    } catch (const std::system_error& failed) {
      pipeline.exit = io_failed;
      pipeline.messages.say(no_thread(failed).to_string());
    }
  }
  bool all_end = true;
  for (auto& [pipeline, thread] : threads) {
    const auto exit = pipeline->run->await_end();
    pipeline->exit = exit.value_or(failed);
    if (exit) {
      thread.join();
    } else {
      thread.detach();
      all_end = false;
    }
  }
  return all_end;
}

void abandon(Pipelines& pipelines) {
  for (Pipeline& pipeline : pipelines) pipeline.run->abandon();
  const auto deadline = std::chrono::steady_clock::now() + longest_teardown;
  for (Pipeline& pipeline : pipelines) pipeline.run->await_teardown(deadline);
}

Exit run_all(tenon::Host& host, Pipelines& pipelines, Console& console) {
  bool all_end = true;
  {
    Restarts restarts(host, console);
    const tenon::tools::Progress progress(
        console, [&](auto since) { return progress_line(sum(pipelines), since); });
    const tenon::tools::SignalWatch watch(
        [&](int, bool again) {
          if (again) {
            abandon(pipelines);
          } else {
            for (Pipeline& pipeline : pipelines) pipeline.run->stop();
          }
        },
        [&] { restarts.request(); });
    all_end = run_concurrently(pipelines);
  }
  Exit exit = done;
  for (const Pipeline& pipeline : pipelines) {
    if (pipelines.size() > 1) std::cout << tenon::escaped_for_display(pipeline.file.name) << ": ";
    std::cout << to_text(pipeline.run->counts()) << std::endl;
    exit = std::max(exit, pipeline.exit);
  }
  if (!std::cout) {
    console.say("cannot write to standard output");
    exit = io_failed;
  }
  if (!all_end) tenon::platform::end_process(exit);
  return exit;
}

tenon::HostOptions host_options(const std::vector<std::filesystem::path>& plugin_path,
                                const Visibility& visibility = {}) {
  return {.app = "tenon",
          .plugin_path = plugin_path,
          .builtins = {tenon::builtins()},
          .contain_crashes = true,
          .report_exits = true,
          .control = visibility.control,
          .trace_file = visibility.trace_file,
          .log_level = tenon::LogLevel::info,
          .log_sink = tenon::tools::write_log_line};
}

/// Reports a module that was restarted because its file has changed. The log reports failures.
void report(const tenon::Event& event, Console& console) {
  if (event.type != tenon::Event::Type::restarted ||
      event.reason != tenon::RestartReason::file_changed)
    return;
  console.say("restarted " + event.package + ", now " + event.package_version);
}

/// Creates the plugins of all pipelines, and checks the files that they use.
void create_all_stages(tenon::Host& host, Pipelines& pipelines, Console& console, OpenCalls& calls,
                       tenon::tools::PluginOrigins& origins, Diagnostics& diagnostics) {
  for (Pipeline& pipeline : pipelines) {
    const StallWatch watch(
        pipeline.file.stall, pipeline.messages, [&](auto time) { return stalls(calls, time); },
        [&](const tenon::Error& error) {
          pipeline.messages.say(error.to_string());
          tenon::platform::end_process(failed);
        });
    pipeline.stages =
        create_stages(host, pipeline.file, pipeline.messages, calls, origins, diagnostics);
  }
  report_skipped(host, diagnostics, console);
  if (!diagnostics.empty()) return;
  std::vector<FilesOfPipeline> files;
  for (const Pipeline& pipeline : pipelines) files.push_back({pipeline.file, *pipeline.stages});
  check_files(files, diagnostics);
}

/// Exits at SIGINT and SIGTERM, because a plugin may hang while it is configured, and a file while
/// it is opened. No record was read yet.
class ExitAtSignal {
 public:
  ExitAtSignal(Console& console, const char* message)
      : watch_(
            [&console, message, this](int number, bool) {
              for (const std::string& call : calls_.longer_than({})) console.say(call);
              console.say(message);
              tenon::platform::end_process(128 + number);
            },
            [] {}) {}

  /// The calls to report.
  OpenCalls& calls() { return calls_; }

 private:
  OpenCalls calls_{[](const std::string&) {}, stop_grace_period};
  tenon::tools::SignalWatch watch_;
};

/// Warns of plugins that wrote a position and are not installed in that version or a newer one.
void check_plugins(const tenon::Host& host, const PositionStore& store,
                   tenon::tools::PluginOrigins& origins, const Messages& messages) {
  std::vector<UsedPlugin> plugins = store.state().destinations;
  if (store.state().source) plugins.insert(plugins.begin(), *store.state().source);
  std::set<std::string> checked;
  for (const UsedPlugin& used : plugins) {
    if (!checked.insert(used.plugin).second) continue;
    const auto other =
        origins.compare(host, {used.plugin, used.package, used.package_version, used.sha256},
                        store.path().string());
    if (other) messages.say(other->to_string());
  }
}

/// Opens the position of a pipeline. Errors: those of PositionStore::open.
tenon::Result<void> open_position(const tenon::Host& host, Pipeline& pipeline,
                                  tenon::tools::PluginOrigins& origins, Diagnostics& diagnostics) {
  auto store = PositionStore::open(pipeline.file.position, diagnostics);
  if (!store) return std::move(store).error();
  check_plugins(host, *store, origins, pipeline.messages);
  check_state(store->state(), pipeline.file, *pipeline.stages, diagnostics);
  store->state().pipeline = pipeline.file.name;
  pipeline.store.emplace(*std::move(store));
  return {};
}

Exit run_files(const Paths& paths, const Paths& plugin_path, const Visibility& visibility,
               bool watches) {
  Console console(program_name);
  Diagnostics diagnostics;
  Pipelines pipelines = read_pipelines(paths, console, diagnostics);
  if (pipelines.empty()) return refuse(diagnostics);

  tenon::tools::supervise(program_name);
  std::optional<ExitAtSignal> exit_at_signal(std::in_place, console,
                                             "interrupted before the pipeline began");
  tenon::HostOptions options = host_options(plugin_path, visibility);
  options.watch = watches;
  if (watches) options.on_event = [&](const tenon::Event& event) { report(event, console); };
  tenon::Host host(std::move(options));
  visibility.print_warnings(host, console);
  tenon::tools::PluginOrigins origins;
  create_all_stages(host, pipelines, console, exit_at_signal->calls(), origins, diagnostics);
  if (!diagnostics.empty()) return refuse(diagnostics);
  for (Pipeline& pipeline : pipelines) {
    if (auto opened = open_position(host, pipeline, origins, diagnostics); !opened) {
      pipeline.messages.say(opened.error().to_string());
      return io_failed;
    }
  }
  if (!diagnostics.empty()) return refuse(diagnostics);
  exit_at_signal.reset();
  for (Pipeline& pipeline : pipelines) {
    pipeline.run =
        std::make_unique<PipelineRun>(host, pipeline.file, *pipeline.store, pipeline.messages);
  }
  return run_all(host, pipelines, console);
}

/// Reports a position whose directory does not exist and cannot be made.
void check_directory(const PipelineFile& file, Diagnostics& diagnostics) {
  std::error_code failed;
  auto directory = std::filesystem::absolute(file.position).parent_path();
  while (directory.has_relative_path() && !std::filesystem::exists(directory, failed)) {
    directory = directory.parent_path();
  }
  if (std::filesystem::is_directory(directory, failed) &&
      tenon::platform::may_create_files(directory)) {
    return;
  }
  diagnostics.add({.location = file.position_place,
                   .code = "cannot-write",
                   .message = "the position cannot be saved",
                   .found = directory.string(),
                   .needed = "a directory that this user can write to",
                   .fix = "set \"position\" to another path"});
}

/// Creates and configures the plugins of pipelines, but does not open them.
Exit validate_files(const Paths& paths, const Paths& plugin_path) {
  Console console(program_name);
  Diagnostics diagnostics;
  Pipelines pipelines = read_pipelines(paths, console, diagnostics);
  tenon::tools::supervise(program_name);
  ExitAtSignal exit_at_signal(console, "interrupted");
  tenon::Host host(host_options(plugin_path));
  tenon::tools::PluginOrigins origins;
  create_all_stages(host, pipelines, console, exit_at_signal.calls(), origins, diagnostics);
  for (const Pipeline& pipeline : pipelines) check_directory(pipeline.file, diagnostics);
  if (!diagnostics.empty()) return refuse(diagnostics);
  for (const auto& path : paths) {
    std::cout << tenon::escaped_for_display(path.string()) << ": no problem found" << std::endl;
  }
  return std::cout ? done : io_failed;
}

/// Deletes one pipeline. Errors: cannot-write, in-use.
tenon::Result<Exit> delete_one(tenon::Host& host, const Pipeline& pipeline) {
  Diagnostics diagnostics;
  auto store = PositionStore::open(pipeline.file.position, diagnostics);
  if (!store) return std::move(store).error();
  check_name(store->state(), pipeline.file, diagnostics);
  if (!diagnostics.empty()) return refuse(diagnostics);
  auto deleted = delete_pipeline(host, pipeline.file, *store, pipeline.messages);
  if (!deleted) return std::move(deleted).error();
  if (!*deleted) return failed;
  std::cout << tenon::escaped_for_display(pipeline.file.name) << ": deleted" << std::endl;
  return std::cout ? done : io_failed;
}

Exit delete_files(const Paths& paths, const Paths& plugin_path) {
  Console console(program_name);
  Diagnostics diagnostics;
  const Pipelines pipelines = read_pipelines(paths, console, diagnostics);
  if (!diagnostics.empty()) return refuse(diagnostics);
  tenon::tools::supervise(program_name);
  const ExitAtSignal exit_at_signal(console, "interrupted");
  tenon::Host host(host_options(plugin_path));
  Exit exit = done;
  for (const Pipeline& pipeline : pipelines) {
    const auto deleted = delete_one(host, pipeline);
    if (!deleted) pipeline.messages.say(deleted.error().to_string());
    exit = std::max(exit, deleted ? *deleted : io_failed);
  }
  return exit;
}

using Texts = std::vector<std::string>;

/// Returns a function that sets paths to texts in UTF-8.
std::function<void(const Texts&)> path_setter(Paths& paths) {
  return [&paths](const Texts& texts) {
    paths.clear();
    for (const std::string& text : texts) paths.push_back(tenon::platform::path_from(text));
  };
}

int run(const std::vector<const char*>& arguments) {
  CLI::App program("Moves records from a source through processors to destinations.",
                   "tenon-pipeline");
  program.footer(
      "SIGINT stops reading, delivers the records that were read, and exits. A second SIGINT exits "
      "without delivering them. SIGHUP restarts modules whose files have changed; with --watch, they "
      "are restarted when they change.\n"
      "Exit status: 0 success, 1 a pipeline failed, 2 usage error or invalid pipeline file, 3 "
      "I/O error.");
  program.set_version_flag("--version", TENON_VERSION, "Prints the version");
  program.require_subcommand(1);
  program.allow_windows_style_options(false);  // "/" begins a path on all systems
  Paths paths;
  Paths plugin_path;
  const auto add = [&](const char* name, const char* description) {
    CLI::App* command = program.add_subcommand(name, description);
    command
        ->add_option_function<Texts>("FILE", path_setter(paths),
                                     "Pipeline files, or directories of them")
        ->required();
    command
        ->add_option_function<Texts>("--plugin-path", path_setter(plugin_path),
                                     "Directory to search before all others")
        ->type_name("DIR")
        ->allow_extra_args(false);
    return command;
  };
  Visibility visibility;
  bool watches = false;
  CLI::App* const running = add("run", "Runs pipelines until their sources end");
  running->add_flag("--watch", watches, "Restarts modules when their files change");
  tenon::tools::add_visibility(*running, visibility);
  const CLI::App* validate =
      add("validate", "Checks pipeline files; plugins are configured, but not opened");
  const CLI::App* deletion = add("delete",
                                 "Deletes pipelines that will not run again: calls on_deleted of "
                                 "their plugins and removes their positions");
  if (const auto exit =
          tenon::tools::parse(program, static_cast<int>(arguments.size()), arguments.data())) {
    return *exit;
  }
  if (validate->parsed()) return validate_files(paths, plugin_path);
  if (deletion->parsed()) return delete_files(paths, plugin_path);
  return run_files(paths, plugin_path, visibility, watches);
}

}  // namespace

int main(int count, char** arguments) {
  tenon::platform::hold_standard_streams();
  try {
    const auto texts = tenon::platform::program_arguments(count, arguments);
    std::vector<const char*> words;
    for (const std::string& text : texts) words.push_back(text.c_str());
    return tenon::tools::completed(run(words));
  } catch (const std::exception& error) {
    std::cerr << "tenon-pipeline: " << tenon::escaped_for_display(error.what()) << "\n";
    tenon::platform::end_process(io_failed);  // threads of plugins may run
  }
}
