// SPDX-License-Identifier: BSL-1.0
#include <tenon/inspect.hpp>

#include <algorithm>

#include "manifest/bundle.hpp"
#include "manifest/module_file.hpp"
#include "manifest/needed_libraries.hpp"
#include "manifest/sanitizers.hpp"
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

/// What is loaded together with the module, and whether it would go again.
void report_bundle(ModuleReport& report) {
  if (!is_library_for_this_machine(report.file)) return;  // reading the manifest says why
  const auto file = platform::File::open(report.file);
  if (!file) return;
  auto content = file->read_all(largest_file);
  if (!content) return;
  const auto bundle = read_bundle(std::move(*content), report.file);
  if (!bundle) {
    if (report.manifest) report.errors.push_back(bundle.error());
    return;
  }
  report.machine = machine_name(platform::host_machine);
  if (report.manifest) report.reload = reload_of(*bundle, report.manifest->joins_threads);
  if (auto mismatch = sanitizer_mismatch(*bundle)) report.errors.push_back(std::move(*mismatch));
  for (NeededLibrary& library : needed_libraries(*bundle)) {
    if (library.path.empty()) report.errors.push_back(missing(library, report.file));
    report.libraries.push_back({std::move(library.name), std::move(library.path)});
  }
}

/// What is no regular file is never opened: that could wait, or have an effect.
std::optional<Error> flaw_of_type(const fs::path& file) {
  std::error_code failed;
  const fs::file_type type = fs::status(file, failed).type();
  const char* found = nullptr;
  switch (type) {
    case fs::file_type::directory:
      found = "a folder";
      break;
    case fs::file_type::fifo:
      found = "a pipe";
      break;
    case fs::file_type::socket:
      found = "a socket";
      break;
    case fs::file_type::block:
    case fs::file_type::character:
      found = "a device";
      break;
    default:
      return std::nullopt;  // opening it tells the rest
  }
  return Error({.code = "not-a-module",
                .where = file.string(),
                .found = found,
                .needed = "a shared library in the ELF format",
                .fix = "name the file of one module"});
}

}  // namespace

ModuleReport inspect(const fs::path& file) {
  ModuleReport report;
  report.file = file;
  if (auto flaw = flaw_of_type(file)) {
    report.errors.push_back(std::move(*flaw));
    return report;
  }
  if (const auto identity = platform::identity_of(file)) report.size = identity->size;
  auto read = read_module_file(file);
  if (read) {
    report_manifest(report, read->image.manifest, file.string());
  } else {
    report.errors.push_back(std::move(read).error());
  }
  report_bundle(report);
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
