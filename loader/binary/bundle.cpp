// SPDX-License-Identifier: BSL-1.0
#include "binary/bundle.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <set>
#include <span>
#include <type_traits>

#include "binary/byte_source.hpp"
#include "platform/file.hpp"
#include "platform/kept_libraries.hpp"
#include "platform/machine.hpp"
#include "platform/utf8_path.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view origin_words[] = {"${ORIGIN}", "$ORIGIN"};

/// The functions with which DLLs start threads.
constexpr std::string_view thread_functions[] = {
    "CreateThread", "CreateRemoteThread", "_beginthread", "_beginthreadex", "pthread_create"};

// A bundle that needs more is treated as an attack.
constexpr std::size_t max_lookups = 16384;

/// A directory in which a file looks for its libraries, or a library.
struct Directory {
  fs::path path;
  bool near;  // its path contains $ORIGIN
};
using Directories = std::vector<Directory>;

fs::path resolved(std::string text, const fs::path& origin) {
  for (const std::string_view word : origin_words) {
    if (const auto at = text.find(word); at != std::string::npos) {
      text.replace(at, word.size(), origin.string());
    }
  }
  return text;
}

fs::path origin_of(const fs::path& file) {
  std::error_code ignored;
  return fs::absolute(file, ignored).parent_path();
}

/// Returns the existing directories of the run path of a file, each once, like the dynamic loader.
Directories own_directories(const BundleFile& file) {
  Directories directories;
  if (!file.linkage.run_path) return directories;
  const fs::path origin = origin_of(file.path);
  std::set<std::string_view> seen;
  for (const std::string_view directory : directories_of(file.linkage.run_path->text)) {
    if (!seen.insert(directory).second) continue;
    fs::path path = resolved(std::string(directory), origin);
    std::error_code ignored;
    if (fs::is_directory(path, ignored))
      directories.push_back({std::move(path), has_origin(directory)});
  }
  return directories;
}

/// Finds separate debug information where debuggers look for it: next to the file, in `.debug`, and
/// in the directory of the system.
std::optional<DebugFile> find_debug_file(const ElfFile& elf, const fs::path& file) {
  auto link = elf.debug_link();
  if (!link) return std::nullopt;
  std::error_code ignored;
  const fs::path directory = fs::absolute(file, ignored).parent_path();
  const fs::path system = "/usr/lib/debug" / directory.relative_path();
  for (const fs::path& candidate : {directory, directory / ".debug", system}) {
    fs::path path = candidate / link->text;
    if (fs::is_regular_file(path, ignored) && !fs::equivalent(path, file, ignored)) {
      return DebugFile{std::move(*link), std::move(path)};
    }
  }
  return std::nullopt;
}

/// Reads a module and, breadth first, the libraries that belong to it.
class BundleReader {
 public:
  Result<Bundle> read(std::vector<std::byte> content, const fs::path& path) {
    return read_rest(add(path, std::move(content), {}));
  }
  Result<Bundle> read(const HostBinary& module, std::vector<std::byte> content,
                      const fs::path& path) {
    auto added = add(path, module, {});
    if (added) keep(std::move(content));
    return read_rest(added);
  }
  Result<Bundle> inspect(const platform::File& module, ElfFile::Accepts accepts) {
    keeps_contents_ = false;
    accepts_ = accepts;
    FileSource source(module);
    auto added = add(platform::path_from(module.path()), source, {});
    if (added) bundle_.back().access = module.access();
    return read_rest(added);
  }

 private:
  Result<Bundle> read_rest(const Result<void>& module) {
    if (!module) return module.error();
    for (std::size_t i = 0; i < bundle_.size(); ++i) {
      if (auto found = find_needed(i); !found) return std::move(found).error();
    }
    return std::move(bundle_);
  }

  Result<void> add(const fs::path& path, std::vector<std::byte> content,
                   const Directories& inherited) {
    const std::string where = path.string();
    MemorySource source(where, content);
    if (auto added = add(path, source, inherited); !added) return added;
    keep(std::move(content));
    return {};
  }
  Result<void> add(const fs::path& path, ByteSource& source, const Directories& inherited) {
    const auto file = open<HostBinary>(source);
    return file ? add(path, *file, inherited) : file.error();
  }
  template <class File>
  Result<File> open(ByteSource& source) const {
    if constexpr (std::is_same_v<File, ElfFile>) {
      return File::open(source, accepts_);
    } else {
      return File::open(source);
    }
  }
  /// `inherited` are the directories that files pass on to the libraries that they need.
  Result<void> add(const fs::path& path, const ElfFile& elf, const Directories& inherited) {
    BundleFile file;
    file.path = path;
    auto linkage = elf.linkage();
    if (!linkage) return std::move(linkage).error();
    const auto symbols = elf.symbols();
    if (!symbols) return symbols.error();
    const auto demands = elf.demands();
    if (!demands) return demands.error();
    file.linkage = std::move(*linkage);
    file.blockers = elf.unload_blockers(*symbols);
    file.demands = *demands;
    file.debug = find_debug_file(elf, path);
    for (auto& name : file.linkage.needed) file.needed.push_back({std::move(name), {}, {}});
    file.linkage.needed.clear();
    Directories own = own_directories(file);
    Directories all = own;
    all.insert(all.end(), inherited.begin(), inherited.end());
    const bool passes = file.linkage.passes_run_path;
    passed_on_.push_back(passes ? all : inherited);
    searched_.push_back(passes ? std::move(all) : std::move(own));
    bundle_.push_back(std::move(file));
    return {};
  }

  Result<void> add(const fs::path& path, const PeFile& pe, const Directories&) {
    const auto imports = pe.imports();
    if (!imports) return imports.error();
    const fs::path origin = origin_of(path);
    BundleFile file;
    file.path = path;
    for (const PeFile::Import& import : *imports) {
      std::error_code ignored;
      // Windows searches it in the directory of the program when one of its functions is called.
      if (import.delayed && fs::exists(origin / import.library, ignored) &&
          !platform::is_loaded_by_program(import.library)) {
        return Error({.code = "load-failed",
                      .where = path.string(),
                      .found = "the DLL " + import.library +
                               " next to it, which is loaded when one of its functions is called",
                      .needed = "libraries that are loaded with the module",
                      .fix = "link it without delayed loading"});
      }
      const auto starts_threads = [](const std::string& function) {
        return std::ranges::find(thread_functions, function) != std::end(thread_functions);
      };
      const auto thread = std::ranges::find_if(import.functions, starts_threads);
      if (thread != import.functions.end()) file.blockers.threads = *thread;
      file.needed.push_back({{import.library, import.library_at}, {}, {}});
    }
    searched_.push_back({{origin, true}});
    passed_on_.emplace_back();
    bundle_.push_back(std::move(file));
    return {};
  }

  void keep(std::vector<std::byte> content) {
    read_ += content.size();
    bundle_.back().content = std::move(content);
  }

  Result<void> find_needed(std::size_t index) {
    for (std::size_t i = 0; i < bundle_[index].needed.size(); ++i) {
      const std::string name = bundle_[index].needed[i].name.text;
      auto found = name.find('/') != std::string::npos ? find_path(name, bundle_[index].path)
                                                       : find_name(name, searched_[index]);
      if (!found) return std::move(found).error();
      if (!*found) continue;
      const auto& [path, near] = **found;
      bundle_[index].needed[i].path = path;
      if (!near || is_shared(name, path)) continue;
      auto own = index_of(path, index);
      if (!own) return std::move(own).error();
      bundle_[index].needed[i].own = *own;
    }
    return {};
  }

  bool is_shared(const std::string& name, const fs::path& path) const {
    return keeps_contents_ &&
           (platform::is_loaded_by_program(name) || platform::is_loaded_by_program(path));
  }

  using Library = std::optional<Directory>;

  static Result<Library> find_path(const std::string& name, const fs::path& needed_by) {
    fs::path path = resolved(name, origin_of(needed_by));
    if (!is_library_for_this_machine(path)) return Library();
    return Library({std::move(path), has_origin(name)});
  }

  Result<Library> find_name(const std::string& name, const Directories& directories) {
    for (const Directory& directory : directories) {
      if (++lookups_ > max_lookups) return too_many_lookups();
      fs::path path = directory.path / name;
      if (is_library_for_this_machine(path)) return Library({std::move(path), directory.near});
    }
    return Library();
  }

  Error too_many_lookups() const {
    return Error(
        {.code = "broken-file",
         .where = bundle_[0].path.string(),
         .found = "more than " + std::to_string(max_lookups) + " possible paths of its libraries",
         .needed = "a few directories in the run path",
         .fix = "link the module with only the directories that contain its libraries"});
  }

  /// Returns the index of a file in the bundle, and adds the file if it is new.
  Result<std::size_t> index_of(const fs::path& path, std::size_t needed_by) {
    const auto file = platform::File::open(path);
    if (!file) return file.error();
    if (identities_.empty()) {
      const auto module = platform::identity_of(bundle_[0].path);
      identities_.push_back(module ? *module : platform::FileIdentity());
    }
    const auto known = std::find(identities_.begin(), identities_.end(), file->identity());
    if (known != identities_.end()) return static_cast<std::size_t>(known - identities_.begin());
    if (auto added = add_library(*file, path, passed_on_[needed_by]); !added) return added.error();
    bundle_.back().access = file->access();
    identities_.push_back(file->identity());
    return bundle_.size() - 1;
  }

  Result<void> add_library(const platform::File& file, const fs::path& path,
                           const Directories& inherited) {
    if (!keeps_contents_) {
      FileSource source(file);
      return add(path, source, inherited);
    }
    auto content = file.read_all(max_file_size - std::min(read_, max_file_size));
    if (!content) return std::move(content).error();
    return add(path, std::move(*content), inherited);
  }

  Bundle bundle_;
  bool keeps_contents_ = true;
  ElfFile::Accepts accepts_ = ElfFile::Accepts::libraries;
  std::size_t read_ = 0;  // bytes of contents
  std::size_t lookups_ = 0;
  // For each file of the bundle: the directories that it searches, and those that it passes on to
  // its libraries. A deque, so that references stay valid when files are added.
  std::deque<Directories> searched_, passed_on_;
  std::vector<platform::FileIdentity> identities_;  // from the first library on
};

/// Returns the first file of the bundle for which `has` is true; nullptr if there is none.
template <class Condition>
const BundleFile* first(const Bundle& bundle, Condition has) {
  const auto found = std::find_if(bundle.begin(), bundle.end(), has);
  return found != bundle.end() ? &*found : nullptr;
}

/// Returns whether a file of the bundle defines a function, so that each copy of the module has its
/// own library.
bool defines(const Bundle& bundle, const std::string& function) {
  return first(bundle, [&](const BundleFile& file) {
           return std::ranges::find(file.blockers.ruled, function) != file.blockers.ruled.end();
         }) != nullptr;
}

/// Returns the result of the rule with the worst effect; nothing if none applies.
std::optional<ReloadSafety> rule_of(const Bundle& bundle, const UnloadStatement& stated) {
  const LibraryRule* worst = nullptr;
  const BundleFile* in = nullptr;
  for (const BundleFile& file : bundle) {
    for (const LibraryRule& rule : file.blockers.rules) {
      if (worst != nullptr && rule.effect <= worst->effect) continue;
      if (std::ranges::find(stated.handled, rule.library) != stated.handled.end()) continue;
      if (defines(bundle, rule.functions.front())) continue;
      worst = &rule;
      in = &file;
    }
  }
  if (worst == nullptr) return std::nullopt;
  const bool unsafe = worst->effect != LibraryEffect::keeps_code;
  return ReloadSafety{.grade = unsafe ? ReloadGrade::unsafe : ReloadGrade::unverified,
                      .symbol = worst->functions.front(),
                      .file = in->path,
                      .library = worst->library,
                      .reason = worst->reason,
                      .fix = worst->fix,
                      .stays_mapped = worst->effect != LibraryEffect::one_copy,
                      .stays_loaded = worst->effect == LibraryEffect::once};
}

}  // namespace

bool is_library_for_this_machine(const fs::path& path) {
  const auto file = platform::File::open(path);
  if (!file) return false;
  if (platform::loads_dlls) {
    FileSource source(*file);
    const auto library = PeFile::open(source);
    return library && library->check_system();
  }
  elf::Identification id;
  const auto read = file->read_at(0, std::as_writable_bytes(std::span(&id, 1)));
  return read && *read == sizeof id && id.magic == elf::magic && id.word_size == elf::class_64 &&
         id.machine == platform::host_machine;
}

bool has_origin(std::string_view path) {
  return std::any_of(std::begin(origin_words), std::end(origin_words), [&](std::string_view word) {
    return path.find(word) != std::string_view::npos;
  });
}

std::vector<std::string_view> directories_of(std::string_view run_path) {
  std::vector<std::string_view> directories;
  for (std::size_t begin = 0; begin <= run_path.size();) {
    const auto end = std::min(run_path.find(':', begin), run_path.size());
    if (end > begin) directories.push_back(run_path.substr(begin, end - begin));
    begin = end + 1;
  }
  return directories;
}

Result<Bundle> read_bundle(std::vector<std::byte> content, const fs::path& path) {
  return BundleReader().read(std::move(content), path);
}

Result<Bundle> read_bundle(const platform::File& module) {
  auto content = module.read_all(max_file_size);
  if (!content) return std::move(content).error();
  auto bundle = read_bundle(std::move(*content), platform::path_from(module.path()));
  if (!bundle) return bundle;
  bundle->front().access = module.access();
  return bundle;
}

Result<Bundle> read_bundle(const HostBinary& module, std::vector<std::byte> content,
                           const fs::path& path) {
  return BundleReader().read(module, std::move(content), path);
}

Result<Bundle> inspect_bundle(const platform::File& module, ElfFile::Accepts accepts) {
  return BundleReader().inspect(module, accepts);
}

ReloadSafety reload_of(const Bundle& bundle, const UnloadStatement& stated) {
  if (const auto* file = first(bundle, [](auto& f) { return f.blockers.nodelete; })) {
    return {.grade = ReloadGrade::unsafe,
            .symbol = "DF_1_NODELETE",
            .file = file->path,
            .reason = "the file states that it is never unloaded",
            .fix = "link it without -z nodelete",
            .stays_mapped = true};
  }
  const auto ruled = rule_of(bundle, stated);
  if (ruled && ruled->grade == ReloadGrade::unsafe) return *ruled;
  if (const auto* file = first(bundle, [](auto& f) { return f.blockers.static_tls != 0; })) {
    // About what glibc 2.36 has left for libraries that are loaded later. Blocks are aligned, and
    // none is used again, because a copy is loaded before the old one goes.
    constexpr std::uint64_t available = 1600;
    std::uint64_t size = 0;
    for (const BundleFile& one : bundle) size += one.blockers.static_tls;
    return {
        .grade = ReloadGrade::unsafe,
        .symbol = "initial-exec",
        .file = file->path,
        .reason = "each copy takes " + std::to_string(size) +
                  " bytes of thread-local memory at a fixed place, of which a process has about " +
                  std::to_string(available) + " for libraries: enough for " +
                  std::to_string(available / std::max<std::uint64_t>(size, 16)) + " copies",
        .fix = "compile it without -ftls-model=initial-exec"};
  }
  if (const auto* file = first(bundle, [](auto& f) { return !f.blockers.threads.empty(); });
      file != nullptr && !stated.joins_threads) {
    return {.grade = ReloadGrade::unverified,
            .symbol = file->blockers.threads,
            .file = file->path,
            .reason = "its threads may outlast stop",
            .fix = "join every thread in stop, then say \"threads\": \"joined\"",
            .stays_mapped = true};
  }
  if (ruled) return *ruled;
  if (const auto* file = first(bundle, [](auto& f) { return !f.blockers.thread_exit.empty(); })) {
    return {.grade = ReloadGrade::unverified,
            .symbol = file->blockers.thread_exit,
            .file = file->path,
            .reason = "threads that have such objects keep the code until they end",
            .fix = "no thread_local with a destructor"};
  }
  if (first(bundle, [](auto& f) { return !f.blockers.unique.empty(); }) != nullptr) {
    return {.grade = ReloadGrade::patched};
  }
  return {};
}

}}}  // namespace tenon::v0_1::detail

namespace tenon { inline namespace v0_1 {

std::string_view to_string(ReloadGrade grade) noexcept {
  switch (grade) {
    case ReloadGrade::safe:
      return "safe";
    case ReloadGrade::patched:
      return "safe (patched)";
    case ReloadGrade::unverified:
      return "unverified";
    case ReloadGrade::unsafe:
      break;
  }
  return "unsafe";
}

}}  // namespace tenon::v0_1
