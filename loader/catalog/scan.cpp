// SPDX-License-Identifier: BSL-1.0
#include "catalog/scan.hpp"

#include <tenon/detail/other_program.hpp>
#include <tenon/result.hpp>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/lock_order.hpp"
#include "base/parallel.hpp"
#include "base/quote.hpp"
#include "base/text_index.hpp"
#include "catalog/index_file.hpp"
#include "catalog/module_index.hpp"
#include "manifest/module_file.hpp"
#include "platform/exposure.hpp"
#include "platform/file.hpp"
#include "platform/file_status.hpp"
#include "platform/process.hpp"
#include "platform/utf8_path.hpp"

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

using platform::PathText;

struct File {
  PathText path;
  PathText other_path;         // the same for all paths to the file; empty: that is `path`
  std::string directory = {};  // the version directory that contains it, or empty
  bool is_regular = false;     // see platform::DirectoryEntry
  int depth = 0;               // see Directory
  Place place = Place::searched;
  bool is_in_safe_directory = false;  // see Directory; false for a link
  // Nothing if it is not needed, or there is none.
  std::optional<platform::FileStatus> status = std::nullopt;

  const PathText& canonical() const { return other_path.empty() ? path : other_path; }
};

struct Directory {
  PathText path;  // with a separator at the end, as all of these
  PathText canonical;
  int depth = 0;             // number of directories between it and the search path
  std::string version = {};  // its name, if it is a version directory
  // No user who is not trusted may change it or a directory above it.
  bool is_safe = false;

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

PathText with_separator(const fs::path& path) {
  return (path / "").native();
}

/// Converts a text between the form of names and that of paths, which is the same on most systems.
template <class To, class From>
To converted(const From& text) {
  if constexpr (std::is_same_v<To, From>) {
    return text;
  } else if constexpr (std::is_same_v<To, std::string>) {
    return fs::path(text).string();
  } else {
    return platform::path_from(text).native();
  }
}

template <class Text>
PathText joined(const PathText& directory, const Text& name) {
  if constexpr (std::is_same_v<PathText, Text>) {
    PathText path;
    path.reserve(directory.size() + name.size());
    path.append(directory).append(name);
    return path;
  } else {
    return directory + converted<PathText>(name);
  }
}

/// Returns the canonical path of a directory's entry at `path`; empty if it is the same. Resolving
/// each path from the root would cost more than reading a manifest.
PathText other_path_of(const Directory& directory, const platform::DirectoryEntry& entry,
                       const PathText& path) {
  if (entry.may_be_link) return canonical_of(path).native();
  return directory.path == directory.canonical ? PathText()
                                               : joined(directory.canonical, entry.name);
}

/// Returns an entry of a directory in which modules are searched, or may have been put by mistake.
std::optional<Directory> directory_below(const Directory& directory,
                                         const platform::DirectoryEntry& entry) {
  if (!directory.version.empty() || directory.depth > 2) return std::nullopt;
  const bool of_version = directory.depth > 0 && is_version_directory(entry.name);
  if (directory.depth == 2 && !of_version && !resembles_version(entry.name)) return std::nullopt;
  PathText path = joined(directory.path, entry.name);
  const PathText other = other_path_of(directory, entry, path);
  path += fs::path::preferred_separator;
  PathText canonical = other.empty() ? path : with_separator(other);
  return Directory{std::move(path), std::move(canonical), directory.depth + 1,
                   of_version ? entry.name : "", directory.is_safe && !entry.may_be_link};
}

/// What is found out about the files of an entry of the search path.
struct Wanted {
  bool owners = false;    // which directories are safe
  bool statuses = false;  // of files that are searched
  bool all = false;       // also ignored files
};

/// The files of an entry of the search path, and the errors of unreadable directories below it.
struct Search {
  std::vector<File> files = {};
  std::vector<Error> skipped = {};
  Wanted wanted = {};
  std::string canonical = {};  // the path of the entry
  bool has_links = false;      // to a file or directory in it
};

/// Entries of a directory, sorted by name. Sorting the entries themselves would move their names.
using Entries = std::vector<const platform::DirectoryEntry*>;
using Statuses = std::vector<std::optional<platform::FileStatus>>;

Entries sorted(const std::vector<platform::DirectoryEntry>& entries) {
  Entries sorted;
  sorted.reserve(entries.size());
  for (const platform::DirectoryEntry& entry : entries) sorted.push_back(&entry);
  std::ranges::sort(sorted, {}, &platform::DirectoryEntry::name);
  return sorted;
}

/// Returns the statuses of the files in a directory that are searched.
Statuses statuses_of(const platform::OpenDirectory& open, const Directory& directory,
                     const Entries& entries) {
  constexpr std::size_t together = 512;  // by one thread, one after the other
  Statuses statuses(entries.size());
  if (!directory.is_searched()) return statuses;
  run_in_parallel((entries.size() + together - 1) / together, [&](std::size_t part) {
    const std::size_t end = std::min((part + 1) * together, entries.size());
    for (std::size_t i = part * together; i < end; ++i) {
      if (!entries[i]->is_directory && is_module(entries[i]->name))
        statuses[i] = open.status_of(*entries[i]);
    }
  });
  return statuses;
}

/// Adds the files of a directory and of those below it, in the order of their paths. Returns the
/// error if the directory could not be read completely.
std::error_code add_files(Directory directory, Search& search) {
  platform::OpenDirectory open(directory.path.c_str());
  std::vector<platform::DirectoryEntry> found;
  const std::error_code failed = open.read(found);
  if (directory.is_safe) {
    const auto access = open.access();
    directory.is_safe = access && !platform::may_be_exposed(*access);
  }
  const Entries entries = sorted(found);
  if (directory.depth == 0) search.files.reserve(entries.size());
  Statuses statuses;
  if (search.wanted.statuses) statuses = statuses_of(open, directory, entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const platform::DirectoryEntry& entry = *entries[i];
    search.has_links = search.has_links || entry.may_be_link;
    if (!entry.is_directory) {
      const Place place = place_of(directory, entry.name);
      if (place == Place::ignored && !search.wanted.all) continue;
      PathText path = joined(directory.path, entry.name);
      PathText other = other_path_of(directory, entry, path);
      search.files.push_back({std::move(path), std::move(other), directory.version,
                              entry.is_regular, directory.depth, place,
                              directory.is_safe && !entry.may_be_link,
                              statuses.empty() ? std::nullopt : statuses[i]});
      continue;
    }
    auto below = directory_below(directory, entry);
    if (!below) continue;
    const std::error_code unread = add_files(std::move(*below), search);
    // A directory without read permission counts as empty.
    if (!unread || unread == std::errc::permission_denied) continue;
    const fs::path unreadable = joined(directory.path, entry.name);
    search.skipped.push_back(unusable(unreadable, unread.message()));
  }
  return failed;
}

Result<Search> files_in(const SearchPath& entry, const Wanted& wanted) {
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
    return Search{{{entry.path.native(), canonical.native()}}, {}, wanted, canonical.string()};
  }
  if (status.type() != fs::file_type::directory) {
    return unusable(entry.path, "neither a directory nor a file");
  }
  Search search{{}, {}, wanted, canonical.string()};
  const bool is_safe = wanted.owners && !platform::exposure_at(canonical);
  failed =
      add_files({with_separator(entry.path), with_separator(canonical), 0, "", is_safe}, search);
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
                .where = fs::path(module.file).string(),
                .found = module.manifest->name +
                         " in a directory dev: it counts as version 0.0.0, and "
                         "what it requires is not enforced",
                .needed = "a released version",
                .fix = "move it to a directory of its version when it is released",
                .severity = Severity::note});
}

/// Returns whether a module is of the version of its directory, if that is a version directory.
bool is_of_its_directory(const Manifest& manifest) {
  return manifest.version_directory.empty() || manifest.in_development ||
         manifest.version_directory == manifest.version.to_string();
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

/// The requirements that a scan has read, by their text. Those of many packages have few texts, so
/// that equal ones share their memory. Thread-safe.
class ReadRequirements {
 public:
  Requirement shared(const Requirement& read) {
    std::string text = read.to_string();
    const sync::Lock lock(mutex_);
    return by_text_.try_emplace(std::move(text), read).first->second;
  }

 private:
  LeafMutex mutex_;
  std::unordered_map<std::string, Requirement, TextHash> by_text_ TENON_GUARDED_BY(mutex_);
};

/// Reads files for a scan, and decides which it uses.
class Reader {
 public:
  Reader(const TrustPolicy& policy, const KnownFiles& known) : policy_(policy), known_(known) {}

  /// Begins the files of an entry of the search path.
  void begin(const ScannedDirectory& directory) {
    directory_ = &directory;
    const IndexFile* index = known_.index();
    indexed_ = index != nullptr ? index->find(directory.canonical) : nullptr;
  }

  /// Returns whether some files need not be read.
  bool knows_any() const noexcept { return known_.has_any(); }

  /// `number`: of the file, in its entry of the search path.
  void read(File& file, std::size_t number, Scan& result) {
    if (auto known = find_known(file, number); known && reuse(file, *known, result)) return;
    const auto open = open_module(file.path, file.is_regular);
    if (!open) return report(file, open.error(), result);
    auto exposed = exposure(file, open->access());
    if (exposed && exposed->severity() == Severity::error)
      return skip(*open, {std::move(*exposed)}, result);
    auto read = read_module_file(*open);
    if (!read) {
      if (!is_library(file, read.error())) return skip(*open, {std::move(read).error()}, result);
      result.libraries.push_back({std::move(file.path), open->identity()});
      return;
    }
    Manifest& manifest = *read->image.manifest;
    manifest.text.clear();  // few modules are loaded, and loading one reads its text again
    manifest.text.shrink_to_fit();
    manifest.requirements.replace_versions(
        [this](const Requirement& one) { return requirements_.shared(one); });
    set_version_directory(file.directory, manifest);
    if (auto checked = check(file, manifest); !checked)
      return skip(*open, {std::move(checked).error(), manifest.version}, result);
    if (exposed) result.skipped.push_back(std::move(*exposed));
    add({std::move(file.path), std::move(read->image.manifest), read->identity}, result);
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

  /// A file that has not changed since it was read.
  struct Unchanged {
    std::shared_ptr<const Manifest> manifest;  // nullptr: it is no module
    platform::FileStatus status;
    bool is_indexed;
  };
  std::optional<Unchanged> find_known(const File& file, std::size_t number) const {
    const KnownFiles::Known* previous = known_.find(file.path);
    if (previous == nullptr && indexed_ == nullptr) return std::nullopt;
    const auto status = file.status ? file.status : platform::status_of(file.path.c_str());
    if (!status) return std::nullopt;
    if (previous != nullptr) {
      if (previous->identity != status->identity) return std::nullopt;
      return Unchanged{previous->manifest, *status, false};
    }
    const std::size_t found = indexed_->find(name_below(*directory_, file.path), number);
    if (found == indexed_->size()) return std::nullopt;
    const IndexFile::Entry entry = indexed_->entry(found);
    if (entry.identity != status->identity) return std::nullopt;
    if (entry.manifest.empty()) return Unchanged{nullptr, *status, true};
    auto manifest = known_.index()->decode(entry);
    if (manifest == nullptr) return std::nullopt;
    set_version_directory(file.directory, *manifest);
    if (!check(file, *manifest)) return std::nullopt;
    return Unchanged{std::move(manifest), *status, true};
  }

  /// Uses what is known of a file. Returns false if the file must be read, since it is an error.
  bool reuse(File& file, Unchanged& known, Scan& result) {
    if (known.manifest == nullptr) {
      if (file.depth == 0) return false;
      result.libraries.push_back({std::move(file.path), known.status.identity, known.is_indexed});
      return true;
    }
    const auto exposed = exposure(file, known.status.access);
    if (exposed && exposed->severity() == Severity::error) return false;
    if (exposed) result.skipped.push_back(*exposed);
    add({std::move(file.path), std::move(known.manifest), known.status.identity, known.is_indexed},
        result);
    return true;
  }

  Result<void> check(const File& file, const Manifest& manifest) const {
    // Making a path of the text takes longer than the comparison.
    if (!is_of_its_directory(manifest)) return check_version_directory(file.path, manifest);
    if (policy_.level < Trust::pinned && policy_.denied.empty()) return {};
    return check_listed(policy_, manifest.name, manifest.version, file.path);
  }
  std::optional<Error> exposure(const File& file, const platform::FileAccess& access) {
    if (policy_.level < Trust::owner) return std::nullopt;
    if (file.is_in_safe_directory && !platform::may_be_exposed(access)) return std::nullopt;
    const auto exposure = exposures_.of(file.canonical(), access);
    return exposure ? std::optional(untrusted_owner(file.path, *exposure)) : std::nullopt;
  }

  const TrustPolicy& policy_;
  const KnownFiles& known_;
  const ScannedDirectory* directory_ = nullptr;
  const IndexFile::Directory* indexed_ = nullptr;  // nullptr: the index does not have it
  platform::ExposureCheck exposures_;
  ReadRequirements requirements_;
};

void append(Scan&& part, Scan& result) {
  std::ranges::move(part.modules, std::back_inserter(result.modules));
  std::ranges::move(part.skipped, std::back_inserter(result.skipped));
  std::ranges::move(part.libraries, std::back_inserter(result.libraries));
  result.broken.merge(part.broken);
}

/// Returns whether two paths may lead to one file: by a link, or by two entries of the search path.
bool may_have_two_paths(const std::vector<Result<Search>>& searches) {
  std::size_t used = 0;
  for (const auto& search : searches) {
    if (!search || search->files.empty()) continue;
    ++used;
    if (search->has_links) return true;
  }
  return used > 1;
}

/// Reads files in parallel. The results are in the order of the files.
void read_all(std::span<File> files, Reader& reader, Scan& result) {
  // By one thread, one after the other. Known files are not read.
  const std::size_t together = reader.knows_any() ? 512 : 32;
  std::vector<Scan> parts((files.size() + together - 1) / together);
  run_in_parallel(parts.size(), [&](std::size_t part) {
    const std::size_t end = std::min((part + 1) * together, files.size());
    parts[part].modules.reserve(together);
    for (std::size_t i = part * together; i < end; ++i) reader.read(files[i], i, parts[part]);
  });
  result.modules.reserve(result.modules.size() + files.size());
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
  if (is_of_its_directory(manifest)) return {};
  const std::string version = manifest.version.to_string();
  return Error(
      {.code = "wrong-directory",
       .where = file.string(),
       .found = manifest.name + " " + version + " in the directory " + manifest.version_directory,
       .needed = "the version of its directory",
       .fix = "move it to a directory " + version});
}

std::string name_below(const ScannedDirectory& directory, const PathText& file) {
  const auto begin = file.find_first_not_of(fs::path::preferred_separator, directory.path.size());
  return begin != file.npos ? converted<std::string>(file.substr(begin)) : std::string();
}

KnownFiles::KnownFiles(std::string app) : app_(std::move(app)) {}
KnownFiles::~KnownFiles() = default;

void KnownFiles::begin() {
  if (!app_.empty()) index_ = std::make_unique<const ModuleIndex>(std::exchange(app_, {}));
  files_.reserve(kept_.size());
  for (auto& [file, known] : kept_) files_.emplace(std::move(file), std::move(known));
  kept_.clear();
}

bool KnownFiles::has_any() const noexcept {
  return index() != nullptr || !files_.empty();
}

const IndexFile* KnownFiles::index() const noexcept {
  return index_ != nullptr ? index_->file() : nullptr;
}

const KnownFiles::Known* KnownFiles::find(const PathText& file) const {
  const auto known = files_.find(file);
  return known != files_.end() ? &known->second : nullptr;
}

void KnownFiles::keep(const Scan& scan, std::chrono::system_clock::time_point when) {
  if (index_ != nullptr) index_->update(scan, when);
  index_ = nullptr;
  files_.clear();
  kept_.reserve(scan.modules.size() + scan.libraries.size());
  for (const FoundModule& module : scan.modules) {
    if (is_settled(module.identity, when))
      kept_.emplace_back(module.file, Known{module.manifest, module.identity});
  }
  for (const FoundLibrary& library : scan.libraries) {
    if (is_settled(library.identity, when))
      kept_.emplace_back(library.file, Known{nullptr, library.identity});
  }
}

Scan scan(const std::vector<SearchPath>& paths, const TrustPolicy& policy, KnownFiles& known,
          std::chrono::system_clock::time_point now) {
  Scan result;
  known.begin();
  const Wanted wanted{.owners = policy.level >= Trust::owner, .statuses = known.has_any()};
  std::vector<Result<Search>> searches;
  searches.reserve(paths.size());
  for (const SearchPath& entry : paths) searches.push_back(files_in(entry, wanted));
  const bool may_repeat = may_have_two_paths(searches);
  Reader reader(policy, known);
  std::unordered_set<PathText> seen;
  std::vector<File> unsearched;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!searches[i]) {
      result.skipped.push_back(std::move(searches[i]).error());
      continue;
    }
    Search search = *std::move(searches[i]);
    std::ranges::move(search.skipped, std::back_inserter(result.skipped));
    std::vector<File>& searched = search.files;
    std::erase_if(searched, [&](File& file) {
      if (file.place == Place::searched) return may_repeat && !seen.insert(file.canonical()).second;
      unsearched.push_back(std::move(file));
      return true;
    });
    const std::size_t modules = result.modules.size();
    const std::size_t libraries = result.libraries.size();
    ScannedDirectory directory{paths[i].path.native(), std::move(search.canonical)};
    reader.begin(directory);
    read_all(searched, reader, result);
    directory.modules = result.modules.size() - modules;
    directory.libraries = result.libraries.size() - libraries;
    result.directories.push_back(std::move(directory));
  }
  // A link with another name may lead to one that is searched.
  for (const File& file : unsearched) {
    if (!may_repeat || seen.insert(file.canonical()).second) Reader::read_unsearched(file, result);
  }
  known.keep(result, now);
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
  const auto search = files_in({searched.path, searched.named}, {.all = true});
  if (!search) return files;
  for (const File& file : search->files) files.push_back({file.path, reason_of(file)});
  return files;
}

}}}  // namespace tenon::v0_1::detail
