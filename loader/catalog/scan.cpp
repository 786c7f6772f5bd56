// SPDX-License-Identifier: BSL-1.0
#include "catalog/scan.hpp"

#include <tenon/result.hpp>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/parallel.hpp"
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

/// A module file.
struct File {
  fs::path path;
  fs::path::string_type canonical;  // the same for all paths to the file
  std::string directory = {};       // the version directory that contains it, or empty
  bool is_regular = false;          // see platform::DirectoryEntry
};

struct Directory {
  fs::path path;
  fs::path::string_type canonical;  // with a separator at the end
};

constexpr std::string_view development = "dev";

bool is_version_directory(const std::string& name) {
  return name == development || Version::parse(name).has_value();
}

bool is_module(std::string_view name) {
  constexpr std::string_view suffix = platform::module_suffix;
  return name.size() > suffix.size() && name.ends_with(suffix);
}

fs::path canonical_of(const fs::path& path) {
  std::error_code failed;
  fs::path canonical = fs::weakly_canonical(path, failed);
  return failed ? path : canonical;
}

Directory directory_of(const fs::path& path, const fs::path& canonical) {
  return {path, (canonical / "").native()};
}

/// Returns the canonical path of a directory's entry at `path`. Resolving each path from the root
/// would cost more than reading a manifest.
fs::path::string_type canonical_of(const Directory& directory,
                                   const platform::DirectoryEntry& entry, const fs::path& path) {
  return entry.may_be_link ? canonical_of(path).native()
                           : directory.canonical + fs::path(entry.name).native();
}

/// The module files of an entry of the search path, and the errors of unreadable directories below
/// it.
struct Search {
  std::vector<File> files;
  std::vector<Error> skipped;
};

/// Adds the module files of a directory, and those of version directories below it with at most
/// `levels` directories in between, in the order of their paths. Returns the error if the directory
/// could not be read completely.
std::error_code add_files(const Directory& directory, const std::string& version, int levels,
                          Search& search) {
  std::vector<platform::DirectoryEntry> entries;
  const std::error_code failed = platform::read_directory(directory.path, entries);
  std::ranges::sort(entries, {}, &platform::DirectoryEntry::name);
  for (const platform::DirectoryEntry& entry : entries) {
    if (!entry.is_directory) {
      const bool counts = levels == 2 || !version.empty();
      if (!counts || !is_module(entry.name)) continue;
      fs::path path = directory.path / entry.name;
      auto canonical = canonical_of(directory, entry, path);
      search.files.push_back({std::move(path), std::move(canonical), version, entry.is_regular});
      continue;
    }
    const bool of_version = levels < 2 && is_version_directory(entry.name);
    if (!version.empty() || (!of_version && levels == 0)) continue;
    const fs::path path = directory.path / entry.name;
    const Directory below = directory_of(path, canonical_of(directory, entry, path));
    const std::error_code unread =
        add_files(below, of_version ? entry.name : "", of_version ? 0 : levels - 1, search);
    // A directory without read permission counts as empty.
    if (!unread || unread == std::errc::permission_denied) continue;
    search.skipped.push_back(unusable(path, unread.message()));
  }
  return failed;
}

Result<Search> files_in(const SearchPath& entry) {
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
  Search search;
  failed = add_files(directory_of(entry.path, canonical), "", 2, search);
  if (is_none()) return Search();
  if (failed) return unusable(entry.path, failed.message());
  return search;
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
    if (!open) return result.skipped.push_back(open.error());
    auto exposed = exposure(file, open->access());
    if (exposed && exposed->severity() == Severity::error)
      return skip(*open, {std::move(*exposed)}, result);
    auto read = read_module_file(*open);
    if (!read) return skip(*open, {std::move(read).error()}, result);
    Manifest& manifest = *read->image.manifest;
    set_version_directory(file.directory, manifest);
    auto checked = check_version_directory(file.path, manifest);
    if (checked) checked = check_listed(policy_, manifest.name, manifest.version, file.path);
    if (!checked) return skip(*open, {std::move(checked).error(), manifest.version}, result);
    if (exposed) result.skipped.push_back(std::move(*exposed));
    add({std::move(file.path), std::move(read->image.manifest), read->identity, open->access()},
        result);
  }

 private:
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
  for (const SearchPath& entry : paths) {
    auto search = files_in(entry);
    if (!search) {
      result.skipped.push_back(std::move(search).error());
      continue;
    }
    std::ranges::move(search->skipped, std::back_inserter(result.skipped));
    std::erase_if(search->files,
                  [&](const File& file) { return !seen.insert(file.canonical).second; });
    read_all(search->files, reader, result);
  }
  known.keep(result.modules, now);
  return result;
}

}}}  // namespace tenon::v0_1::detail
