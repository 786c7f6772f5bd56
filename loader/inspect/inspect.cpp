// SPDX-License-Identifier: BSL-1.0
#include <tenon/detail/other_program.hpp>
#include <tenon/inspect.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/quote.hpp"
#include "binary/bundle.hpp"
#include "binary/library_lifetime.hpp"
#include "binary/needed_libraries.hpp"
#include "binary/needed_versions.hpp"
#include "binary/pe.hpp"
#include "binary/refusals.hpp"
#include "binary/sanitizers.hpp"
#include "binary/undefined_symbols.hpp"
#include "catalog/compatibility.hpp"
#include "catalog/description.hpp"
#include "inspect/float_mode_changes.hpp"
#include "inspect/missing_methods.hpp"
#include "manifest/module_file.hpp"
#include "platform/exposure.hpp"
#include "platform/file.hpp"
#include "platform/machine.hpp"
#include "platform/process.hpp"
#include "platform/utf8_path.hpp"
#include "trust/trust_policy.hpp"

namespace tenon { inline namespace v0_1 { namespace detail { namespace {

namespace fs = std::filesystem;

ManifestInfo describe(const Manifest& manifest) {
  ManifestInfo info{.abi = manifest.abi.to_string(),
                    .package = manifest.name,
                    .package_version = manifest.version.to_string(),
                    .summary = manifest.summary,
                    .description = manifest.description,
                    .author = manifest.author,
                    .license = manifest.license,
                    .homepage = manifest.homepage,
                    .requirements = {},
                    .state = std::nullopt,
                    .joins_threads = manifest.unload.joins_threads,
                    .handled = manifest.unload.handled,
                    .details = details_of(manifest)};
  for (const Dependency& required : manifest.requirements) {
    info.requirements.emplace(required.name, required.versions.to_string());
  }
  if (manifest.state) {
    info.state = {manifest.state->type, manifest.state->writes, manifest.state->reads};
  }
  return info;
}

/// Reports characters by which the texts of a manifest could appear as others.
void report_hidden(ModuleReport& report) {
  const ManifestInfo& info = *report.manifest;
  for (const auto& [key, text] :
       {std::pair("summary", &info.summary), std::pair("description", &info.description),
        std::pair("author", &info.author), std::pair("license", &info.license),
        std::pair("homepage", &info.homepage), std::pair("details", &info.details)}) {
    if (!has_hidden(*text)) continue;
    report.add(Error({.code = "hidden-characters",
                      .where = report.file.string(),
                      .found = std::string(key) +
                               " with characters that are displayed as nothing, "
                               "or that reverse text: " +
                               in_quotes(*text),
                      .needed = "texts that appear as what they are",
                      .fix = "remove these characters from the manifest",
                      .severity = Severity::warning}));
  }
}

/// Reports the manifest, and which of its plugins this program can use.
void report_manifest(ModuleReport& report, std::shared_ptr<const Manifest> manifest) {
  report.manifest = describe(*manifest);
  report_hidden(report);
  const auto module = describe(std::move(manifest), report.file);
  for (std::size_t index = 0; index < module->plugins.size(); ++index) {
    report.plugins.push_back(PluginInfos::of(module, index));
  }
  for (Error& problem : incompatibilities(*module)) report.add(std::move(problem));
  report.checked.insert(report.checked.end(), {"manifest", "kinds"});
}

/// Returns whether a library has the name of musl's C library.
bool is_musl(std::string_view name) {
  return name == "libc.so" || name.starts_with("libc.musl-");
}

Error missing(const NeededLibrary& library, const fs::path& file) {
  if (is_musl(library.name)) {
    return Error({.code = "load-failed",
                  .where = file.string(),
                  .found = "a build for musl (it needs " + library.name + ")",
                  .needed = "a build for the C library of this system",
                  .fix = "build the module on a system with glibc"});
  }
  return Error({.code = "load-failed",
                .where = file.string(),
                .found = "library " + library.name + " not found" +
                         (library.default_directories ? "" : " outside of the default directories"),
                .needed = "every library that the module needs",
                .fix = library.default_directories
                           ? "install the package that contains " + library.name
                           : std::string(remedy_for_no_default_directories)});
}

/// Returns the version in a text such as "strlcpy@GLIBC_2.38" or "version GLIBC_2.38 of libc.so.6".
std::string_view version_in(std::string_view symbol) {
  constexpr std::string_view alone = "version ";
  if (symbol.starts_with(alone)) {
    symbol.remove_prefix(alone.size());
    return symbol.substr(0, symbol.find(' '));
  }
  return symbol.substr(symbol.find('@') + 1);
}

/// Returns whether a newer system library has the symbol.
bool is_of_newer_system(const std::string& symbol) {
  return !parse_system_version(version_in(symbol)).library.empty();
}

Error undefined(const std::vector<std::string>& symbols, const ModuleReport& report) {
  constexpr std::size_t most_shown = 5;
  std::string found = "no definition of " + some_of(symbols, most_shown);
  if (std::ranges::all_of(symbols, is_of_newer_system)) {
    return Error({.code = "load-failed",
                  .where = report.file.string(),
                  .found = std::move(found),
                  .needed = "a system with at least " + to_string(report.needs),
                  .fix = "build the module on the oldest system that it has to run on"});
  }
  return Error({.code = "load-failed",
                .where = report.file.string(),
                .found = std::move(found),
                .needed = "symbols that the module, a library that it needs, or the host exports",
                .fix = "link the module with the library that defines them"});
}

/// Reads a module in the same way as a host. Other libraries are read only as far as necessary.
Result<Bundle> bundle_of(const ModuleReport& report, const platform::File& file) {
  return report.manifest ? read_bundle(file) : inspect_bundle(file);
}

/// FileAccess has no owner on Windows.
std::optional<FileOwner> owner_of(const platform::FileAccess& access) {
  if (platform::loads_dlls) return std::nullopt;
  return FileOwner{platform::user_name(access.owner), access.mode};
}

std::optional<FileOwner> owner_at(const fs::path& path) {
  const auto file = platform::File::open(path);
  return file ? owner_of(file->access()) : std::nullopt;
}

void report_libraries(ModuleReport& report, const Bundle& bundle,
                      const platform::LibrarySearch& search) {
  for (NeededLibrary& library : needed_libraries(bundle, search)) {
    if (library.path.empty()) report.add(missing(library, report.file));
    const bool stays = !library.own && stays_mapped(library.name);
    auto owner = owner_at(library.path);
    report.libraries.push_back(
        {std::move(library.name), std::move(library.path), stays, std::move(owner)});
  }
}

void report_symbols(ModuleReport& report, const Bundle& bundle,
                    const platform::LibrarySearch& search, const fs::path& program) {
  const auto symbols = undefined_symbols(bundle, search, program);
  if (!symbols) return;
  if (!symbols->empty()) report.add(undefined(*symbols, report));
  report.checked.emplace_back("symbols");
}

/// Reports constructors of the module and its libraries that change the modes of the thread.
void report_float_modes(ModuleReport& report) {
  for (Error& change : float_mode_changes(report.file)) report.add(std::move(change));
  for (const auto& library : report.libraries) {
    for (Error& change : float_mode_changes(library.path)) report.add(std::move(change));
  }
}

/// A host loads a private copy. Creating one here shows whether that works.
void report_copy(ModuleReport& report, Bundle& bundle) {
  if (auto copied = make_private(bundle, 1); !copied) report.add(std::move(copied).error());
  report.checked.emplace_back("private copy");
}

/// Reports the libraries that are loaded together with the module, and whether it can be unloaded.
void report_bundle(ModuleReport& report, const platform::File& file, const fs::path& program) {
  if (!is_library_for_this_machine(report.file)) return;  // the error of the manifest says why
  auto bundle = bundle_of(report, file);
  if (!bundle) {
    if (report.manifest) report.add(std::move(bundle).error());
    return;
  }
  report.machine = machine_name(platform::host_machine);
  report.format = "ELF";
  const platform::LibrarySearch search;
  report_libraries(report, *bundle, search);
  auto sanitizers = check_sanitizers(*bundle);
  const bool complete =
      sanitizers.has_value();  // otherwise the sanitizer's runtime may define missing symbols
  if (!sanitizers) report.add(std::move(sanitizers).error());
  if (!report.manifest) return;
  report.needs = needed_versions(*bundle);
  report.processor = needed_processor(*bundle);
  for (Error& problem : refusals(*bundle)) report.add(std::move(problem));
  for (Error& problem : trust_problems(*bundle)) report.add(std::move(problem));
  report.reload = reload_of(*bundle, {report.manifest->joins_threads, report.manifest->handled});
  report_float_modes(report);
  report.checked.emplace_back("libraries");
  if (complete) report_symbols(report, *bundle, search, program);
  report_copy(report, *bundle);
}

/// Returns a name as Windows compares it, as far as names of libraries are concerned.
std::string without_case(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return name;
}

/// Reports the libraries that a DLL imports. Only those beside it are searched.
void report_imports(ModuleReport& report, const std::vector<PeFile::Import>& imports) {
  std::map<std::string, fs::path> beside;  // by names without case
  std::vector<platform::DirectoryEntry> entries;
  const fs::path directory = report.file.parent_path();
  static_cast<void>(platform::read_directory(directory.empty() ? "." : directory, entries));
  for (const platform::DirectoryEntry& entry : entries) {
    if (!entry.is_directory)
      beside.emplace(without_case(entry.name), directory / platform::path_from(entry.name));
  }
  std::set<std::string> known;
  for (const PeFile::Import& import : imports) {
    const std::string name = without_case(import.library);
    if (!known.insert(name).second) continue;
    const auto found = beside.find(name);
    const fs::path path = found != beside.end() ? found->second : fs::path();
    report.libraries.push_back({import.library, path, path.empty(), owner_at(path)});
  }
}

/// Reports what a DLL needs, and that this system does not load it if so.
void report_dll(ModuleReport& report, const platform::File& file) {
  FileSource source(file);
  const auto dll = PeFile::open(source);
  if (!dll) return;  // another format, or the error of the manifest says why
  report.machine = dll->machine();
  report.format = "PE";
  if (auto good = dll->check_system(); !good) report.add(std::move(good).error());
  const auto imports = dll->imports();
  const bool as_bundle = platform::loads_dlls && is_library_for_this_machine(report.file);
  if (imports && !as_bundle) report_imports(report, *imports);
  if (!report.manifest) return;
  if (!imports) report.add(imports.error());
  if (auto good = dll->check_tables(); !good) report.add(std::move(good).error());
  if (!as_bundle) report.checked.emplace_back("libraries");
}

/// Reports methods that plugins lack, if the file shows them.
void report_methods(ModuleReport& report, const platform::File& file, const Manifest& manifest) {
  auto missing = missing_methods(file, manifest);
  if (!missing) return;
  for (Error& problem : *missing) report.add(std::move(problem));
  report.checked.emplace_back("methods");
}

ModuleReport report_of(const fs::path& file, const fs::path& program) {
  ModuleReport report;
  report.file = file;
  const auto open = open_module(file);
  if (!open) {
    report.add(open.error());
    return report;
  }
  report.size = open->identity().size;
  report.owner = owner_of(open->access());
  auto read = inspect_module_file(*open);
  if (read) {
    report.checked.emplace_back("file format");
    const std::shared_ptr<const Manifest> manifest = std::move(read->image.manifest);
    report_manifest(report, manifest);
    report_methods(report, *open, *manifest);
  } else {
    report.add(std::move(read).error());
  }
  report_bundle(report, *open, program);
  report_dll(report, *open);
  return report;
}

ModuleReport report_of(const tenon_module& builtin) {
  ModuleReport report;
  if (auto manifest = parse_manifest({builtin.manifest, builtin.manifest_size}, "builtin")) {
    report_manifest(report, std::make_shared<const Manifest>(std::move(*manifest)));
  } else {
    report.add(std::move(manifest).error());
  }
  return report;
}

}}}}  // namespace tenon::v0_1::detail

namespace tenon { inline namespace v0_1 {

void ModuleReport::add(Error problem) {
  switch (problem.severity()) {
    case Severity::error:
      return errors.push_back(std::move(problem));
    case Severity::warning:
      return warnings.push_back(std::move(problem));
    case Severity::note:
      return notes.push_back(std::move(problem));
  }
}

ModuleReport inspect(const std::filesystem::path& file, const std::filesystem::path& program) {
  return detail::report_of(file, program);
}

ModuleReport inspect(const tenon_module& builtin) {
  return detail::report_of(builtin);
}

std::vector<std::filesystem::path> detail::data_directories(const std::string& app) {
  return platform::data_directories(app);
}

std::string manifests_of(const std::vector<const tenon_module*>& builtins) {
  std::string text = "[";
  for (const tenon_module* builtin : builtins) {
    text += text.size() > 1 ? ",\n" : "";
    text.append(builtin->manifest, builtin->manifest_size);
  }
  return text + "]\n";
}

}}  // namespace tenon::v0_1
