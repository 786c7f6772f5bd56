// SPDX-License-Identifier: BSL-1.0
#include "systems.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/diagnostics.hpp"

namespace tenon::command {
namespace {

/// A release of a distribution for x86-64, and the highest versions of symbols in its libc.so.6 and
/// libstdc++.so.6.
struct System {
  const char* name;
  const char* release;
  const char* glibc;
  const char* library;
  const char* abi;
};
constexpr System systems[] = {
    {"bullseye", "debian-11", "GLIBC_2.31", "GLIBCXX_3.4.28", "CXXABI_1.3.12"},
    {"bookworm", "debian-12", "GLIBC_2.36", "GLIBCXX_3.4.30", "CXXABI_1.3.13"},
    {"trixie", "debian-13", "GLIBC_2.41", "GLIBCXX_3.4.33", "CXXABI_1.3.15"},
    {"focal", "ubuntu-20.04", "GLIBC_2.31", "GLIBCXX_3.4.28", "CXXABI_1.3.12"},
    {"jammy", "ubuntu-22.04", "GLIBC_2.35", "GLIBCXX_3.4.30", "CXXABI_1.3.13"},
    {"noble", "ubuntu-24.04", "GLIBC_2.39", "GLIBCXX_3.4.33", "CXXABI_1.3.15"},
};

/// Libraries that are given by their version, and the names of the symbol versions.
constexpr std::pair<std::string_view, std::string_view> libraries[] = {
    {"glibc-", "GLIBC_"},
    {"libstdc++-", "GLIBCXX_"},
};

/// This version of glibc and newer ones refuse modules that need an executable stack.
constexpr std::string_view first_without_executable_stacks = "GLIBC_2.41";

Error unknown(const std::string& system) {
  std::vector<std::string> names;
  for (const System& one : systems) names.insert(names.end(), {one.name, one.release});
  return Error({.code = "unknown-word",
                .where = "--for",
                .found = "'" + system + "'",
                .needed = "a release such as bookworm or debian-12, glibc-VERSION, or "
                          "libstdc++-VERSION",
                .fix = tools::did_you_mean(
                    system, names, "name the oldest release that the module has to run on")});
}

/// Makes the warning that some systems refuse the module an error.
void refuse_executable_stacks(ModuleReport& report) {
  for (Error& problem : std::exchange(report.warnings, {})) {
    const bool refused = problem.code() == "executable-stack";
    report.add(refused ? problem.with_severity(Severity::error) : std::move(problem));
  }
}

}  // namespace

Result<std::vector<SystemVersion>> versions_of_system(const std::string& system) {
  for (const System& one : systems) {
    if (system != one.name && system != one.release) continue;
    return std::vector<SystemVersion>{parse_system_version(one.glibc),
                                      parse_system_version(one.library),
                                      parse_system_version(one.abi)};
  }
  for (const auto& [prefix, symbols] : libraries) {
    if (!system.starts_with(prefix)) continue;
    SystemVersion version =
        parse_system_version(std::string(symbols) + system.substr(prefix.size()));
    if (!version.library.empty()) return std::vector<SystemVersion>{std::move(version)};
  }
  return unknown(system);
}

void add_needs_of_system(ModuleReport& report, const std::string& system,
                         const std::vector<SystemVersion>& offered) {
  std::vector<SystemVersion> lacking;
  std::vector<SystemVersion> present;
  for (const SystemVersion& needed : report.needs) {
    const auto has = std::ranges::find(offered, needed.library, &SystemVersion::library);
    if (has == offered.end() || needed.numbers <= has->numbers) continue;
    lacking.push_back(needed);
    present.push_back(*has);
  }
  const auto glibc = std::ranges::find(offered, "glibc", &SystemVersion::library);
  if (glibc != offered.end() &&
      glibc->numbers >= parse_system_version(first_without_executable_stacks).numbers) {
    refuse_executable_stacks(report);
  }
  if (lacking.empty()) return;
  report.add(Error({.code = "system-too-old",
                    .where = report.file.string(),
                    .found = system + " has " + to_string(present),
                    .needed = to_string(lacking),
                    .fix = "build the module on " + system + " or an older system"}));
}

}  // namespace tenon::command
