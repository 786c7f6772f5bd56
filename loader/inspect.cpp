// SPDX-License-Identifier: BSL-1.0
#include <tenon/inspect.hpp>

#include <algorithm>

#include "manifest/bundle.hpp"
#include "manifest/module_file.hpp"
#include "manifest/needed_libraries.hpp"
#include "manifest/sanitizers.hpp"
#include "manifest/undefined_symbols.hpp"
#include "package/quote.hpp"
#include "platform/file.hpp"
#include "platform/machine.hpp"
#include "plugin_info.hpp"
#include "registry/fit.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

ManifestInfo describe(const Manifest& manifest) {
  ManifestInfo info{.contract = manifest.contract.to_string(),
                    .package = manifest.name,
                    .package_version = manifest.version.to_string(),
                    .summary = manifest.summary,
                    .description = manifest.description,
                    .author = manifest.author,
                    .license = manifest.license,
                    .homepage = manifest.homepage,
                    .requirements = {},
                    .state = std::nullopt,
                    .joins_threads = manifest.joins_threads,
                    .details = manifest.details};
  for (const auto& [package, versions] : manifest.requirements) {
    info.requirements.emplace(package, versions.to_string());
  }
  if (manifest.state) {
    info.state = {manifest.state->type, manifest.state->writes, manifest.state->reads};
  }
  return info;
}

/// What the manifest says, and which of its plugins this program can use.
void report_manifest(ModuleReport& report, const Manifest& manifest, const std::string& where) {
  report.manifest = describe(manifest);
  std::vector<Error> misfits;
  for (const Provided& provided : manifest.provides) {
    report.plugins.push_back(detail::PluginDescription::of(provided, manifest, report.file));
    auto flaw = detail::misfit(provided, where);
    if (!flaw) continue;
    // Another program has the kind, and only that one can tell whether it fits.
    const bool foreign = report.plugins.back().fit().grade == FitGrade::unknown_kind;
    (foreign ? report.warnings : misfits).push_back(std::move(*flaw));
  }
  const bool serves = misfits.size() + report.warnings.size() < report.plugins.size();
  auto& into = serves ? report.warnings : report.errors;
  std::move(misfits.begin(), misfits.end(), std::back_inserter(into));
}

Error missing(const NeededLibrary& library, const fs::path& file) {
  return Error({.code = "load-failed",
                .where = file.string(),
                .found = library.name + ", which it needs, nowhere",
                .needed = "every library that the module needs",
                .fix = "install the package that has " + library.name});
}

Error undefined(const std::vector<std::string>& symbols, const fs::path& file) {
  constexpr std::size_t most_shown = 5;
  return Error({.code = "load-failed",
                .where = file.string(),
                .found = "no definition of " + some_of(symbols, most_shown),
                .needed = "symbols that the module, a library that it needs, or the host exports",
                .fix = "link the module with the library that has them"});
}

/// A module is read as a host reads it; of another library only as much as is looked at.
Result<Bundle> bundle_of(const ModuleReport& report, const platform::File& file) {
  if (!report.manifest) return look_at_bundle(file);
  auto content = file.read_all(largest_file);
  return content ? read_bundle(std::move(*content), report.file) : std::move(content).error();
}

/// What is loaded together with the module, and whether it would go again.
void report_bundle(ModuleReport& report, const platform::File& file) {
  if (!is_library_for_this_machine(report.file)) return;  // reading the manifest says why
  auto bundle = bundle_of(report, file);
  if (!bundle) {
    if (report.manifest) report.errors.push_back(bundle.error());
    return;
  }
  report.machine = machine_name(platform::host_machine);
  if (report.manifest) report.reload = reload_of(*bundle, report.manifest->joins_threads);
  auto mismatch = sanitizer_mismatch(*bundle);
  for (NeededLibrary& library : needed_libraries(*bundle)) {
    if (library.path.empty()) report.errors.push_back(missing(library, report.file));
    report.libraries.push_back({std::move(library.name), std::move(library.path)});
  }
  if (mismatch) {
    report.errors.push_back(std::move(*mismatch));  // its runtime has what may be undefined
  } else if (report.manifest) {
    const auto symbols = undefined_symbols(*bundle);
    if (!symbols.empty()) report.errors.push_back(undefined(symbols, report.file));
  }
  if (!report.manifest) return;
  // A host loads a private copy. Making one here shows whether that works.
  if (auto copied = make_private(*bundle, 1); !copied) report.errors.push_back(copied.error());
}

}  // namespace

ModuleReport inspect(const fs::path& file) {
  ModuleReport report;
  report.file = file;
  const auto open = open_module(file);
  if (!open) {
    report.errors.push_back(open.error());
    return report;
  }
  report.size = open->identity().size;
  auto read = read_module_file(*open);
  if (read) {
    report_manifest(report, read->image.manifest, file.string());
  } else {
    report.errors.push_back(std::move(read).error());
  }
  report_bundle(report, *open);
  return report;
}

ModuleReport inspect(const tenon_module& builtin) {
  ModuleReport report;
  const std::string_view text(builtin.manifest, builtin.manifest_size);
  if (auto manifest = parse_manifest(text, "builtin")) {
    report_manifest(report, *manifest, "builtin " + manifest->name);
  } else {
    report.errors.push_back(std::move(manifest).error());
  }
  return report;
}

}  // namespace tenon
