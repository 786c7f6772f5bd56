// SPDX-License-Identifier: BSL-1.0
#include "catalog/scan.hpp"

#include <tenon/detail/other_program.hpp>
#include <tenon/result.hpp>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/parallel.hpp"
#include "base/quote.hpp"
#include "manifest/module_file.hpp"
#include "platform/exposure.hpp"
#include "platform/file.hpp"
#include "platform/process.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

namespace fs = std::filesystem;

Error unusable(const fs::path& path, std::string found) {
  return Error({.code = "cannot-read",
                .where = path.string(),
                .found = std::move(found),
                .needed = "a directory of modules that this user may read, or a module file",
                .fix = "correct it, or remove it from the plugin path"});
}

/// How a scan treats a file, by its name and directory.
enum class Place {
  searched,      // read as a module
  outside,       // named like a module, in a directory that is not searched
  other_suffix,  // with a suffix of modules elsewhere
  ignored,
};

struct File {
  fs::path path;
  fs::path::string_type canonical;  // the same for all paths to the file
  std::string directory = {};       // the version directory that contains it, or empty
  bool is_regular = false;          // see platform::DirectoryEntry
  int depth = 0;                    // see Directory
  Place place = Place::searched;
};

struct Directory {
  fs::path path;
  fs::path::string_type canonical;  // with a separator at the end
  int depth = 0;                    // number of directories between it and the search path
  std::string version = {};         // its name, if it is a version directory

  bool is_searched() const { return depth < 2 || !version.empty(); }
};

constexpr std::string_view development = "dev";

bool is_version_directory(const std::string& name) {
  return name == development || Version::parse(name).has_value();
}

/// Returns whether a name is a version or a part of one, eg: "1.0", "v1.0.0".
bool resembles_version(std::string_view name) {
  if (name.starts_with('v') || name.starts_with('V')) name.remove_prefix(1);
  const auto end = name.find_first_not_of("0123456789.");
  return end != 0 && !name.empty() &&
         (end == std::string_view::npos || name[end] == '-' || name[end] == '+');
}

bool is_module(std::string_view name) {
  constexpr std::string_view suffix = platform::module_suffix;
  return name.size() > suffix.size() && name.ends_with(suffix);
}

/// Returns where the suffix begins that modules have on other systems or by mistake, eg: in
/// "libx.so.1.2", "x.plugin" and "X.SO". Returns npos if there is none.
std::size_t other_suffix(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  // A library with its version.
  if (const auto last = lower.find_last_not_of("0123456789."); last != std::string::npos) {
    lower.resize(last + 1);
  }
  for (const std::string_view suffix : {".so", ".bundle", ".dll", ".dylib", ".module", ".plugin"}) {
    const bool alone = suffix == ".so" || lower.size() == name.size();
    if (alone && lower.size() > suffix.size() && lower.ends_with(suffix)) {
      return lower.size() - suffix.size();
    }
  }
  return std::string_view::npos;
}

Place place_of(const Directory& directory, std::string_view name) {
  if (is_module(name)) return directory.is_searched() ? Place::searched : Place::outside;
  const bool may_be_module =
      directory.is_searched() && other_suffix(name) != std::string_view::npos;
  return may_be_module ? Place::other_suffix : Place::ignored;
}

fs::path canonical_of(const fs::path& path) {
  std::error_code failed;
  fs::path canonical = fs::weakly_canonical(path, failed);
  return failed ? path : canonical;
}

/// Returns the canonical path of a directory's entry at `path`. Resolving each path from the root
/// would cost more than reading a manifest.
fs::path::string_type canonical_of(const Directory& directory,
                                   const platform::DirectoryEntry& entry, const fs::path& path) {
  return entry.may_be_link ? canonical_of(path).native()
                           : directory.canonical + fs::path(entry.name).native();
}

/// Returns an entry of a directory in which modules are searched, or may have been put by mistake.
std::optional<Directory> directory_below(const Directory& directory,
                                         const platform::DirectoryEntry& entry) {
  if (!directory.version.empty() || directory.depth > 2) return std::nullopt;
  const bool of_version = directory.depth > 0 && is_version_directory(entry.name);
  if (directory.depth == 2 && !of_version && !resembles_version(entry.name)) return std::nullopt;
  fs::path path = directory.path / entry.name;
  auto canonical = (fs::path(canonical_of(directory, entry, path)) / "").native();
  return Directory{std::move(path), std::move(canonical), directory.depth + 1,
                   of_version ? entry.name : ""};
}

/// The files of an entry of the search path, and the errors of unreadable directories below it.
struct Search {
  std::vector<File> files;  // ignored ones only if `all` is set
  std::vector<Error> skipped;
  bool all = false;
};

/// Adds the files of a directory and of those below it, in the order of their paths. Returns the
/// error if the directory could not be read completely.
std::error_code add_files(const Directory& directory, Search& search) {
  std::vector<platform::DirectoryEntry> entries;
  const std::error_code failed = platform::read_directory(directory.path, entries);
  std::ranges::sort(entries, {}, &platform::DirectoryEntry::name);
  for (const platform::DirectoryEntry& entry : entries) {
    if (!entry.is_directory) {
      const Place place = place_of(directory, entry.name);
      if (place == Place::ignored && !search.all) continue;
      fs::path path = directory.path / entry.name;
      auto canonical = canonical_of(directory, entry, path);
      search.files.push_back({std::move(path), std::move(canonical), directory.version,
                              entry.is_regular, directory.depth, place});
      continue;
    }
    const auto below = directory_below(directory, entry);
    if (!below) continue;
    const std::error_code unread = add_files(*below, search);
    // A directory without read permission counts as empty.
    if (!unread || unread == std::errc::permission_denied) continue;
    search.skipped.push_back(unusable(below->path, unread.message()));
  }
  return failed;
}

/// `all`: see Search.
Result<Search> files_in(const SearchPath& entry, bool all = false) {
  std::error_code failed;
  const fs::file_status status = fs::status(entry.path, failed);
  if (status.type() == fs::file_type::not_found) {
    if (!entry.named) return Search();
    return Error({.code = "not-found",
                  .where = entry.path.string(),
                  .found = "no such file or directory",
                  .needed = "a directory of modules, or a module file",
                  .fix = "create the directory, or remove it from the plugin path"});
  }
  // Nobody chose the standard directories. They may be those of another user, as with sudo.
  const auto is_none = [&] { return !entry.named && failed == std::errc::permission_denied; };
  if (is_none()) return Search();
  if (failed) return unusable(entry.path, failed.message());
  const fs::path canonical = canonical_of(entry.path);
  if (status.type() == fs::file_type::regular) {
    return Search{{{entry.path, canonical.native()}}, {}};
  }
  if (status.type() != fs::file_type::directory) {
    return unusable(entry.path, "neither a directory nor a file");
  }
  Search search{{}, {}, all};
  failed = add_files({entry.path, (canonical / "").native()}, search);
  if (is_none()) return Search();
  if (failed) return unusable(entry.path, failed.message());
  return search;
}

/// Returns the error of a module in a directory that is not searched. `version`: of its package, if
/// it is known.
Error outside_of_search(const fs::path& file, const std::optional<Version>& version) {
  const std::string directory = file.parent_path().filename().string();
  if (resembles_version(directory)) {
    return Error({.code = "misplaced-module",
                  .where = file.string(),
                  .found = "a module in the directory " + in_quotes(directory) +
                           ", which is not a complete version",
                  .needed = "a directory of the module's version: MAJOR.MINOR.PATCH",
                  .fix = "rename the directory to " +
                         (version ? version->to_string() : "the version of the module")});
  }
  return Error({.code = "misplaced-module",
                .where = file.string(),
                .found = "a module two directories below the search path",
                .needed = "a module in the search path, in a directory there, or in a directory of "
                          "its version",
                .fix = "move it one directory up"});
}

Error wrong_suffix(const fs::path& file) {
  const std::string name = file.filename().string();
  const std::string right = name.substr(0, other_suffix(name)) + platform::module_suffix;
  return Error(
      {.code = "wrong-suffix",
       .where = file.string(),
       .found = "a module whose name does not end with " + std::string(platform::module_suffix),
       .needed = "a name by which hosts find modules",
       .fix = "rename it to " + in_quotes(right)});
}

/// Returns why a file is not read as a module; empty if it is.
std::string reason_of(const File& file) {
  switch (file.place) {
    case Place::searched:
      return "";
    case Place::outside:
      return "no module, and in a directory that is not searched";
    case Place::other_suffix:
    case Place::ignored:
      break;
  }
  return "no name that ends with " + std::string(platform::module_suffix);
}

Error in_development(const FoundModule& module) {
  return Error({.code = "in-development",
                .where = module.file.string(),
                .found = module.manifest->name +
                         " in a directory dev: it counts as version 0.0.0, and "
                         "what it requires is not enforced",
                .needed = "a released version",
                .fix = "move it to a directory of its version when it is released",
                .severity = Severity::note});
}

/// Reports an unusable file. The error is also returned if a name in its manifest is looked up.
void skip(const platform::File& file, BrokenModule broken, Scan& result) {
  for (std::string& name : names_in_manifest(file)) result.broken.emplace(std::move(name), broken);
  result.skipped.push_back(std::move(broken.error));
}

void add(FoundModule module, Scan& result) {
  if (module.manifest->in_development) result.skipped.push_back(in_development(module));
  result.modules.push_back(std::move(module));
}

/// Reads files for a scan, and decides which it uses.
class Reader {
 public:
  Reader(const TrustPolicy& policy, const KnownFiles& known) : policy_(policy), known_(known) {}

  void read(File& file, Scan& result) {
    if (const auto* previous = known_.find(file.path)) {
      const auto exposed = exposure(file, previous->access);
      if (!exposed || exposed->severity() != Severity::error) {
        if (exposed) result.skipped.push_back(*exposed);
        return add({std::move(file.path), previous->manifest, previous->identity, previous->access},
                   result);
      }
    }
    const auto open = open_module(file.path, file.is_regular);
    if (!open) return report(file, open.error(), result);
    auto exposed = exposure(file, open->access());
    if (exposed && exposed->severity() == Severity::error)
      return skip(*open, {std::move(*exposed)}, result);
    auto read = read_module_file(*open);
    if (!read) {
      if (is_library(file, read.error())) return;
      return skip(*open, {std::move(read).error()}, result);
    }
    Manifest& manifest = *read->image.manifest;
    set_version_directory(file.directory, manifest);
    auto checked = check_version_directory(file.path, manifest);
    if (checked) checked = check_listed(policy_, manifest.name, manifest.version, file.path);
    if (!checked) return skip(*open, {std::move(checked).error(), manifest.version}, result);
    if (exposed) result.skipped.push_back(std::move(*exposed));
    add({std::move(file.path), std::move(read->image.manifest), read->identity, open->access()},
        result);
  }

  /// Reports a file that is not searched, if it is a module.
  static void read_unsearched(const File& file, Scan& result) {
    const auto open = open_module(file.path, file.is_regular);
    if (!open) return;
    const auto read = read_module_file(*open);
    if (!read && names_in_manifest(*open).empty()) return;
    BrokenModule broken{wrong_suffix(file.path), std::nullopt};
    if (read) broken.version = read->image.manifest->version;
    if (file.place == Place::outside) broken.error = outside_of_search(file.path, broken.version);
    // Neither another name nor another directory helps.
    if (!read && read.error().code() == "wrong-architecture") broken.error = read.error();
    skip(*open, std::move(broken), result);
  }

 private:
  /// Returns whether an error says that a file below the search path is no module. A package may
  /// bring other libraries.
  static bool is_library(const File& file, const Error& error) {
    return file.depth > 0 && (error.code() == "no-manifest" || error.code() == "not-a-module");
  }
  static void report(const File& file, const Error& error, Scan& result) {
    if (!is_library(file, error)) result.skipped.push_back(error);
  }
  std::optional<Error> exposure(const File& file, const platform::FileAccess& access) {
    if (policy_.level < Trust::owner) return std::nullopt;
    const auto exposure = exposures_.of(file.canonical, access);
    return exposure ? std::optional(untrusted_owner(file.path, *exposure)) : std::nullopt;
  }

  const TrustPolicy& policy_;
  const KnownFiles& known_;
  platform::ExposureCheck exposures_;
};

void append(Scan&& part, Scan& result) {
  std::ranges::move(part.modules, std::back_inserter(result.modules));
  std::ranges::move(part.skipped, std::back_inserter(result.skipped));
  result.broken.merge(part.broken);
}

/// Reads files in parallel. The results are in the order of the files.
void read_all(std::span<File> files, Reader& reader, Scan& result) {
  constexpr std::size_t together = 32;  // by one thread, one after the other
  std::vector<Scan> parts((files.size() + together - 1) / together);
  run_in_parallel(parts.size(), [&](std::size_t part) {
    const auto begin = files.subspan(part * together);
    for (File& file : begin.first(std::min(together, begin.size()))) reader.read(file, parts[part]);
  });
  for (Scan& part : parts) append(std::move(part), result);
}

}  // namespace

void set_version_directory(const std::string& directory, Manifest& manifest) {
  manifest.version_directory = directory;
  if (directory != development) return;
  manifest.in_development = true;
  manifest.version = {};
}

Result<void> check_version_directory(const fs::path& file, const Manifest& manifest) {
  const std::string& directory = manifest.version_directory;
  const std::string version = manifest.version.to_string();
  if (directory.empty() || manifest.in_development || version == directory) return {};
  return Error({.code = "wrong-directory",
                .where = file.string(),
                .found = manifest.name + " " + version + " in the directory " + directory,
                .needed = "the version of its directory",
                .fix = "move it to a directory " + version});
}

const KnownFiles::Known* KnownFiles::find(const fs::path& file) const {
  const auto known = files_.find(file.native());
  if (known == files_.end()) return nullptr;
  const auto now = platform::identity_of(file);
  return now && *now == known->second.identity ? &known->second : nullptr;
}

void KnownFiles::keep(const std::vector<FoundModule>& modules,
                      std::chrono::system_clock::time_point when) {
  constexpr std::chrono::nanoseconds moment = std::chrono::seconds(3);
  files_.clear();
  files_.reserve(modules.size());
  for (const FoundModule& module : modules) {
    const std::chrono::nanoseconds age =
        when.time_since_epoch() - std::chrono::nanoseconds(module.identity.changed);
    if (age <= moment) continue;
    files_.emplace(module.file.native(), Known{module.manifest, module.identity, module.access});
  }
}

Scan scan(const std::vector<SearchPath>& paths, const TrustPolicy& policy, KnownFiles& known,
          std::chrono::system_clock::time_point now) {
  Scan result;
  Reader reader(policy, known);
  std::unordered_set<fs::path::string_type> seen;
  std::vector<File> unsearched;
  for (const SearchPath& entry : paths) {
    auto search = files_in(entry);
    if (!search) {
      result.skipped.push_back(std::move(search).error());
      continue;
    }
    std::ranges::move(search->skipped, std::back_inserter(result.skipped));
    std::vector<File> searched;
    for (File& file : search->files) {
      if (file.place != Place::searched) {
        unsearched.push_back(std::move(file));
      } else if (seen.insert(file.canonical).second) {
        searched.push_back(std::move(file));
      }
    }
    read_all(searched, reader, result);
  }
  // A link with another name may lead to one that is searched.
  for (const File& file : unsearched) {
    if (seen.insert(file.canonical).second) Reader::read_unsearched(file, result);
  }
  known.keep(result.modules, now);
  return result;
}

std::vector<SearchedPath> searched_paths(const std::string& app,
                                         const std::vector<fs::path>& plugin_path) {
  std::vector<SearchedPath> searched;
  for (SearchPath& entry : search_paths(app, plugin_path)) {
    std::error_code ignored;
    const bool exists = fs::exists(entry.path, ignored);
    searched.push_back({std::move(entry.path), entry.named, exists});
  }
  return searched;
}

std::vector<SeenFile> seen_files(const SearchedPath& searched) {
  std::vector<SeenFile> files;
  const auto search = files_in({searched.path, searched.named}, true);
  if (!search) return files;
  for (const File& file : search->files) files.push_back({file.path, reason_of(file)});
  return files;
}

}}}  // namespace tenon::v0_1::detail
