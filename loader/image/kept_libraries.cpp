// SPDX-License-Identifier: BSL-1.0
#include "image/kept_libraries.hpp"

#include <tenon/kept_libraries.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "binary/library_lifetime.hpp"
#include "platform/image_map.hpp"
#include "platform/kept_libraries.hpp"
#include "platform/library_search.hpp"
#include "platform/process.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

namespace fs = std::filesystem;

/// Returns the first of the paths at which there is a library; otherwise `name`.
fs::path first_of(std::vector<fs::path> paths, const std::string& name) {
  const auto found = std::find_if(paths.begin(), paths.end(), is_library_for_this_machine);
  return found != paths.end() ? std::move(*found) : fs::path(name);
}

/// Returns the path of a library of the system. Those for certain processors only are left out.
fs::path system_path(const std::string& name) {
  auto paths = platform::LibrarySearch().candidates(name);
  std::erase_if(paths, [](const fs::path& path) {
    return path.string().find("/glibc-hwcaps/") != std::string::npos;
  });
  return first_of(std::move(paths), name);
}

/// Returns the path of a needed library, which is not loaded; its name if the dynamic loader finds
/// the same library for the module and for this library; empty if it does not find it for the
/// module.
fs::path path_of(const Needed& needed, const BundleFile& file) {
  const std::string& name = needed.name.text;
  const bool is_path = name.find('/') != std::string::npos;
  if (needed.path.empty() && !is_path && !file.linkage.default_directories) {
    return first_of(platform::LibrarySearch().candidates(name, false), "");
  }
  if (needed.path.empty()) {
    return !is_path && platform::searches_own_run_path() ? system_path(name) : fs::path(name);
  }
  // RPATH is searched before LD_LIBRARY_PATH, RUNPATH after it.
  if (is_path || file.linkage.passes_run_path) return needed.path;
  std::vector<fs::path> paths;
  for (const auto& directory :
       platform::split_path_list(platform::trusted_environment("LD_LIBRARY_PATH"))) {
    paths.push_back(directory / name);
  }
  paths.push_back(needed.path);
  return first_of(std::move(paths), name);
}

std::string two_digits(std::int64_t number) {
  return {static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
}

/// eg: "/usr/lib/libblur.so.1.2, written 2026-01-31 12:00:00 UTC"
std::string version_of(const fs::path& file, const platform::FileIdentity& identity) {
  using namespace std::chrono;
  const sys_time<nanoseconds> written{nanoseconds(identity.modified)};
  const auto day = floor<days>(written);
  const year_month_day date(day);
  const hh_mm_ss time(floor<seconds>(written - day));
  return file.string() + ", written " + std::to_string(static_cast<int>(date.year())) + "-" +
         two_digits(static_cast<unsigned>(date.month())) + "-" +
         two_digits(static_cast<unsigned>(date.day())) + " " + two_digits(time.hours().count()) +
         ":" + two_digits(time.minutes().count()) + ":" + two_digits(time.seconds().count()) +
         " UTC";
}

}  // namespace

SystemLibraries keep_libraries(const Bundle& bundle) {
  SystemLibraries libraries;
  for (const BundleFile& file : bundle) {
    for (const Needed& needed : file.needed) {
      if (needed.own) continue;
      const std::string& name = needed.name.text;
      libraries.paths.emplace_back(name);
      if (goes_with_its_module(name) || platform::is_loaded(name)) continue;
      const fs::path path = path_of(needed, file);
      if (path.empty()) continue;
      const auto kept = platform::keep_library(path, stays_mapped);
      if (kept == platform::Kept::not_alone && !libraries.not_alone) {
        libraries.not_alone = {name, file.path};
      }
    }
  }
  return libraries;
}

std::optional<Error> replaced_library(const SystemLibraries& libraries, const fs::path& file,
                                      const std::string& reason) {
  for (const platform::KeptLibrary& kept : platform::kept_libraries()) {
    const auto is_kept = [&](const fs::path& path) {
      return kept.path.filename() == path.filename();
    };
    if (std::ranges::none_of(libraries.paths, is_kept) || !platform::is_replaced(kept)) continue;
    const auto now = platform::identity_of(kept.path);
    std::error_code ignored;
    return Error(
        {.code = "library-replaced",
         .message = reason,
         .where = file.string(),
         .found = "the library that was loaded from " + version_of(kept.file, kept.identity),
         .needed = now ? version_of(fs::canonical(kept.path, ignored), *now)
                       : "a library that is not there any more, " + kept.path.string(),
         .fix = "start the program again: libraries stay loaded until it exits"});
  }
  return std::nullopt;
}

}}}  // namespace tenon::v0_1::detail

namespace tenon { inline namespace v0_1 {

std::vector<KeptLibrary> kept_libraries() {
  std::vector<KeptLibrary> libraries;
  for (const platform::KeptLibrary& kept : platform::kept_libraries()) {
    libraries.push_back({kept.file, kept.since, platform::is_replaced(kept)});
  }
  return libraries;
}

}}  // namespace tenon::v0_1
