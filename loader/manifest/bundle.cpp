// SPDX-License-Identifier: BSL-1.0
#include "manifest/bundle.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "manifest/byte_source.hpp"
#include "platform/file.hpp"
#include "platform/image_map.hpp"
#include "platform/machine.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view origin_words[] = {"${ORIGIN}", "$ORIGIN"};

/// One of the folders in which a file looks for its libraries.
struct Folder {
  fs::path path;
  bool near;
};

Folder resolved(std::string folder, const fs::path& origin) {
  const bool near = is_near(folder);
  for (const std::string_view word : origin_words) {
    if (const auto at = folder.find(word); at != std::string::npos) {
      folder.replace(at, word.size(), origin.string());
    }
  }
  return {std::move(folder), near};
}

/// Where debuggers look for what was taken out of a file: beside it, in `.debug`, and in the
/// system's folder.
std::optional<DebugFile> find_debug_file(const ElfFile& elf, const fs::path& file) {
  auto link = elf.debug_link();
  if (!link) return std::nullopt;
  std::error_code ignored;
  const fs::path folder = fs::absolute(file, ignored).parent_path();
  const fs::path system = "/usr/lib/debug" / folder.relative_path();
  for (const fs::path& place : {folder, folder / ".debug", system}) {
    fs::path path = place / link->text;
    if (fs::is_regular_file(path, ignored) && !fs::equivalent(path, file, ignored)) {
      return DebugFile{std::move(*link), std::move(path)};
    }
  }
  return std::nullopt;
}

/// Reads a module and, breadth first, what belongs to it.
class BundleReader {
 public:
  Result<Bundle> read(std::vector<std::byte> content, const fs::path& path) {
    if (auto added = add(path, std::move(content), {}); !added) return std::move(added).error();
    for (std::size_t i = 0; i < bundle_.size(); i++) {
      if (auto found = find_needed(i); !found) return std::move(found).error();
    }
    return std::move(bundle_);
  }

 private:
  /// `inherited` are folders of those that need this file.
  Result<void> add(const fs::path& path, std::vector<std::byte> content,
                   const std::vector<Folder>& inherited) {
    BundleFile file;
    file.path = path;
    file.content = std::move(content);
    const std::string where = path.string();
    MemorySource source(where, file.content);
    const auto elf = ElfFile::open(source);
    if (!elf) return elf.error();
    auto linkage = elf->linkage();
    if (!linkage) return std::move(linkage).error();
    auto pins = elf->pins();
    if (!pins) return std::move(pins).error();
    file.linkage = std::move(*linkage);
    file.pins = std::move(*pins);
    file.debug = find_debug_file(*elf, path);
    for (auto& name : file.linkage.needed) file.needed.push_back({std::move(name), {}, {}});
    file.linkage.needed.clear();
    const std::vector<Folder> own = own_folders(file);
    std::vector<Folder> all = own;
    all.insert(all.end(), inherited.begin(), inherited.end());
    const bool passes = file.linkage.passes_run_path;
    searched_.push_back(passes ? all : own);
    lent_.push_back(passes ? all : inherited);
    bundle_.push_back(std::move(file));
    return {};
  }

  static std::vector<Folder> own_folders(const BundleFile& file) {
    std::vector<Folder> folders;
    if (file.linkage.run_path.empty()) return folders;
    std::error_code ignored;
    const fs::path origin = fs::absolute(file.path, ignored).parent_path();
    for (const auto& folder : file.linkage.run_path) {
      folders.push_back(resolved(folder.text, origin));
    }
    return folders;
  }

  Result<void> find_needed(std::size_t index) {
    for (std::size_t i = 0; i < bundle_[index].needed.size(); i++) {
      const std::string name = bundle_[index].needed[i].name.text;
      if (name.find('/') != std::string::npos) continue;
      for (const Folder& folder : std::vector<Folder>(searched_[index])) {
        const fs::path path = folder.path / name;
        if (!is_library_for_this_machine(path)) continue;
        bundle_[index].needed[i].path = path;
        if (!folder.near || platform::is_loaded(name) || platform::is_loaded(path)) break;
        auto own = index_of(path, index);
        if (!own) return std::move(own).error();
        bundle_[index].needed[i].own = *own;
        break;
      }
    }
    return {};
  }

  /// The place of a file in the bundle, in which it may be already.
  Result<std::size_t> index_of(const fs::path& path, std::size_t needed_by) {
    const auto file = platform::File::open(path);
    if (!file) return file.error();
    if (identities_.empty()) {
      const auto module = platform::identity_of(bundle_[0].path);
      identities_.push_back(module ? *module : platform::FileIdentity());
    }
    const auto known = std::find(identities_.begin(), identities_.end(), file->identity());
    if (known != identities_.end()) return static_cast<std::size_t>(known - identities_.begin());
    auto content = file->read_all(largest_file);
    if (!content) return std::move(content).error();
    auto added = add(path, std::move(*content), std::vector<Folder>(lent_[needed_by]));
    if (!added) return std::move(added).error();
    identities_.push_back(file->identity());
    return bundle_.size() - 1;
  }

  Bundle bundle_;
  // Of each file of the bundle: where it looks, and where what it needs may look, too.
  std::vector<std::vector<Folder>> searched_, lent_;
  std::vector<platform::FileIdentity> identities_;  // from the first library on
};

Reload kept_by(std::string symbol, const BundleFile& file, std::string cure) {
  return {.grade = ReloadGrade::unverified,
          .symbol = std::move(symbol),
          .file = file.path,
          .cure = std::move(cure),
          .stays_mapped = false};
}

/// The first file of the bundle for which `has` holds.
template <class Condition>
const BundleFile* first(const Bundle& bundle, Condition has) {
  const auto found = std::find_if(bundle.begin(), bundle.end(), has);
  return found != bundle.end() ? &*found : nullptr;
}

}  // namespace

bool is_library_for_this_machine(const fs::path& path) {
  const auto file = platform::File::open(path);
  if (!file) return false;
  elf::Identification id;
  const auto read = file->read_at(0, std::as_writable_bytes(std::span(&id, 1)));
  return read && *read == sizeof id && id.magic == elf::magic && id.word_size == elf::class_64 &&
         id.machine == platform::host_machine;
}

bool is_near(std::string_view folder) {
  return std::any_of(std::begin(origin_words), std::end(origin_words), [&](std::string_view word) {
    return folder.find(word) != std::string_view::npos;
  });
}

Result<Bundle> read_bundle(std::vector<std::byte> content, const fs::path& path) {
  return BundleReader().read(std::move(content), path);
}

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

Reload reload_of(const Bundle& bundle, bool joins_threads) {
  if (const auto* file = first(bundle, [](auto& f) { return f.pins.nodelete; })) {
    Reload reload = kept_by("DF_1_NODELETE", *file, "link it without -z nodelete");
    reload.grade = ReloadGrade::unsafe;
    reload.stays_mapped = true;
    return reload;
  }
  if (const auto* file = first(bundle, [](auto& f) { return !f.pins.threads.empty(); });
      file != nullptr && !joins_threads) {
    Reload reload = kept_by(file->pins.threads, *file,
                            "join every thread in stop, then say \"threads\": \"joined\"");
    reload.stays_mapped = true;
    return reload;
  }
  if (const auto* file = first(bundle, [](auto& f) { return !f.pins.thread_exit.empty(); })) {
    return kept_by(file->pins.thread_exit, *file, "no thread_local with a destructor");
  }
  if (first(bundle, [](auto& f) { return !f.pins.unique.empty(); }) != nullptr) {
    return {.grade = ReloadGrade::patched, .symbol = {}, .file = {}, .cure = {}};
  }
  return {};
}

}  // namespace tenon
