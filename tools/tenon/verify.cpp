// SPDX-License-Identifier: BSL-1.0
//
// tenon verify
#include <tenon/inspect.hpp>
#include <tenon/sdk/conformance.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "commands.hpp"
#include "common/command_line.hpp"
#include "common/console.hpp"
#include "common/hidden_values.hpp"
#include "conformance/child.hpp"
#include "conformance/confinement.hpp"
#include "json.hpp"
#include "kind_specs.hpp"
#include "method_cases.hpp"
#include "platform/exit_handlers.hpp"
#include "platform/machine.hpp"
#include "platform/process.hpp"
#include "platform/program.hpp"
#include "search_path_errors.hpp"
#include "text.hpp"
#include "verify_setups.hpp"
#include "verify_workers.hpp"

namespace tenon::command {
namespace {

namespace conformance = sdk::conformance;
namespace fs = std::filesystem;
using conformance::Case;
using conformance::Result;
using conformance::Verdict;
using tools::Diagnostics;

/// A module, its cases, and the results of the first of them.
struct VerifiedModule {
  fs::path file;
  ModuleReport report;
  std::vector<Case> cases = {};  // those of the kit, then `methods`
  std::vector<MethodCase> methods = {};
  std::vector<Result> results = {};
  bool ended = false;
};
using Modules = std::vector<VerifiedModule>;

// -- Modules ------------------------------------------------------------------

/// Returns the files of a directory that may be modules, at the depths at which hosts find them.
std::vector<fs::path> files_in(const fs::path& directory) {
  constexpr int deepest = 2;  // PACKAGE/VERSION/NAME.so
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(directory), end; at != end; ++at) {
    if (at.depth() == deepest) at.disable_recursion_pending();
    const bool is_library = at->path().extension() == platform::module_suffix;
    if (is_library && at->is_regular_file()) files.push_back(at->path());
  }
  std::ranges::sort(files);
  return files;
}

bool is_module(const ModuleReport& report) {
  return std::ranges::none_of(report.errors, [](const Error& error) {
    return error.code() == "no-manifest" || error.code() == "not-a-module";
  });
}

/// Returns whether code of a module can run here.
bool is_runnable(const VerifiedModule& module) {
  const bool is_dll = module.report.format == "PE";
  return module.report.manifest.has_value() && is_dll == platform::loads_dlls;
}

/// Returns the modules that the arguments name. Libraries in a directory are none.
Modules find_modules(const std::vector<fs::path>& arguments) {
  Modules modules;
  for (const fs::path& argument : arguments) {
    std::error_code ignored;
    if (!fs::is_directory(argument, ignored)) {
      modules.push_back({argument, tenon::inspect(argument)});
      continue;
    }
    for (const fs::path& file : files_in(argument)) {
      ModuleReport report = tenon::inspect(file);
      if (is_module(report)) modules.push_back({file, std::move(report)});
    }
  }
  return modules;
}

/// Finds the cases of a module that can be read.
void find_cases(KindSpecs& specs, bool may_change_data, VerifiedModule& module) {
  module.ended = !is_runnable(module);
  if (module.ended) return;
  module.cases = conformance::cases({.module = module.file});
  module.methods = method_cases(module.report, specs, may_change_data);
  std::ranges::transform(module.methods, std::back_inserter(module.cases), &MethodCase::of);
}

bool calls_methods(const Modules& modules) {
  return std::ranges::any_of(modules, [](const VerifiedModule& module) {
    return std::ranges::any_of(module.methods,
                               [](const MethodCase& one) { return one.method != nullptr; });
  });
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

std::string painted(const Result& result, const Paint& paint) {
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
  std::vector<std::string> lines = aligned(rows);
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

  void add(const VerifiedModule& module) {
    for (const Result& result : module.results) {
      if (result.verdict == Verdict::passed) ++passed;
      if (result.verdict == Verdict::failed) ++failed;
      if (result.verdict == Verdict::not_run) ++not_run;
    }
  }
};

Counts counts_of(const Modules& modules) {
  Counts counts;
  for (const VerifiedModule& module : modules) counts.add(module);
  return counts;
}

/// Returns whether a descriptor is a pipe, whose reader may print to the terminal at any time.
bool is_pipe(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode);
}

/// Prints the results as text, in the order of the modules, each as soon as it is known.
class Listing {
 public:
  /// If `prints` is false, shows only the progress.
  Listing(const Modules& modules, bool prints) : modules_(modules), prints_(prints) {}

  /// Prints what is new, and shows the progress on a terminal.
  void update() {
    console_.clear();
    while (prints_ && module_ < modules_.size()) {
      const VerifiedModule& module = modules_[module_];
      print(module);
      if (!module.ended) break;
      ++module_;
      next_ = 0;
    }
    std::cout.flush();
    if (shows_progress_) show_progress();
  }

  /// Passes on a line that a plugin has printed.
  void pass_on(const VerifiedModule& module, std::string_view line) {
    console_.clear();
    if (modules_.size() > 1) std::cerr << escaped_for_display(module.file.string()) << ": ";
    std::cerr << line << "\n";
  }

  /// Prints what is left, also of modules that have not ended.
  void end() {
    console_.clear();
    for (; prints_ && module_ < modules_.size(); ++module_) {
      print(modules_[module_]);
      next_ = 0;
    }
  }

 private:
  void print(const VerifiedModule& module) {
    if (next_ == 0) {
      lines_ = lines_of(module.cases);
      if (!is_runnable(module)) print_problems(module.report.errors);
    }
    if (next_ == 0 && !module.results.empty() && modules_.size() > 1) {
      std::cout << paint_.strong(escaped_for_display(module.file.string())) << "\n";
    }
    for (; next_ < module.results.size(); ++next_) {
      std::cout << lines_[next_] << painted(module.results[next_], paint_) << "\n";
    }
  }

  void show_progress() {
    const auto ended = std::ranges::count_if(modules_, &VerifiedModule::ended);
    std::size_t cases = 0;
    std::size_t results = 0;
    for (const VerifiedModule& module : modules_) {
      cases += module.cases.size();
      results += module.results.size();
    }
    if (results == cases) return;
    console_.show(std::to_string(ended) + " of " + counted(modules_.size(), "module") + ", " +
                  std::to_string(results) + " of " + counted(cases, "case"));
  }

  const Modules& modules_;
  const bool prints_;
  const Paint paint_ = Paint::for_stream(STDOUT_FILENO);
  tools::Console console_{"tenon verify"};
  const bool shows_progress_ = console_.on_terminal() && !(prints_ && is_pipe(STDOUT_FILENO));
  std::size_t module_ = 0;          // that is printed
  std::size_t next_ = 0;            // of its cases
  std::vector<std::string> lines_;  // of its cases
};

boost::json::value or_null(const std::string& text) {
  return text.empty() ? boost::json::value(nullptr) : boost::json::value(escaped_for_display(text));
}

void add(const Counts& counts, boost::json::object& object) {
  object["passed"] = counts.passed;
  object["failed"] = counts.failed;
  object["not_run"] = counts.not_run;
}

boost::json::object output_of(const VerifiedModule& module) {
  boost::json::array cases;
  for (const Result& result : module.results) {
    cases.push_back({{"kind", or_null(result.of.kind)},
                     {"plugin", result.of.plugin},
                     {"case", result.of.name},
                     {"verdict", to_string(result.verdict)},
                     {"reason", or_null(result.reason)}});
  }
  boost::json::object object{{"file", module.file.string()}, {"cases", std::move(cases)}};
  Counts counts;
  counts.add(module);
  add(counts, object);
  object["errors"] = to_json(module.report.errors);
  return object;
}

/// How the cases are run.
struct Run {
  conformance::Options options;  // without the module
  std::uint64_t seed;
  bool network;  // whether methods can use the network
};

void print_json(const Modules& modules, const Run& run, bool interrupted,
                const std::vector<Error>& errors) {
  boost::json::object output = make_output("verify");
  boost::json::array files;
  for (const VerifiedModule& module : modules) files.push_back(output_of(module));
  output["files"] = std::move(files);
  add(counts_of(modules), output);
  output["seed"] = run.seed;
  output["network"] = run.network;
  output["interrupted"] = interrupted;
  output["errors"] = to_json(errors);
  print(output);
}

void print_totals(const Modules& modules, const Run& run) {
  if (std::ranges::none_of(modules, is_runnable)) return;
  if (calls_methods(modules)) {
    std::cout << "generated requests: --seed " << run.seed
              << (run.network ? ", with network: the system does not allow to take it away\n"
                              : ", without network\n");
  }
  const Counts counts = counts_of(modules);
  std::cout << counts.passed << " passed, " << counts.failed << " failed, " << counts.not_run
            << " not run\n";
}

// -- The run ------------------------------------------------------------------

/// Runs the cases of a module. Calls `done` after each.
void run_cases(Run run, const VerifiedModule& module, const auto& done) {
  run.options.module = module.file;
  const std::size_t of_kit = module.cases.size() - module.methods.size();
  for (std::size_t i = 0; i < module.cases.size(); ++i) {
    done(i < of_kit ? conformance::run(run.options, module.cases[i])
                    : command::run(run.options, module.methods[i - of_kit], run.seed));
  }
}

/// Ends the cases of a module whose process has ended: the first one without a result has failed.
void end_cases(VerifiedModule& module, const std::string& reason) {
  Verdict verdict = Verdict::failed;
  while (module.results.size() < module.cases.size()) {
    module.results.push_back({module.cases[module.results.size()], verdict, reason});
    verdict = Verdict::not_run;
  }
  module.ended = true;
}

/// Runs the cases of all modules. Returns the number of a signal that interrupted it; otherwise 0.
int run_all(const Run& run, Modules& modules, Listing& listing) {
  std::vector<std::size_t> readable;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    if (!modules[i].ended) readable.push_back(i);
  }
  const auto module = [&](std::size_t index) -> VerifiedModule& {
    return modules[readable[index]];
  };
  VerifyWork work;
  work.count = readable.size();
  work.run = [&](std::size_t index, const auto& done) { run_cases(run, module(index), done); };
  work.case_ended = [&](std::size_t index, Verdict verdict, const std::string& reason) {
    VerifiedModule& one = module(index);
    one.results.push_back(
        {one.cases[one.results.size()], verdict, tools::without_hidden_values(reason)});
    listing.update();
  };
  work.module_broke = [&](std::size_t index, const std::string& reason) {
    end_cases(module(index), reason);
  };
  work.module_ended = [&](std::size_t index) {
    module(index).ended = true;
    listing.update();
  };
  work.printed = [&](std::size_t index, std::string_view line) {
    listing.pass_on(module(index), line);
  };
  listing.update();
  if (!run.options.in_process) return run_in_processes(work);
  for (std::size_t i = 0; i < readable.size(); ++i) {
    work.run(i, [&](const Result& result) { work.case_ended(i, result.verdict, result.reason); });
    work.module_ended(i);
  }
  return 0;
}

std::vector<Error> errors_of(const Diagnostics& problems) {
  std::vector<Error> errors;
  for (const tools::Diagnostic& problem : problems.all()) {
    errors.push_back(Error({.code = problem.code,
                            .message = problem.message,
                            .where = to_text(problem.location),
                            .found = problem.found,
                            .needed = problem.needed,
                            .fix = problem.fix}));
  }
  return errors;
}

Exit wrong_setups(bool json, const Modules& modules, const Run& run, const Diagnostics& problems) {
  tools::print(problems);
  if (json) print_json(modules, run, false, errors_of(problems));
  const auto unreadable = [](const tools::Diagnostic& problem) {
    return problem.code == "cannot-read";
  };
  return std::ranges::any_of(problems.all(), unreadable) ? io_error : usage_error;
}

/// Returns the exit status, and prints the modules of which no case could be run.
Exit status_of(const Modules& modules) {
  Exit status = success;
  for (const VerifiedModule& module : modules) {
    if (!is_runnable(module)) {
      const bool unreadable = std::ranges::any_of(module.report.errors, is_unreadable);
      status = unreadable || status == io_error ? io_error : problems_found;
      continue;
    }
    Counts counts;
    counts.add(module);
    if (counts.passed + counts.failed == 0) {
      std::cerr << "tenon verify: " << escaped_for_display(module.file.string())
                << ": no case could be run\n";
    }
    if (counts.failed > 0 || counts.passed == 0) status = std::max(status, problems_found);
  }
  return status;
}

/// Prints what is left to print.
void end_output(bool json, const Modules& modules, const Run& run, bool interrupted,
                Listing& listing) {
  listing.end();
  if (!json) return print_totals(modules, run);
  print_json(modules, run, interrupted, {});
  for (const VerifiedModule& module : modules) {
    if (!is_runnable(module)) print_problems(module.report.errors);
  }
}

/// What is to be done if a plugin calls exit in this process; nullptr: nothing.
const std::function<void()>* at_exit = nullptr;

/// Sets `at_exit` for its lifetime.
class AtExit {
 public:
  explicit AtExit(const std::function<void()>& action) {
    const auto act = [] {
      if (at_exit != nullptr) (*at_exit)();
    };
    platform::add_exit_handlers(act, act);
    at_exit = &action;
  }
  ~AtExit() { at_exit = nullptr; }
  AtExit(const AtExit&) = delete;
  AtExit& operator=(const AtExit&) = delete;
};

std::vector<Case> all_cases(const Modules& modules) {
  std::vector<Case> cases;
  for (const VerifiedModule& module : modules) {
    cases.insert(cases.end(), module.cases.begin(), module.cases.end());
  }
  return cases;
}

Exit refuse(const std::string& reason, Exit status) {
  std::cerr << "tenon verify: " << escaped_for_display(reason) << "\n";
  return status;
}

/// `directories` have no modules.
Exit no_modules(bool json, const std::vector<fs::path>& directories, const Run& run) {
  std::vector<Error> errors;
  for (const fs::path& directory : directories) {
    errors.push_back(Error({.code = "not-found",
                            .message = "the directory has no modules",
                            .where = directory.string()}));
    refuse("there is no module in " + directory.string(), problems_found);
  }
  if (json) print_json({}, run, false, errors);
  return problems_found;
}

}  // namespace

Exit verify(const Options& options, const VerifyArguments& arguments) {
  Modules modules = find_modules(arguments.files);
  if (arguments.in_process && modules.size() > 1) {
    return refuse("--in-process: found " + counted(modules.size(), "module") + ", needed one",
                  usage_error);
  }
  Run run{.options = {.timeout = arguments.timeout, .in_process = arguments.in_process},
          .seed = arguments.seed.value_or(conformance::random_seed()),
          .network = arguments.in_process || !conformance::can_leave_network()};
  if (modules.empty()) return no_modules(options.json, arguments.files, run);
  KindSpecs specs(options);
  for (VerifiedModule& module : modules) find_cases(specs, arguments.may_change_data, module);
  Diagnostics problems;
  run.options.setups = read_setups(arguments.configs, all_cases(modules), problems);
  if (!problems.empty()) return wrong_setups(options.json, modules, run, problems);
  Listing listing(modules, !options.json);
  const std::function<void()> report_exit = [&] {
    end_cases(modules.front(), "the plugin ended the process");
    end_output(options.json, modules, run, false, listing);
    std::cout.flush();
    platform::end_process(status_of(modules));
  };
  std::optional<AtExit> at_exit_of_plugin;
  if (arguments.in_process) at_exit_of_plugin.emplace(report_exit);
  const int signal = run_all(run, modules, listing);
  at_exit_of_plugin.reset();
  end_output(options.json, modules, run, signal != 0, listing);
  if (signal != 0) {
    refuse("interrupted", problems_found);
    std::cout.flush();
    end_by(signal);
  }
  return status_of(modules);
}

}  // namespace tenon::command
