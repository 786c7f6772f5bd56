// SPDX-License-Identifier: BSL-1.0
//
// tenon pack
#include <tenon/inspect.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "abi_changes.hpp"
#include "base/path_error.hpp"
#include "base/quote.hpp"
#include "base/system_library.hpp"
#include "base/test_point.hpp"
#include "commands.hpp"
#include "json.hpp"
#include "package/semver.hpp"
#include "platform/input_file.hpp"
#include "platform/process.hpp"
#include "platform/replace_file.hpp"
#include "platform/utf8_path.hpp"
#include "search_path_errors.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

namespace fs = std::filesystem;

using detail::Version;

/// A module file, and where it is packed.
struct Build {
  ModuleReport report;
  Version version;
  fs::path output;
  std::string name;  // of the package without its domain

  fs::path package() const { return output / report.manifest->package; }
  fs::path directory() const { return package() / version.to_string(); }
  fs::path file() const { return directory() / (name + platform::module_suffix); }
};

Error cannot_write(const fs::path& path, const std::error_code& failed) {
  return detail::cannot_write(path, {"creating files in it", failed.value()});
}

/// Hosts take a directory with the name of a version for that of a version, wherever it is.
Error bad_name(const ModuleReport& report) {
  return Error({.code = "bad-name",
                .where = report.file.string(),
                .found = "the package " + in_quotes(report.manifest->package),
                .needed = "a name that can be that of a directory: not a version, dev, . or ..",
                .fix = "rename the package"});
}

Error already_packed(const Build& build, const std::string& found) {
  return Error({.code = "already-exists",
                .where = build.directory().string(),
                .found = found,
                .needed = "a version that is not there yet",
                .fix = "raise the version of the package, or remove the directory if the version "
                       "was never published"});
}

Result<Build> read(const std::string& file, const fs::path& output) {
  auto report = read_build(platform::path_from(file));
  if (!report) return report.error();
  auto version = Version::parse(report->manifest->package_version);
  if (!version) return version.error();
  std::string name = fs::path(report->manifest->package).filename().string();
  const bool is_special = name == "." || name == ".." || name == "dev";
  if (is_special || Version::parse(name)) return bad_name(*report);
  return Build{std::move(*report), std::move(*version), output, std::move(name)};
}

/// Returns the module of a package in the directory of one of its versions.
std::optional<ModuleReport> module_in(const fs::path& directory, const std::string& package) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    if (entry.path().extension() != platform::module_suffix) continue;
    auto report = read_build(entry.path());
    if (report && report->manifest->package == package) return std::move(*report);
  }
  return std::nullopt;
}

/// Returns the module of the highest version below that of a build, which is packed already.
std::optional<ModuleReport> highest_packed(const Build& build) {
  std::vector<Version> versions;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(build.package(), ignored)) {
    auto version = Version::parse(entry.path().filename().string());
    if (version && *version < build.version) versions.push_back(std::move(*version));
  }
  std::ranges::sort(
      versions, [](const Version& a, const Version& b) { return detail::total_order(a, b) > 0; });
  for (const Version& version : versions) {
    auto module = module_in(build.package() / version.to_string(), build.report.manifest->package);
    if (module) return module;
  }
  return std::nullopt;
}

/// Returns the error if a build is packed already, or `previous`, the build before it by name and
/// version, is the same version.
std::optional<Error> duplicate(const Build& build, const Build* previous) {
  const fs::path directory = build.directory();
  if (previous != nullptr && previous->directory() == directory) {
    return already_packed(build, previous->report.file.string() + " and " +
                                     build.report.file.string() + ", both of this version");
  }
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(directory, ignored))) return std::nullopt;
  const bool packed = module_in(directory, build.report.manifest->package).has_value();
  return already_packed(
      build, packed ? "a build of this version" : "a directory without a build of this version");
}

/// Returns the error if a build may not follow the next lower version, which is packed already, or
/// is `previous`.
std::optional<Error> check(const Build& build, const Build* previous) {
  if (auto error = duplicate(build, previous)) return error;
  std::optional<ModuleReport> older = highest_packed(build);
  if (previous != nullptr && previous->package() == build.package()) {
    const auto packed = older ? Version::parse(older->manifest->package_version)
                              : Result<Version>(previous->version);
    if (!older || (packed && *packed < previous->version)) older = previous->report;
  }
  if (!older) return std::nullopt;
  auto difference = difference_between(*older, build.report);
  return difference ? std::move(difference->error) : std::move(difference).error();
}

/// Copies a file to a new one, which appears with its whole content.
std::error_code copy_content(const fs::path& from, const fs::path& to) {
  platform::InputFile in(from);
  platform::Replacement out(to);
  char chunk[1 << 16];
  while (const auto count = in.read(chunk)) {
    if (*count == 0) return out.commit().failed;
    out.append({chunk, *count});
  }
  return {in.error(), std::generic_category()};
}

/// A library that a module brings.
struct Library {
  fs::path file;
  fs::path relative;  // to the directory of the module
};

std::vector<Library> libraries_of(const ModuleReport& report) {
  std::error_code failed;
  const fs::path directory = fs::weakly_canonical(report.file, failed).parent_path();
  std::vector<Library> libraries;
  for (const LibraryInfo& library : report.libraries) {
    if (library.path.empty() || is_of_system(library.path)) continue;
    const fs::path parent = fs::weakly_canonical(library.path.parent_path(), failed);
    const fs::path relative = (parent / library.path.filename()).lexically_relative(directory);
    if (relative.empty() || *relative.begin() == "..") continue;
    libraries.push_back({library.path, relative});
  }
  return libraries;
}

/// Returns the error if a library that a module finds is not found from its new place.
std::optional<Error> lost_library(const ModuleReport& before, const ModuleReport& after) {
  for (const LibraryInfo& library : before.libraries) {
    const auto same = std::ranges::find(after.libraries, library.name, &LibraryInfo::name);
    if (library.path.empty() || same == after.libraries.end() || !same->path.empty()) continue;
    return Error(
        {.code = "load-failed",
         .where = before.file.string(),
         .found = "the library " + library.path.string() +
                  ", which is not in the directory of the module or below it",
         .needed = "libraries that are packed with the module, or found from any directory",
         .fix = "put the library beside the module, and link with the run path $ORIGIN"});
  }
  return std::nullopt;
}

/// Copies the libraries of a module, and then the module to `part`, which hosts ignore.
std::error_code copy_all(const Build& build, const fs::path& part) {
  std::error_code failed;
  for (const Library& library : libraries_of(build.report)) {
    const fs::path target = build.directory() / library.relative;
    platform::create_directories(target.parent_path(), failed);
    if (!failed) failed = copy_content(library.file, target);
    if (failed) return failed;
  }
  return copy_content(build.report.file, part);
}

/// Fills the directory of a version. The module gets its name last: until then hosts see no
/// package.
Result<void> fill(const Build& build) {
  const fs::path part = build.file().string() + ".part";
  std::error_code failed = copy_all(build, part);
  if (failed) return cannot_write(build.directory(), failed);
  TENON_TEST_POINT("pack: copied");
  if (auto lost = lost_library(build.report, tenon::inspect(part))) return std::move(*lost);
  fs::rename(part, build.file(), failed);
  if (!failed) failed = platform::sync_directory(build.directory());
  if (failed) return cannot_write(build.directory(), failed);
  return {};
}

/// Whoever creates the directory of a version packs it. It is removed if that fails.
Result<void> publish(const Build& build) {
  std::error_code failed;
  const bool created = platform::create_directories(build.directory(), failed);
  if (!created && !failed) return already_packed(build, "a directory of this version");
  if (failed) return cannot_write(build.directory(), failed);
  TENON_TEST_POINT("pack: created");
  auto filled = fill(build);
  if (filled) return filled;
  std::error_code ignored;
  fs::remove_all(build.directory(), ignored);
  return filled;
}

bool is_before(const Build& a, const Build& b) {
  if (a.package() != b.package()) return a.package() < b.package();
  return detail::total_order(a.version, b.version) < 0;
}

/// The result of the command.
struct Packed {
  std::vector<Build> builds;
  std::vector<Error> errors;
};

/// Packs all files, or none of them if one may not be packed.
Packed pack_all(const std::vector<std::string>& files, const fs::path& output) {
  Packed packed;
  std::vector<Build> builds;
  for (const std::string& file : files) {
    auto build = read(file, output);
    if (!build) {
      packed.errors.push_back(build.error());
    } else {
      builds.push_back(std::move(*build));
    }
  }
  std::ranges::sort(builds, is_before);
  for (std::size_t i = 0; i < builds.size(); ++i) {
    auto error = check(builds[i], i > 0 ? &builds[i - 1] : nullptr);
    if (error) packed.errors.push_back(std::move(*error));
  }
  if (!packed.errors.empty()) return packed;
  TENON_TEST_POINT("pack: checked");
  for (Build& build : builds) {
    if (auto published = publish(build); !published) {
      packed.errors.push_back(published.error());
      break;
    }
    packed.builds.push_back(std::move(build));
  }
  return packed;
}

void print_json(const Packed& packed) {
  boost::json::object result = make_output("pack");
  boost::json::array builds;
  for (const Build& build : packed.builds) {
    builds.push_back({{"name", build.report.manifest->package},
                      {"version", build.version.to_string()},
                      {"file", build.file().string()}});
  }
  result["packed"] = std::move(builds);
  result["errors"] = to_json(packed.errors);
  print(result);
}

bool is_io_error(const Error& error) {
  return error.code() == "cannot-write" || is_unreadable(error);
}

}  // namespace

Exit pack(const Options& options, const std::vector<std::string>& files, const fs::path& output) {
  const Packed packed = pack_all(files, output);
  if (options.json) {
    print_json(packed);
  } else {
    for (const Build& build : packed.builds) {
      std::cout << escaped_for_display(build.file().string()) << "\n";
    }
  }
  print_problems(packed.errors);
  if (std::ranges::any_of(packed.errors, is_io_error)) return io_error;
  return packed.errors.empty() ? success : problems_found;
}

}  // namespace tenon::command
