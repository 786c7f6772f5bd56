// SPDX-License-Identifier: BSL-1.0
//
// tenon list
#include <tenon/detail/operator_settings.hpp>
#include <tenon/detail/other_program.hpp>
#include <tenon/host.hpp>
#include <tenon/inspect.hpp>

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "app.hpp"
#include "base/plain_text.hpp"
#include "commands.hpp"
#include "json.hpp"
#include "platform/utf8_path.hpp"
#include "search_path_errors.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

/// Returns whether `wanted` is the id of the kind, with or without the domain.
bool names_kind(std::string_view wanted, std::string_view kind) {
  return wanted == kind || wanted == kind.substr(kind.find('/') + 1);
}

/// Returns the version of the plugin's package. If there are several, the one in use is marked.
/// `packages`: sorted by name; those with one version may be missing.
std::string version_of(const PluginInfo& plugin, const std::vector<PackageInfo>& packages) {
  const auto first = std::ranges::lower_bound(packages, plugin.package(), {}, &PackageInfo::name);
  const auto last = std::ranges::upper_bound(packages, plugin.package(), {}, &PackageInfo::name);
  const bool used = std::any_of(first, last, [&plugin](const PackageInfo& package) {
    return package.used && package.version == plugin.package_version();
  });
  return plugin.package_version() + (last - first > 1 && used ? " (in use)" : "");
}

/// Returns the table in lines of its own for each plugin, for terminals that are too narrow.
std::string narrow(const Table& table, const Paint& paint) {
  std::string text;
  for (std::size_t row = 1; row < table.rows(); ++row) {
    const auto cell = [&](std::size_t column) { return std::string(table.cell(row, column)); };
    text += paint.strong(cell(0)) + "\n  " + cell(1) + " " + cell(2) + "\n  " + cell(3) + "\n  " +
            cell(4) + " " + cell(5) + "\n  " + cell(6) + "\n";
  }
  return text;
}

void print_plugins(const std::vector<PluginInfo>& plugins, const std::vector<PackageInfo>& packages,
                   const Paint& paint) {
  Table table;
  for (const char* heading : {"PLUGIN", "KIND", "VERSION", "FITS", "PACKAGE", "VERSION", "ORIGIN"})
    table.add(heading);
  table.end_row();
  for (const PluginInfo& plugin : plugins) {
    table.add(plugin.name());
    table.add(plugin.kind());
    table.add(std::to_string(plugin.version()));
    table.add(to_string(plugin.compatibility().grade));
    table.add(plugin.package());
    table.add(version_of(plugin, packages));
    table.add(plugin.builtin() ? "builtin" : plugin.file().string());
    table.end_row();
  }
  if (table.width() > columns_of(STDOUT_FILENO)) {
    std::cout << narrow(table, paint);
    return;
  }
  std::string text = paint.strong(table.line(0));
  for (std::size_t row = 1; row < table.rows(); ++row) text += table.line(row);
  std::cout << text;
}

/// Returns whether the plugins are from several versions of a package.
bool has_several_versions(const std::vector<PluginInfo>& plugins) {
  std::unordered_map<std::string_view, std::string_view> versions;
  return std::ranges::any_of(plugins, [&](const PluginInfo& plugin) {
    const auto first = versions.try_emplace(plugin.package(), plugin.package_version()).first;
    return first->second != plugin.package_version();
  });
}

/// Returns the command that shows more about the first module with a problem, otherwise about the
/// package or the code of the first problem.
std::string next_step(const Options& options, const Host& host,
                      const std::vector<Error>& problems) {
  for (const Error& problem : problems) {
    if (problem.code() != "module-left-out") continue;
    const std::string_view package = problem.found().substr(0, problem.found().find(' '));
    return "tenon release " + shell_word(options.app) + " " + shell_word(package);
  }
  for (const Error& problem : problems) {
    std::error_code ignored;
    const std::filesystem::path file =
        platform::path_from(problem.where());  // of a module, or a lock
    if (file.extension() != ".json" && std::filesystem::is_regular_file(file, ignored)) {
      return command_line(options, "inspect " + shell_word(problem.where()));
    }
  }
  const Error& first = problems.front();
  const std::string_view name = first.where().substr(0, first.where().find(' '));
  const auto has_name = [name](const PackageInfo& package) { return package.name == name; };
  if (std::ranges::any_of(host.packages(), has_name)) {
    return command_line(options, "resolve " + shell_word(name));
  }
  return "tenon explain " + std::string(first.code());
}

/// Prints the problems of one severity.
void print_problems(std::string_view heading, Severity severity, const std::vector<Error>& all,
                    const Paint& paint) {
  std::vector<Row> rows;
  for (const Error& problem : all) {
    if (problem.severity() != severity) continue;
    rows.push_back({"  " + std::string(problem.code()), std::string(problem.where())});
  }
  if (rows.empty()) return;
  std::cout << "\n" << heading << ":\n";
  for (const std::string& line : aligned(rows)) std::cout << paint.of(severity, line);
}

/// Prints what operators have set for packages.
void print_settings(const detail::OperatorSettings& settings) {
  std::vector<Row> rows;
  for (const auto& [name, package] : settings.packages) {
    if (package.is_disabled()) rows.push_back({"  disabled", name, package.enabled_by.string()});
    if (package.is_pinned())
      rows.push_back({"  pinned", name + " " + *package.version, package.version_by.string()});
  }
  if (rows.empty()) return;
  std::cout << "\nSettings:\n";
  for (const std::string& line : aligned(rows)) std::cout << line;
}

/// Returns whether a problem only says what the settings ask for.
bool is_set(const Error& problem) {
  return problem.severity() == Severity::note &&
         (problem.code() == "disabled" || problem.code() == "version-refused");
}

/// Removes the problems with the settings, and returns them: they are no modules.
std::vector<Error> take_problems(const detail::OperatorSettings& settings,
                                 std::vector<Error>& problems) {
  const auto is_missing_pin = [&settings](const Error& problem) {
    return problem.code() == "version-refused" &&
           std::ranges::any_of(settings.packages, [&problem](const auto& package) {
             return package.second.version_by == problem.where();
           });
  };
  const auto is_other = [&](const Error& problem) {
    const auto is_same = [&problem](const Error& one) {
      return one.code() == problem.code() && one.where() == problem.where();
    };
    return !is_missing_pin(problem) && std::ranges::none_of(settings.problems, is_same);
  };
  const auto first = std::stable_partition(problems.begin(), problems.end(), is_other);
  std::vector<Error> taken(std::make_move_iterator(first), std::make_move_iterator(problems.end()));
  problems.erase(first, problems.end());
  return taken;
}

boost::json::object settings_json(const detail::OperatorSettings& settings) {
  boost::json::array files, packages;
  for (const auto& file : settings.files) files.emplace_back(file.string());
  for (const auto& [name, package] : settings.packages) {
    packages.push_back({{"package", name},
                        {"enabled", !package.is_disabled()},
                        {"version", package.is_pinned() ? boost::json::value(*package.version)
                                                        : boost::json::value()}});
  }
  return {{"files", std::move(files)}, {"packages", std::move(packages)}};
}

void print_problems(const Options& options, const Host& host, std::vector<Error> problems,
                    const Paint& paint) {
  if (problems.empty()) return;
  print_problems("Skipped", Severity::error, problems, paint);
  print_problems("Warnings", Severity::warning, problems, paint);
  print_problems("Notes", Severity::note, problems, paint);
  std::stable_sort(problems.begin(), problems.end(),
                   [](const Error& a, const Error& b) { return a.severity() < b.severity(); });
  std::cout << "Next: " << escaped_for_display(next_step(options, host, problems)) << "\n";
}

/// A file in the search path, and what the host makes of it.
struct FileUse {
  std::string path;
  bool used;
  std::string reason;  // the package if it is used
};

/// Returns why a host does not use a file that it reads as a module, and that it has no package of.
std::string refusal_of(const std::filesystem::path& file, const std::vector<Error>& problems) {
  const auto is_of_file = [&file](const Error& problem) {
    return problem.where() == file.string() && problem.code() != "in-development";
  };
  const auto problem = std::ranges::find_if(problems, is_of_file);
  if (problem != problems.end()) {
    const std::string found(problem->found());
    return problem->code() != "version-refused"
               ? found
               : found + ": needed " + std::string(problem->needed());
  }
  // Libraries that plugins in directories of their own bring are no problems.
  const ModuleReport report = tenon::inspect(file);
  return report.manifest || report.errors.empty() ? "another path leads to the same file"
                                                  : std::string(report.errors.front().found());
}

FileUse use_of(const detail::SeenFile& file, const std::vector<PackageInfo>& packages,
               const std::vector<Error>& problems) {
  const std::string path = file.path.string();
  const auto package = std::ranges::find(packages, file.path, &PackageInfo::file);
  if (package != packages.end()) {
    const std::string name = package->name + " " + package->version;
    if (package->refused)
      return {path, false, name + ": " + std::string(package->refused->found())};
    if (package->used) return {path, true, name};
    return {path, false, name + ": another version is used"};
  }
  const bool is_problem = std::ranges::any_of(
      problems, [&path](const Error& problem) { return problem.where() == path; });
  if (!file.reason.empty() && !is_problem) return {path, false, file.reason};
  return {path, false, refusal_of(file.path, problems)};
}

/// Returns all files in the search path, in its order.
std::vector<FileUse> uses_of(const std::vector<detail::SearchedPath>& searched, const Host& host,
                             const std::vector<Error>& problems) {
  std::vector<FileUse> uses;
  const std::vector<PackageInfo> packages = host.packages();
  for (const detail::SearchedPath& path : searched) {
    for (const detail::SeenFile& file : detail::seen_files(path)) {
      uses.push_back(use_of(file, packages, problems));
    }
  }
  return uses;
}

void print_files(const std::vector<detail::SearchedPath>& searched,
                 const std::vector<FileUse>& uses, const Paint& paint) {
  std::vector<Row> directories;
  for (const detail::SearchedPath& path : searched) {
    directories.push_back({"  " + path.path.string(), path.exists ? "" : "does not exist"});
  }
  std::cout << "\nSearched:\n";
  for (const std::string& line : aligned(directories)) std::cout << line;
  if (uses.empty()) return;
  std::cout << "\nFiles:\n";
  std::vector<Row> rows;
  for (const FileUse& use : uses) {
    rows.push_back({use.used ? "  used" : "  not used", use.path, use.reason});
  }
  const auto lines = aligned(rows);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::cout << (uses[i].used ? paint.good(lines[i]) : lines[i]);
  }
}

void add_files(const std::vector<detail::SearchedPath>& searched, const std::vector<FileUse>& uses,
               boost::json::object& output) {
  boost::json::array paths;
  for (const detail::SearchedPath& path : searched) {
    paths.push_back({{"path", path.path.string()}, {"named", path.named}, {"exists", path.exists}});
  }
  boost::json::array files;
  for (const FileUse& use : uses) {
    files.push_back({{"path", use.path}, {"used", use.used}, {"reason", use.reason}});
  }
  output["searched"] = std::move(paths);
  output["files"] = std::move(files);
}

}  // namespace

Exit list(const Options& options, const std::string& kind, bool why) {
  // The app may have other kinds. Their plugins are listed with "unknown kind".
  if (!options.knows_kinds) detail::allow_unknown_kinds();
  // Never destroyed: the process ends next, and the system frees its memory sooner.
  static const Host& host = *new Host(host_options(options));
  std::vector<PluginInfo> plugins = host.registered();
  const bool several_versions = has_several_versions(plugins);
  if (!kind.empty()) {
    std::erase_if(plugins,
                  [&](const PluginInfo& plugin) { return !names_kind(kind, plugin.kind()); });
  }
  std::vector<Error> skipped = host.problems();
  if (!options.knows_kinds) {  // some are of modules with other problems
    std::erase_if(skipped, [](const Error& error) { return error.code() == "unknown-kind"; });
  }
  const auto searched = detail::searched_paths(options.app, options.plugin_path);
  std::vector<FileUse> uses;
  if (why) uses = uses_of(searched, host, skipped);
  const detail::OperatorSettings settings = detail::operator_settings(options.app);

  if (options.json) {
    boost::json::object output = make_output("list");
    output["app"] = options.app;
    boost::json::array all;
    for (const PluginInfo& plugin : plugins) all.push_back(to_json(plugin));
    output["plugins"] = std::move(all);
    output["skipped"] = to_json(skipped);
    output["settings"] = settings_json(settings);
    add_files(searched, uses, output);
    print(output);
    if (has_search_path_errors(options, skipped)) return io_error;
    return any_error(skipped) ? problems_found : success;
  }
  const Paint paint = Paint::for_stream(STDOUT_FILENO);
  if (!plugins.empty()) {
    print_plugins(plugins, several_versions ? host.packages() : std::vector<PackageInfo>(), paint);
  }
  if (plugins.empty()) {
    std::cerr << "tenon: no plugins"
              << (kind.empty() ? "" : " of kind " + escaped_for_display(kind)) << " for "
              << escaped_for_display(options.app) << "\n";
  }
  const std::vector<Error> unread = take_search_path_errors(options, skipped);
  print_problems(unread);
  if (why) print_files(searched, uses, paint);
  print_settings(settings);
  const std::vector<Error> wrong_settings = take_problems(settings, skipped);
  print_problems(wrong_settings);
  std::erase_if(skipped, is_set);
  print_problems(options, host, skipped, paint);
  if (!unread.empty()) return io_error;
  return any_error(skipped) || any_error(wrong_settings) ? problems_found : success;
}

}  // namespace tenon::command
