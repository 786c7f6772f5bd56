// SPDX-License-Identifier: BSL-1.0
//
// tenon-backup: backs up documents of Kubernetes into an object store, restores and deletes them.
// Stores, snapshotters and actions are plugins. This program is also an example of a host.
#include <tenon/builtins.hpp>
#include <tenon/sdk/config.hpp>
#include <tenon/trust.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/plain_text.hpp"
#include "common/command_line.hpp"
#include "common/console.hpp"
#include "common/progress.hpp"
#include "common/signals.hpp"
#include "common/visibility.hpp"
#include "common/worker.hpp"
#include "create.hpp"
#include "deletion.hpp"
#include "output.hpp"
#include "platform/program.hpp"
#include "platform/utf8_path.hpp"
#include "report.hpp"
#include "restore.hpp"
#include "selection_check.hpp"
#include "session.hpp"
#include "settings.hpp"
#include "store.hpp"
#include "tally.hpp"

namespace {

using namespace backup;
using tenon::tools::Console;

enum Exit { success = 0, failed = 1, usage_error = 2, io_error = 3 };

struct Options {
  std::filesystem::path config = "tenon-backup.json";
  std::vector<std::filesystem::path> plugin_path;
  bool json = false;
  tenon::tools::Visibility visibility{};
  bool dry_run = false;
  std::string name;
  std::filesystem::path from;
  std::string ttl;
  tenon::SelectorV1 selector;
  RestoreRequest restore;
  std::vector<std::string> mappings;  // "old=new"
  std::string existing = "keep";
  bool allow_empty = false;
  bool without_actions = false;
};

/// The state of a command.
struct Run {
  const Options& options;
  Console& console;
  Session& session;
  Store& store;
  Report& report;
  Output& output;
  Tally& tally;
};

Exit refuse(const Diagnostics& diagnostics) {
  tenon::tools::print(diagnostics);
  const auto unreadable = [](const tenon::tools::Diagnostic& diagnostic) {
    return diagnostic.code == "cannot-read";
  };
  return std::ranges::any_of(diagnostics.all(), unreadable) ? io_error : usage_error;
}

bool is_usage(const tenon::Error& error) {
  for (const std::string_view code :
       {"bad-name", "bad-pattern", "bad-label-selector", "already-exists", "invalid-argument",
        "unknown-resource", "wrong-value"}) {
    if (error.code() == code) return true;
  }
  return false;
}

Exit fail(Run& run, const tenon::Error& error) {
  run.console.say(to_text(error));
  run.output.failed(error);
  if (is_usage(error)) return usage_error;
  return error.code() == "cancelled" ? failed : io_error;
}

Exit exit_of(const Report& report) {
  return report.errors() == 0 ? success : failed;
}

/// Warns that nothing was selected.
Exit refuse_empty(Run& run) {
  run.report.warning(tenon::Error({.code = "nothing-selected",
                                   .message = "no item was selected",
                                   .where = run.options.name,
                                   .fix = "correct the selection or the input, or use "
                                          "--allow-empty"}));
  return failed;
}

/// Returns the status of a run that selected this number of items. A run that selects nothing most
/// likely has a mistake in its options or its input.
Exit exit_of(Run& run, std::uint64_t selected) {
  const Exit exit = exit_of(run.report);
  if (selected != 0 || exit != success || run.options.allow_empty) return exit;
  return refuse_empty(run);
}

/// Prints the plan, and counts its items in `selected`.
OnPlanned print_plan(Output& output, const std::string& backup, std::uint64_t& selected) {
  output.expect("items");
  return [&output, backup, &selected](const auto& id, const auto& actions) {
    ++selected;
    output.planned(backup, id, actions);
  };
}

tenon::Result<std::optional<std::chrono::nanoseconds>> read_ttl(const std::string& text) {
  if (text.empty()) return std::nullopt;
  using Parameter = tenon::sdk::Parameter<tenon::Duration>;
  if (const auto ttl = Parameter::parse(text); ttl && ttl->count() > 0) return *ttl;
  return tenon::Error({.code = "wrong-value",
                       .where = "--ttl",
                       .found = text,
                       .needed = Parameter::expected() + ", longer than 0",
                       .fix = "change the value"});
}

Exit create(Run& run) {
  const Options& options = run.options;
  if (auto good = check_name(options.name); !good) return fail(run, good.error());
  const auto ttl = read_ttl(options.ttl);
  if (!ttl) return fail(run, ttl.error());
  const CreateRequest request{options.name, options.from, options.selector, *ttl,
                              options.allow_empty};
  if (options.dry_run) {
    std::uint64_t selected = 0;
    const auto planned = plan_backup(run.session, request, run.report,
                                     print_plan(run.output, request.name, selected));
    return planned ? exit_of(run, selected) : fail(run, planned.error());
  }
  const auto record = create_backup(run.session, run.store, request, run.report, run.tally);
  if (!record) return fail(run, record.error());
  if (!*record) return refuse_empty(run);
  run.output.created(**record);
  return exit_of(run.report);
}

tenon::Result<tenon::TextMap> read_mappings(const std::vector<std::string>& mappings) {
  tenon::TextMap map;
  for (const std::string& mapping : mappings) {
    const std::size_t equals = mapping.find('=');
    const std::string target = equals != std::string::npos ? mapping.substr(equals + 1) : "";
    // With a target that no namespace can have, the action would fail for each item, which would be
    // restored into its old namespace.
    const std::string old = mapping.substr(0, equals);
    if (is_namespace(old) && is_namespace(target) && map.emplace(old, target).second) continue;
    return tenon::Error({.code = "wrong-value",
                         .where = "--map-namespace",
                         .found = mapping,
                         .needed = "OLD=NEW, each old namespace once, both of at most 63 "
                                   "lower-case letters, digits and '-', with a letter or digit at "
                                   "both ends",
                         .fix = "change the value"});
  }
  return map;
}

/// Returns the nearest directory above a path, or the path itself, that exists.
std::filesystem::path existing_part(std::filesystem::path path) {
  std::error_code ignored;
  path = std::filesystem::absolute(path, ignored);
  while (path.has_relative_path() && !std::filesystem::exists(path, ignored)) {
    path = path.parent_path();
  }
  return path;
}

Exit restore(Run& run) {
  RestoreRequest request = run.options.restore;
  request.backup = run.options.name;
  request.selector = run.options.selector;
  if (run.options.existing == "update") request.existing = RestoredDirectory::Existing::replace;
  if (auto good = check_name(request.backup); !good) return fail(run, good.error());
  if (!request.name.empty()) {
    if (auto good = check_restore_name(request.name); !good) return fail(run, good.error());
  }
  auto mappings = read_mappings(run.options.mappings);
  if (!mappings) return fail(run, mappings.error());
  request.namespace_mapping = *std::move(mappings);
  if (run.options.dry_run) {
    std::uint64_t selected = 0;
    const auto planned = plan_restore(run.session, run.store, request, run.report,
                                      print_plan(run.output, request.backup, selected));
    return planned ? exit_of(run, selected) : fail(run, planned.error());
  }
  // Users who may rename what is restored could exchange it, and see where Secrets go.
  if (const auto exposed = tenon::check_owner(existing_part(request.to))) {
    if (exposed->severity() == tenon::Severity::error) return fail(run, *exposed);
    run.report.warning(*exposed);
  }
  const auto record = restore_backup(run.session, run.store, request, run.report, run.tally);
  if (!record) return fail(run, record.error());
  if (record->restored + record->skipped == 0 && record->errors == 0 && !run.options.allow_empty) {
    return refuse_empty(run);
  }
  run.output.restored(*record);
  const auto stored = run.store.write(*record);
  return stored ? exit_of(run.report) : fail(run, stored.error());
}

Exit remove(Run& run, const tenon::StoredBackupV1& record) {
  if (run.options.dry_run) {
    std::uint64_t selected = 0;
    const auto planned = plan_deletion(run.session, run.store, record, run.report,
                                       print_plan(run.output, record.backup.name, selected));
    return planned ? exit_of(run.report) : fail(run, planned.error());
  }
  Report report(run.console, run.session.host);  // of this backup alone
  const auto actions =
      run.options.without_actions ? DeleteActions::omitted : DeleteActions::executed;
  const auto deletion = delete_backup(run.session, run.store, record, actions, report, run.tally);
  if (!deletion) return fail(run, deletion.error());
  run.output.deleted(record.backup.name, *deletion, report.problems());
  if (deletion->needs_actions) {
    run.console.say("if these problems cannot be solved, `tenon-backup delete " +
                    record.backup.name +
                    " --without-actions` deletes the backup, but nothing outside of it");
  }
  return exit_of(report);
}

Exit remove(Run& run) {
  const std::string& name = run.options.name;
  if (auto good = check_name(name); !good) return fail(run, good.error());
  const auto record = run.store.read(name);
  if (record) return remove(run, *record);
  if (record.error().code() != "not-found" || run.options.dry_run) return fail(run, record.error());
  const auto deletion = delete_leftovers(run.store, name);
  if (!deletion) return fail(run, deletion.error());
  if (!deletion->deleted) return fail(run, record.error());
  run.output.deleted(name, *deletion, {});
  return success;
}

/// Calls `visit` with the record of each backup, in the order of their names. Records that cannot
/// be read are reported. Leftovers of unfinished backups have no record.
tenon::Result<void> each_backup(Run& run,
                                const std::function<void(const tenon::StoredBackupV1&)>& visit) {
  const auto names = run.store.names();
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (run.session.caller.cancelled()) {
      return Caller::cancelled_error();
    }
    const auto record = run.store.read(name);
    if (record) {
      visit(*record);
    } else if (record.error().code() != "not-found") {
      run.report.error(record.error());
    }
  }
  return {};
}

Exit expire(Run& run) {
  if (run.options.dry_run) {
    run.output.expect("backups");
    run.output.expect("items");
  } else {
    run.output.expect("deletions");
  }
  const auto now = std::chrono::system_clock::now();
  Exit worst = success;
  // Deletes each one right after its record was read, because it may be replaced meanwhile.
  const auto listed = each_backup(run, [&](const tenon::StoredBackupV1& record) {
    const bool expired = record.backup.expires && *record.backup.expires <= now;
    if (!expired) return;
    if (run.options.dry_run) run.output.would_expire(record);
    worst = std::max(worst, remove(run, record));
  });
  return std::max(worst, listed ? exit_of(run.report) : fail(run, listed.error()));
}

Exit list(Run& run) {
  run.output.expect("backups");
  const auto listed =
      each_backup(run, [&](const tenon::StoredBackupV1& record) { run.output.listed(record); });
  return listed ? exit_of(run.report) : fail(run, listed.error());
}

Exit describe(Run& run) {
  if (auto good = check_name(run.options.name); !good) return fail(run, good.error());
  const auto record = run.store.read(run.options.name);
  if (!record) return fail(run, record.error());
  run.output.described(*record);
  return success;
}

using Command = std::function<Exit(Run&)>;

Exit run_command(const Options& options, const std::string& name, const Command& command) {
  Diagnostics diagnostics;
  auto settings = read_settings(options.config, diagnostics);
  if (!settings || !diagnostics.empty()) return refuse(diagnostics);

  tenon::tools::supervise("tenon-backup");
  Output output(name, options.json);
  Console console("tenon-backup");
  auto session = std::make_unique<Session>(console, *std::move(settings), options.plugin_path,
                                           std::vector{tenon::builtins()}, options.visibility);
  session->check_uses(diagnostics);
  if (!diagnostics.empty()) return refuse(diagnostics);

  session->host.set_health({}, {});
  Report report(console, session->host);
  Tally tally(session->host);
  Exit exit = success;
  {
    const tenon::tools::SignalWatch watch([&](int, bool) { session->caller.cancel(); }, [] {});
    const tenon::tools::Progress progress(console,
                                          [&](auto since) { return progress_line(tally, since); });
    auto store = Store::open(*session);
    if (store) {
      Run run{options, console, *session, *store, report, output, tally};
      exit = command(run);
    } else if (TENON_CODE(store.error().status()) == TENON_INVALID_ARGUMENT) {
      tenon::tools::add_error(store.error(), session->settings.store.config_location, diagnostics);
      return refuse(diagnostics);
    } else {
      console.say(to_text(store.error()));
      output.failed(store.error());
      exit = io_error;
    }
  }
  output.problems(report.problems());
  if (!output.finish()) {
    console.say("cannot write to standard output");
    exit = io_error;
  }
  // An abandoned thread may still run code that would be unloaded.
  if (session->caller.has_abandoned_calls()) {
    tenon::platform::end_process(tenon::tools::completed(exit));
  }
  return exit;
}

void add_selection(CLI::App& command, tenon::SelectorV1& selector) {
  const auto add = [&](const char* option, std::vector<std::string>& patterns,
                       const char* description) {
    command.add_option(option, patterns, description)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("PATTERN,...");
  };
  add("--include-namespaces", selector.included_namespaces, "Only items in these namespaces");
  add("--exclude-namespaces", selector.excluded_namespaces, "No items in these namespaces");
  add("--include-resources", selector.included_resources, "Only items of these resources");
  add("--exclude-resources", selector.excluded_resources, "No items of these resources");
  command
      .add_option("-l,--selector,--or-selector", selector.label_selector,
                  "Only items with these labels, eg: app=web,!old or tier=db")
      ->type_name("LABELS");
}

/// Returns a function that sets a path to a text in UTF-8.
std::function<void(const std::string&)> path_setter(std::filesystem::path& path) {
  return [&path](const std::string& text) { path = tenon::platform::path_from(text); };
}

int run(const std::vector<const char*>& arguments) {
  CLI::App program("Backs up, restores and deletes documents of Kubernetes.", "tenon-backup");
  program.footer(
      "SIGINT cancels the run; a second one ends it at once.\n"
      "Exit status: 0 success, 1 problem found, 2 usage error, 3 I/O error.");
  program.set_version_flag("--version", TENON_VERSION, "Prints the version");
  program.require_subcommand(1);
  program.fallthrough();
  program.allow_windows_style_options(false);  // "/" begins a path on all systems
  Options options;
  program
      .add_option_function<std::string>("-c,--config", path_setter(options.config),
                                        "Configuration file")
      ->type_name("FILE")
      ->default_str(options.config.string());
  program
      .add_option_function<std::vector<std::string>>(
          "--plugin-path",
          [&](const std::vector<std::string>& texts) {
            options.plugin_path.clear();
            for (const std::string& text : texts) {
              options.plugin_path.push_back(tenon::platform::path_from(text));
            }
          },
          "Directory to search before all others")
      ->type_name("DIR")
      ->allow_extra_args(false);
  program.add_flag("--json", options.json, "Prints one JSON object");
  tenon::tools::add_visibility(program, options.visibility);

  Command command;
  std::string name;
  const auto add = [&](const char* word, const char* description, const Command& act) {
    CLI::App* added = program.add_subcommand(word, description);
    added->callback([&command, &name, word, act] {
      name = word;
      command = act;
    });
    return added;
  };
  const auto add_name = [&](CLI::App* added) {
    added->add_option("NAME", options.name, "Name of the backup")->required();
  };
  const auto add_allow_empty = [&](CLI::App* added) {
    added->add_flag("--allow-empty", options.allow_empty, "Succeeds even if no item is selected");
  };
  const auto add_dry_run = [&](CLI::App* added) {
    added->add_flag("--dry-run", options.dry_run,
                    "Prints the actions that would be executed for each item");
  };

  CLI::App* create_command = add("create", "Creates a backup", create);
  add_name(create_command);
  create_command
      ->add_option_function<std::string>("--from", path_setter(options.from),
                                         "JSON documents as `kubectl get -o json` prints them")
      ->required()
      ->type_name("DIR|FILE");
  create_command
      ->add_option("--ttl", options.ttl, "`expire` deletes the backup after this time, eg: 720h")
      ->type_name("DURATION");
  add_selection(*create_command, options.selector);
  add_allow_empty(create_command);
  add_dry_run(create_command);

  CLI::App* restore_command = add("restore", "Restores a backup into a directory", restore);
  add_name(restore_command);
  restore_command
      ->add_option_function<std::string>("--to", path_setter(options.restore.to),
                                         "Directory for the items")
      ->required()
      ->type_name("DIR");
  restore_command->add_option("--name", options.restore.name, "Name of the restore")
      ->type_name("RESTORE");
  restore_command
      ->add_option("--map-namespace", options.mappings,
                   "Restores items of one namespace into another")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("OLD=NEW,...");
  tenon::tools::add_choice(*restore_command, "--existing", options.existing, {"keep", "update"},
                           "What happens to files with other content")
      ->capture_default_str();
  add_selection(*restore_command, options.selector);
  add_allow_empty(restore_command);
  add_dry_run(restore_command);

  CLI::App* delete_command = add("delete", "Deletes a backup, its snapshots and its external files",
                                 [](Run& run) { return remove(run); });
  add_name(delete_command);
  add_dry_run(delete_command);
  delete_command
      ->add_flag("--without-actions", options.without_actions,
                 "Executes no delete actions, eg: if the archive is damaged")
      ->excludes("--dry-run");
  add_dry_run(add("expire", "Deletes each backup whose --ttl has expired", expire));
  add("list", "Lists the backups", list);
  add_name(add("describe", "Describes a backup", describe));

  if (const auto exit =
          tenon::tools::parse(program, static_cast<int>(arguments.size()), arguments.data())) {
    return *exit;
  }
  return run_command(options, name, command);
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
    std::cerr << "tenon-backup: " << tenon::escaped_for_display(error.what()) << "\n";
    return io_error;
  }
}
