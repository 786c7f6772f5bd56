// SPDX-License-Identifier: BSL-1.0
//
// tenon inspect
#include <tenon/host.hpp>
#include <tenon/inspect.hpp>

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "app.hpp"
#include "base/system_library.hpp"
#include "commands.hpp"
#include "config/manifest_parameters.hpp"
#include "json.hpp"
#include "platform/utf8_path.hpp"
#include "search_path_errors.hpp"
#include "spelling.hpp"
#include "systems.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t verdict_column = 64;

/// The result for one module.
struct Inspection {
  ModuleReport report;
  bool in_plugin_path = false;
  std::vector<RequirementInfo> requirements = {};  // of its package
};

/// Returns whether the subject is a file, whatever plugins there are. A directory may also have the
/// name of a plugin.
bool is_file(const std::string& subject) {
  std::error_code ignored;
  const fs::path path = platform::path_from(subject);
  const fs::file_status status = fs::status(path, ignored);
  const fs::path extension = path.extension();
  return (fs::exists(status) && !fs::is_directory(status)) || path.has_root_directory() ||
         subject.starts_with('.') || extension == ".so" || extension == ".dll";
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code failed;
  return fs::equivalent(a, b, failed) && !failed;
}

/// Returns whether the report already contains the problem.
bool is_known(const Error& problem, const ModuleReport& report) {
  const auto is_same = [&problem](const Error& known) {
    return known.code() == problem.code() && known.found() == problem.found();
  };
  return std::ranges::any_of(report.errors, is_same) ||
         std::ranges::any_of(report.warnings, is_same);
}

/// Returns the package of a module file, if the host found it there.
std::optional<PackageInfo> package_of(const Host& host, const fs::path& file) {
  for (PackageInfo& package : host.packages()) {
    if (!package.builtin() && same_file(package.file, file)) return std::move(package);
  }
  return std::nullopt;
}

/// Adds problems that depend on the other files of the plugin path, eg: another module has the
/// name, or the directory belongs to another version.
void add_problems_of_host(Inspection& found, const Host& host) {
  found.in_plugin_path = package_of(host, found.report.file).has_value();
  for (Error& problem : host.problems()) {
    if (!same_file(platform::path_from(problem.where()), found.report.file)) continue;
    found.in_plugin_path = true;
    if (!is_known(problem, found.report)) found.report.add(std::move(problem));
  }
}

/// Adds the installed packages that satisfy the requirements. A host does not use a package whose
/// requirements are not satisfied.
void add_requirements(Inspection& found, const Host& host, const Options& options) {
  if (!found.report.manifest || found.report.manifest->requirements.empty()) return;
  std::optional<PackageInfo> package = package_of(host, found.report.file);
  if (!package) {
    HostOptions with_file = host_options(options);
    with_file.plugin_path.insert(with_file.plugin_path.begin(), found.report.file);
    package = package_of(Host(std::move(with_file)), found.report.file);
  }
  if (!package) return;
  found.requirements = std::move(package->requirements);
  if (package->refused) found.report.add(*package->refused);
}

/// Inspects the builtin module that contains the plugin.
ModuleReport inspect_builtin(const Options& options, const PluginInfo& plugin) {
  ModuleReport report;
  for (const tenon_module* builtin : options.builtins) {
    report = tenon::inspect(*builtin);
    if (report.manifest && report.manifest->package == plugin.package()) break;
  }
  return report;
}

Result<Inspection> look_up(const Options& options, const std::string& subject) {
  const Host host(host_options(options));
  fs::path file = platform::path_from(subject);
  if (!is_file(subject)) {
    auto named = host.find_all(subject);
    std::error_code ignored;
    if (named) {
      if (named->front().builtin())
        return Inspection{inspect_builtin(options, named->front()), true};
      file = named->front().file();
    } else if (!fs::exists(file, ignored)) {
      return std::move(named).error();
    }
  }
  Inspection found{tenon::inspect(file, options.program)};
  check_spelling(options, found.report);
  add_problems_of_host(found, host);
  add_requirements(found, host, options);
  return found;
}

/// Lines that consist of a label and a table after it.
class Page {
 public:
  void table(std::string_view label, const std::vector<Row>& rows) {
    bool first = true;
    for (const std::string& line : aligned(rows)) {
      std::string begin(first ? label : "");
      begin.resize(12, ' ');
      text_ += begin + line;
      first = false;
    }
  }
  void line(std::string_view label, std::string_view text) {
    if (text.empty()) return;
    std::vector<Row> lines;
    for (std::size_t begin = 0; begin <= text.size();) {
      const auto end = std::min(text.find('\n', begin), text.size());
      lines.push_back({std::string(text.substr(begin, end - begin))});
      begin = end + 1;
    }
    table(label, lines);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string title(const ModuleReport& report, const std::string& subject) {
  if (!report.manifest)
    return escaped_for_display(report.file.empty() ? subject : report.file.string());
  const ManifestInfo& manifest = *report.manifest;
  std::string title = manifest.package + " " + manifest.package_version;
  if (!manifest.summary.empty()) title += "  \"" + escaped_for_display(manifest.summary) + "\"";
  return title;
}

std::string verdict(const ModuleReport& report, const Paint& paint) {
  std::string counts;
  const auto count = [&counts](const std::vector<Error>& problems, std::string_view noun) {
    if (problems.empty()) return;
    counts += (counts.empty() ? "" : ", ") + counted(problems.size(), noun);
  };
  count(report.errors, "error");
  count(report.warnings, "warning");
  count(report.notes, "note");
  if (!report.would_load()) return paint.bad("WOULD NOT LOAD: " + counts);
  return paint.good((counts.empty() ? "NO PROBLEM FOUND" : "NO ERROR FOUND: " + counts) +
                    "; not loaded");
}

/// Returns a text such as "root 0644".
std::string owner_text(const FileOwner& owner) {
  return escaped_for_display(owner.user) + " " + mode_text(owner);
}

bool is_dll(const ModuleReport& report) {
  return report.format == "PE";
}

void add_file(Page& page, const ModuleReport& report) {
  if (report.file.empty()) return page.line("file", "none: linked into the program");
  std::error_code ignored;
  if (!fs::is_regular_file(report.file, ignored)) return;
  Row row{escaped_for_display(report.file.string()), size_text(report.size)};
  if (!report.machine.empty()) row.push_back(report.machine + (is_dll(report) ? " (Windows)" : ""));
  if (report.owner) row.push_back(owner_text(*report.owner));
  page.table("file", {row});
}

void add_plugins(Page& page, const std::vector<PluginInfo>& plugins) {
  if (plugins.empty()) return;
  std::vector<Row> rows{{"NAME", "KIND", "VERSION", "HOST", "FITS"}};
  for (const PluginInfo& plugin : plugins) {
    const Compatibility& compatibility = plugin.compatibility();
    rows.push_back(
        {plugin.name(), plugin.kind(), std::to_string(plugin.version()),
         compatibility.host_version != 0 ? std::to_string(compatibility.host_version) : "-",
         std::string(to_string(compatibility.grade))});
  }
  const auto lines = aligned(rows);
  // Details of a plugin follow its row, outside of the columns.
  std::vector<Row> all{{lines.front()}};
  for (std::size_t i = 0; i < plugins.size(); ++i) {
    all.push_back({lines[i + 1]});
    const Compatibility& compatibility = plugins[i].compatibility();
    if (!compatibility.reason.empty())
      all.push_back({"  " + escaped_for_display(compatibility.reason)});
    for (const std::string& method : compatibility.missing) {
      all.push_back({"  " + method + "  not in version " + std::to_string(plugins[i].version()) +
                     ": the adapter implements it"});
    }
  }
  for (Row& row : all) {
    if (row[0].ends_with('\n')) row[0].pop_back();
  }
  page.table("plugin", all);
}

std::string words_of(const Parameter& parameter) {
  std::string words(to_text(parameter.type));
  if (config::must_be_given(parameter)) words += ", required";
  const std::string_view otherwise = config::default_of(parameter);
  if (!otherwise.empty() && !parameter.sensitive) words.append(", default: ").append(otherwise);
  if (parameter.sensitive) words += ", sensitive";
  return words;
}

/// Returns whether the property has parameters that can be read.
bool add_parameters(std::vector<Row>& rows, const PluginInfo& plugin, std::string_view property) {
  constexpr std::string_view end = "_parameters";
  if (!property.ends_with(end)) return false;
  const auto stated = config::stated_parameters(plugin, property);
  if (!stated || !*stated) return false;
  const std::string role(property.substr(0, property.size() - end.size()));
  for (const auto& [name, parameter] : **stated) {
    rows.push_back({plugin.name() + " (" + escaped_for_display(role) + ")",
                    escaped_for_display(name), escaped_for_display(words_of(parameter)),
                    escaped_for_display(parameter.description)});
  }
  return true;
}

void add_properties(Page& page, const std::vector<PluginInfo>& plugins) {
  std::vector<Row> rows;
  std::vector<Row> parameters;
  for (auto at = plugins.begin(); at != plugins.end(); ++at) {
    const PluginInfo& plugin = *at;
    // Properties belong to a name, and plugins of several kinds may share it.
    const auto has_name = [&](const PluginInfo& other) { return other.name() == plugin.name(); };
    if (std::any_of(plugins.begin(), at, has_name)) continue;
    for (const auto& [key, value] : plugin.properties()) {
      if (add_parameters(parameters, plugin, key)) continue;
      rows.push_back({plugin.name(), escaped_for_display(key), escaped_for_display(value)});
    }
  }
  if (!rows.empty()) page.table("properties", rows);
  if (!parameters.empty()) page.table("parameters", parameters);
}

void add_requirements(Page& page, const std::vector<RequirementInfo>& requirements) {
  std::vector<Row> rows;
  for (const RequirementInfo& one : requirements) {
    rows.push_back({one.package, escaped_for_display(one.versions), "->",
                    one.resolved.empty() ? "nothing" : escaped_for_display(one.resolved)});
  }
  if (!rows.empty()) page.table("requires", rows);
}

void add_manifest(Page& page, const ManifestInfo& manifest,
                  const std::vector<RequirementInfo>& requirements) {
  page.line("ABI", manifest.abi);
  page.line("about", manifest.description);
  page.line("author", manifest.author);
  page.line("license", manifest.license);
  page.line("homepage", manifest.homepage);
  add_requirements(page, requirements);
  if (manifest.state) {
    std::string reads;
    for (const std::int32_t version : manifest.state->reads) reads += " " + std::to_string(version);
    Row row{"writes " + std::to_string(manifest.state->writes), "reads" + reads};
    if (!manifest.state->type.empty())
      row.push_back("of " + escaped_for_display(manifest.state->type));
    page.table("state", std::vector<Row>{row});
  }
  if (manifest.joins_threads) page.line("threads", "joined when it stops");
  std::string handled;
  for (const std::string& library : manifest.handled)
    handled += escaped_for_display(library) + "  ";
  page.line("handled", handled);
}

void add_libraries(Page& page, const ModuleReport& report) {
  const std::vector<LibraryInfo>& libraries = report.libraries;
  if (libraries.empty()) return;
  std::string found, missing, unloaded;
  for (const LibraryInfo& library : libraries) {
    const std::string name = escaped_for_display(library.name) + "  ";
    (library.path.empty() ? missing : found) += name;
    if (!library.stays_mapped) unloaded += name;
  }
  std::vector<Row> rows;
  if (!found.empty()) rows.push_back({found + (missing.empty() ? "all found" : "found")});
  if (!missing.empty())
    rows.push_back({missing + (is_dll(report) ? "only searched beside the file" : "not found")});
  if (!unloaded.empty()) rows.push_back({unloaded + "unloaded with the module"});
  for (const LibraryInfo& library : libraries) {
    if (!library.owner || is_of_system(library.path)) continue;
    rows.push_back({escaped_for_display(library.path.string()), owner_text(*library.owner)});
  }
  page.table("libraries", rows);
}

/// Returns a text such as
/// "unsafe (Tcl_Finalize in libdep.so.1: the process can load it once; load it once)".
std::string reload_text(const ModuleReport& report) {
  const ReloadSafety& reload = *report.reload;
  std::string text(to_string(reload.grade));
  if (reload.symbol.empty()) return text;
  text += " (" + reload.symbol;
  if (reload.file != report.file) text += " in " + reload.file.filename().string();
  return text + ": " + reload.reason + "; " + reload.fix + ")";
}

/// Returns a text such as "glibc 2.34, a processor of x86-64-v3".
std::string needs_of(const ModuleReport& report) {
  std::string text = to_string(report.needs);
  if (report.processor.empty()) return text;
  return text + (text.empty() ? "" : ", ") + "a processor of " + report.processor;
}

/// Returns the list of checks that were made.
std::string checks_of(const ModuleReport& report) {
  std::string text;
  for (const std::string& part : report.checked) text += (text.empty() ? "" : ", ") + part;
  return text;
}

void print_problems(const ModuleReport& report, const Paint& paint) {
  for (const auto* problems : {&report.errors, &report.warnings, &report.notes}) {
    for (const Error& problem : *problems) std::cout << paint.problem(problem) << "\n";
  }
}

/// Returns what a user can do next.
std::string next_step(const Inspection& found, const Options& options) {
  const ModuleReport& report = found.report;
  if (!report.would_load())
    return report.errors.size() == 1 ? "see the fix above" : "see the fixes above";
  const auto& plugins = report.plugins;
  const auto is_usable = [](const PluginInfo& plugin) { return plugin.compatibility().usable(); };
  if (!plugins.empty() && std::ranges::none_of(plugins, is_usable)) {
    return "tenon inspect " + shell_word(report.file.string()) +
           " -a APP, with the app that the module was made for";
  }
  if (found.in_plugin_path) return command_line(options, "list");
  return "put the file into ~/.local/lib/" + options.app + "/plugins";
}

void print_page(const Inspection& found, const Options& options, const std::string& subject) {
  const ModuleReport& report = found.report;
  const Paint paint = Paint::for_stream(STDOUT_FILENO);
  const std::string begin = title(report, subject);
  const std::size_t width = width_of(begin);
  std::cout << paint.strong(begin)
            << std::string(width + 2 < verdict_column ? verdict_column - width : 2, ' ')
            << verdict(report, paint) << "\n";
  Page page;
  add_file(page, report);
  if (report.manifest) add_manifest(page, *report.manifest, found.requirements);
  add_plugins(page, report.plugins);
  add_properties(page, report.plugins);
  add_libraries(page, report);
  page.line("needs", needs_of(report));
  if (report.reload) page.line("reload", reload_text(report));
  page.line("checked", checks_of(report));
  std::cout << page.text();
  print_problems(report, paint);
  std::cout << "No plugin code was run.  Next: " << escaped_for_display(next_step(found, options))
            << "\n";
}

void print_json(const Inspection& found, const std::string& subject) {
  const ModuleReport& report = found.report;
  boost::json::object output = make_output("inspect");
  output["subject"] = subject;
  output["would_load"] = report.would_load();
  if (report.file.empty()) {
    output["file"] = nullptr;
  } else {
    output["file"] = {{"path", report.file.string()}, {"size", report.size}};
    output["file"].as_object()["machine"] =
        report.machine.empty() ? boost::json::value(nullptr) : boost::json::value(report.machine);
    output["file"].as_object()["format"] =
        report.format.empty() ? boost::json::value(nullptr) : boost::json::value(report.format);
    add_owner(report.owner, output["file"].as_object());
  }
  output["manifest"] =
      report.manifest ? boost::json::value(to_json(*report.manifest)) : boost::json::value(nullptr);
  output["requirements"] = to_json(found.requirements);
  boost::json::array plugins;
  for (const PluginInfo& plugin : report.plugins) plugins.push_back(to_json(plugin));
  output["plugins"] = std::move(plugins);
  output["libraries"] = to_json(report.libraries);
  output["needs"] = to_json(report.needs);
  output["processor"] =
      report.processor.empty() ? boost::json::value(nullptr) : boost::json::value(report.processor);
  output["reload"] =
      report.reload ? boost::json::value(to_json(*report.reload)) : boost::json::value(nullptr);
  output["checked"] = boost::json::array(report.checked.begin(), report.checked.end());
  output["errors"] = to_json(report.errors);
  output["warnings"] = to_json(report.warnings);
  output["notes"] = to_json(report.notes);
  print(output);
}

Exit exit_of(const ModuleReport& report) {
  if (std::ranges::any_of(report.errors, is_unreadable)) return io_error;
  return report.would_load() ? success : problems_found;
}

Exit no_such_plugin(const Error& error, const Options& options, const std::string& subject) {
  if (options.json) {
    Inspection nothing;
    nothing.report.errors.push_back(error);
    print_json(nothing, subject);
  }
  std::cerr << "tenon: " << error.to_string() << "\n";
  return error.code() == "bad-reference" ? usage_error : problems_found;
}

}  // namespace

Exit inspect(const Options& options, const std::string& subject, const std::string& system) {
  std::vector<SystemVersion> offered;
  if (!system.empty()) {
    auto known = versions_of_system(system);
    if (!known) {
      std::cerr << "tenon: " << known.error().to_string() << "\n";
      return usage_error;
    }
    offered = std::move(*known);
  }
  auto found = look_up(options, subject);
  if (!found) return no_such_plugin(found.error(), options, subject);
  add_needs_of_system(found->report, system, offered);
  if (options.json) {
    print_json(*found, subject);
  } else {
    print_page(*found, options, subject);
  }
  return exit_of(found->report);
}

}  // namespace tenon::command
