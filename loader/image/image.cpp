// SPDX-License-Identifier: BSL-1.0
#include "image/image.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/keep_until_exit.hpp"
#include "binary/refusals.hpp"
#include "binary/sanitizers.hpp"
#include "image/kept_libraries.hpp"
#include "platform/dynamic_loader.hpp"
#include "platform/file.hpp"
#include "platform/process.hpp"
#include "platform/utf8_path.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

namespace {

namespace fs = std::filesystem;

constexpr const char* entry_symbol = "tenon_module_v1";

// Most modules are smaller. For larger ones a disk adds little to the time of the copy.
constexpr std::size_t max_size_in_memory = 1 << 20;

// In bytes. Leaves room for the number of a copy: a file in memory has a name of at most 249 bytes,
// others of 255.
constexpr std::size_t max_stem_length = 200;

// The dynamic loader replaces tokens such as $ORIGIN and $LIB in the names of files.
constexpr char token_start = '$';

bool has_token(const fs::path& path) {
  return path.native().find(token_start) != std::string::npos;
}

/// Reserves numbers, which make the names of loaded files unique in this process.
std::uint64_t take_numbers(std::size_t count) {
  static std::atomic<std::uint64_t> next = 1;
  return next.fetch_add(count);
}

/// Returns whether the code of a bundle, or of the libraries that it brings, may set signal
/// handlers.
/// The libraries of the C and C++ runtime do not.
bool may_set_handlers(const Bundle& bundle) {
  const auto brings_code = [](const Needed& library) {
    constexpr std::string_view runtime[] = {"libc.so",     "libm.so",       "libdl.so",
                                            "librt.so",    "libpthread.so", "libstdc++.so",
                                            "libgcc_s.so", "ld-linux"};
    return !library.own && std::ranges::none_of(runtime, [&](std::string_view name) {
      return library.name.text.starts_with(name);
    });
  };
  return std::ranges::any_of(bundle, [&](const BundleFile& file) {
    return !file.blockers.handlers.empty() || std::ranges::any_of(file.needed, brings_code);
  });
}

Error no_executable_directory(const fs::path& module, const fs::path& library) {
  return Error(
      {.code = "load-failed",
       .where = module.string(),
       .found = "the library " + library.filename().string() +
                " next to it, and no directory for temporary files that may be executed from",
       .needed = "a directory for copies of the module and its libraries",
       .fix = "set TMPDIR to a directory that is not mounted noexec"});
}

Error no_temporary_directory(const std::error_code& reason) {
  return Error({.code = "not-found",
                .where = "the directory for temporary files",
                .found = reason.message(),
                .needed = "a directory where the host's user may write",
                .fix = "set TMPDIR to such a directory"});
}

Error token_in_directory(const fs::path& directory) {
  return Error({.code = "load-failed",
                .where = directory.string(),
                .found = "a directory for copies of modules with `$` in its path",
                .needed = "a path in which the dynamic loader replaces nothing",
                .fix = "choose a directory without `$` in its path, or set TMPDIR to one"});
}

/// Parts of messages of the dynamic loader, and the remedy for each. The first that matches counts.
struct Remedy {
  std::string_view message;
  std::string_view fix;
};
constexpr std::string_view not_found = "cannot open shared object file";
constexpr Remedy remedies[] = {
    {"cannot be dlopen()ed", remedy_for_no_dlopen},
    {"executable stack", remedy_for_executable_stack},
    {"ISA level", remedy_for_processor},
    {"version `",
     "build the plugin on a system with the versions of this one, or upgrade this system"},
    {"undefined symbol", "link the plugin with the library that defines the symbol"},
    {"cannot open shared object file: Permission denied",
     "let the user of this process read the library"},
    {not_found, "install the missing library, or link it into the plugin"},
    {"invalid ELF header", "install the library that the message names again"},
    {"file too short", "install the library that the message names again"},
    {"wrong ELF class", "install the library that the message names for this machine"},
    {"segment writable for relocation", "compile the plugin and its libraries with -fPIC"},
    {"unexpected reloc type", "compile the plugin and its libraries with -fPIC"},
    {"unexpected PLT reloc type", "compile the plugin and its libraries with -fPIC"},
    {"Cannot allocate memory", "raise the limits of the process, or free memory"},
    {"Operation not permitted", "allow the process to map code from the directory for copies"},
    {"Permission denied", "allow the process to map code from the directory for copies"},
};

/// Returns a remedy for a message of the dynamic loader.
std::string_view remedy_for(std::string_view message, bool default_directories) {
  if (!default_directories && message.find(not_found) != std::string_view::npos) {
    return remedy_for_no_default_directories;
  }
  const auto remedy = std::ranges::find_if(remedies, [message](const Remedy& one) {
    return message.find(one.message) != std::string_view::npos;
  });
  return remedy != std::end(remedies) ? remedy->fix
                                      : "build the plugin again, with the tools of this system";
}

/// Writes one file of a module under its first name, and creates hard links with the other names.
Result<void> write_file(const BundleFile& file, const std::vector<std::string>& names,
                        PrivateCopy& copy) {
  const fs::path directory = copy.directory->path();
  const std::string& first = names.front();
  for (const std::string& name : names) {
    copy.files.push_back({directory / platform::path_from(name), file.path});
    auto written = name == first ? copy.directory->create_file(name, file.content)
                                 : copy.directory->link_file(first, name);
    if (!written) return written;
  }
  if (file.debug) {
    // A failure is ignored: only debuggers need the link.
    std::error_code ignored;
    copy.debug_links.push_back(directory / file.debug->link.text);
    fs::create_symlink(file.debug->path, copy.debug_links.back(), ignored);
  }
  return {};
}

/// Replaces the paths of the copies in a message of the dynamic loader by those of the originals.
std::string with_original_paths(std::string text, const PrivateCopy& copy) {
  for (const auto& file : copy.files) {
    const std::string path = file.path.string();
    const std::string original = file.original.string();
    for (auto at = text.find(path); at != std::string::npos;
         at = text.find(path, at + original.size())) {
      text.replace(at, path.size(), original);
    }
  }
  return text;
}

bool is_mapped(const PrivateCopy::File& file) noexcept {
  return platform::is_mapped(file.path);
}

ReloadSafety not_alone(const SystemLibraries::NotAlone& library) {
  return {.grade = ReloadGrade::unverified,
          .symbol = library.name,
          .file = library.needed_by,
          .reason = "it is unloaded with the module whose symbols it uses",
          .fix = "link " + library.name + " with the libraries whose symbols it uses"};
}

/// Returns a library that uses symbols of a file of `copy`, and is not one of its files; empty if
/// there is none.
std::string holder_of(const PrivateCopy& copy, const fs::path& file) {
  std::vector<std::string> importers = platform::importers_of(file);
  std::erase_if(importers, [&](const std::string& importer) {
    return std::ranges::find(copy.files, fs::path(importer), &PrivateCopy::File::path) !=
           copy.files.end();
  });
  return importers.empty() ? std::string() : importers.front();
}

/// Sets why an image of `copy` that was closed is mapped: the library that holds it. If there is
/// none, what its file has said before, otherwise what is left.
void explain_mapped(const PrivateCopy& copy, ReloadSafety& reload) noexcept try {
  if (reload.stays_mapped) return;
  for (const PrivateCopy::File& file : copy.files) {
    if (!is_mapped(file)) continue;
    if (const std::string holder = holder_of(copy, file.path); !holder.empty()) {
      reload.symbol = reload.library = "";
      reload.file = file.original;
      reload.reason = holder + ", which uses its symbols, holds it";
      reload.fix =
          "close that library in stop, or link it with the libraries whose symbols it uses";
      return;
    }
  }
  const auto mapped = std::ranges::find_if(copy.files, is_mapped);
  if (mapped == copy.files.end() || !reload.reason.empty()) return;
  reload.file = mapped->original;
  reload.reason =
      "a handle from dlopen that is still open, or a library that has looked up its symbols with "
      "dlsym, holds it";
  reload.fix = "close in stop what the module has opened";
} catch (const std::bad_alloc&) {
}

}  // namespace

bool PrivateCopy::is_mapped() const noexcept {
  return std::ranges::any_of(files, detail::is_mapped);
}

void PrivateCopy::watch_handlers() const {
  if (handlers == nullptr) return;
  std::vector<platform::ImageMap> images;
  for (const File& file : files) images.push_back(platform::ImageMap::of(file.path));
  handlers->watch(std::move(images));
}

void PrivateCopy::replace_handlers() const noexcept {
  if (handlers == nullptr) return;
  const auto replaced = handlers->replace();
  if (host_state != nullptr) host_state->replaced(replaced);
}

void PrivateCopy::replace_unmapped_handlers() const noexcept {
  if (handlers == nullptr) return;
  const auto replaced = handlers->replace_unmapped();
  if (host_state != nullptr) host_state->replaced(replaced);
}

void PrivateCopy::remove() noexcept {
  if (memory) return memory.reset();
  if (original != nullptr) return original.reset();
  // A forked child has the images, but the files belong to its parent.
  if (directory == nullptr || !directory->is_own()) return;
  for (const File& file : files) static_cast<void>(platform::remove(file.path));
  for (const fs::path& link : debug_links) static_cast<void>(platform::remove(link));
}

ImageDirectory::~ImageDirectory() {
  sweep();
  for (auto* mapped : {&lingering_, &retired_}) {
    for (PrivateCopy& copy : *mapped) {
      if (copy.memory) copy.memory->keep();
      if (copy.data != nullptr) keep_until_exit(std::move(copy.data));
    }
  }
}

/// Returns the directory for the copy in a file system in memory; empty if it must not be stored
/// there. Large copies are stored on disk, because the system cannot evict files in memory.
fs::path ImageDirectory::memory_parent(const Bundle& bundle) const {
  if (!options_.parent.empty() || platform::temporary_directory().named) return {};
  std::size_t size = 0;
  for (const BundleFile& file : bundle) size += file.content.size();
  return size <= max_size_in_memory ? platform::memory_directory() : fs::path();
}

/// Returns the directory of a place if it can be used, or a new one in `parent` (empty: the
/// directory for temporary files). Returns nothing if it is mounted noexec. Before a directory is
/// created, those of killed hosts are removed.
Result<ImageDirectory::Directory> ImageDirectory::usable_directory(Place place, fs::path parent) {
  {
    sync::Lock lock(mutex_);
    const Directory& directory = directories_[place];
    if (directory != nullptr && directory->is_usable()) return directory;
  }
  if (parent.empty()) {
    std::error_code failed;
    parent = platform::temporary_directory().path;
    const bool is_directory = fs::is_directory(parent, failed);
    if (!failed && !is_directory) failed = std::make_error_code(std::errc::not_a_directory);
    if (failed) return no_temporary_directory(failed);
  }
  std::error_code ignored;
  if (has_token(fs::absolute(parent, ignored))) return token_in_directory(parent);
  platform::remove_abandoned_directories(parent);
  auto made = platform::PrivateDirectory::create(parent);
  if (!made) return std::move(made).error();
  if (!platform::may_execute((*made)->path())) return Directory();
  sync::Lock lock(mutex_);
  Directory& directory = directories_[place];
  if (directory == nullptr || !directory->is_usable()) directory = std::move(*made);
  return directory;
}

Result<PrivateCopy> ImageDirectory::copy(Bundle bundle) {
  std::string name = bundle[0].path.stem().string().substr(0, max_stem_length) + ".g";
  std::ranges::replace(name, token_start, '_');
  ImageOptions::Storage storage;
  {
    sync::Lock lock(mutex_);
    name += std::to_string(++count_) + platform::module_suffix;
    storage = storage_;
  }
  if (auto original = original_of(bundle, name)) return std::move(*original);
  auto names = make_private(bundle, take_numbers(bundle.size()));
  if (!names) return std::move(names).error();
  if (storage == ImageOptions::Storage::memory) return copy_to_memory(bundle, name);
  names->front().insert(names->front().begin(), name);
  if (const fs::path parent = memory_parent(bundle); !parent.empty()) {
    const auto directory = usable_directory(in_memory, parent);
    if (directory && *directory != nullptr) {
      if (auto copy = copy_to_directory(bundle, name, *names, *directory)) return copy;
    }
  }
  const auto directory = usable_directory(on_disk, options_.parent);
  if (!directory) return directory.error();
  if (*directory != nullptr) return copy_to_directory(bundle, name, *names, *directory);
  {
    sync::Lock lock(mutex_);
    storage_ = ImageOptions::Storage::memory;
  }
  return copy_to_memory(bundle, name);
}

/// Returns nothing if the module needs a copy, see HostOptions::load_in_place.
std::optional<PrivateCopy> ImageDirectory::original_of(const Bundle& bundle,
                                                       const std::string& name) const {
  const bool alone = bundle.size() == 1 && bundle[0].blockers.unique.empty();
  if (!options_.load_in_place || !alone || has_token(bundle[0].path)) return std::nullopt;
  auto original = OriginalFile::claim(bundle[0].path, bundle[0].content);
  if (original == nullptr) return std::nullopt;
  PrivateCopy copy{.name = name, .files = {{original->path(), bundle[0].path}}};
  copy.original = std::move(original);
  return copy;
}

Result<PrivateCopy> ImageDirectory::copy_to_directory(const Bundle& bundle, const std::string& name,
                                                      const Names& names,
                                                      const Directory& directory) {
  PrivateCopy copy{.name = name, .directory = directory};
  try {
    for (std::size_t i = 0; i < bundle.size(); ++i) {
      if (auto written = write_file(bundle[i], names[i], copy); !written) {
        copy.remove();
        return std::move(written).error();
      }
    }
  } catch (...) {  // out of memory
    copy.remove();
    throw;
  }
  return copy;
}

Result<PrivateCopy> ImageDirectory::copy_to_memory(const Bundle& bundle, const std::string& name) {
  if (bundle.size() > 1) return no_executable_directory(bundle[0].path, bundle[1].path);
  auto memory = platform::MemoryFile::create(name, bundle[0].content);
  if (!memory) return std::move(memory).error();
  PrivateCopy copy{.name = name, .files = {{memory->path(), bundle[0].path}}};
  copy.memory = std::move(*memory);
  return copy;
}

bool ImageDirectory::reclaim(PrivateCopy copy, bool retired) noexcept {
  // dlclose reports success even if the image stays mapped.
  if (!copy.is_mapped()) {
    copy.replace_unmapped_handlers();
    copy.remove();
    return true;
  }
  sync::Lock lock(mutex_);
  (retired ? retired_ : lingering_).push_back(std::move(copy));
  return false;
}

std::size_t ImageDirectory::sweep() noexcept {
  // Without the lock, because unmapping runs destructors of images.
  std::list<PrivateCopy> checked;
  {
    sync::Lock lock(mutex_);
    checked.swap(lingering_);
    being_swept_ += checked.size();
  }
  const std::size_t count = checked.size();
  const std::size_t removed = std::erase_if(checked, [](PrivateCopy& copy) {
    const PreservedState state(copy.host_state.get(), "unloading", copy.preserved());
    for (const auto& file : copy.files) platform::release_image(file.path);
    if (copy.is_mapped()) return false;
    copy.replace_unmapped_handlers();
    copy.remove();
    return true;
  });
  sync::Lock lock(mutex_);
  being_swept_ -= count;
  lingering_.splice(lingering_.end(), checked);
  return removed;
}

std::size_t ImageDirectory::lingering() const noexcept {
  sync::Lock lock(mutex_);
  return lingering_.size() + being_swept_;
}

std::size_t ImageDirectory::retired() const noexcept {
  sync::Lock lock(mutex_);
  return retired_.size();
}

Result<Image> Image::load(std::shared_ptr<ImageDirectory> directory, Bundle bundle,
                          const UnloadStatement& stated,
                          std::shared_ptr<HostStateReport> host_state) {
  const fs::path file = bundle[0].path;
  if (auto checked = check_sanitizers(bundle); !checked) return std::move(checked).error();
  Image image;
  image.reload_ = reload_in_process(bundle, stated);
  image.starts_threads_ = std::ranges::any_of(
      bundle, [](const BundleFile& one) { return !one.blockers.threads.empty(); });
  const bool sets_handlers = may_set_handlers(bundle);
  const bool default_directories = std::ranges::all_of(
      bundle, [](const BundleFile& one) { return one.linkage.default_directories; });
  const SystemLibraries libraries = [&] {
    const PreservedState state(host_state.get(), "loading",
                               sets_handlers ? Preserved::all : Preserved::float_modes_and_signals);
    return keep_libraries(bundle);
  }();
  if (libraries.not_alone && image.reload_.grade < ReloadGrade::unverified) {
    image.reload_ = not_alone(*libraries.not_alone);
  }
  auto copy = directory->copy(std::move(bundle));
  if (!copy) return std::move(copy).error();
  image.copy_ = std::move(*copy);
  if (sets_handlers) image.copy_.handlers = std::make_unique<platform::ImageHandlers>();
  image.copy_.host_state = std::move(host_state);
  image.directory_ = std::move(directory);

  const fs::path& path = image.copy_.path();
  boost::dll::fs::error_code failed;
  {
    const PreservedState state(image.copy_.host_state.get(), "loading", image.copy_.preserved());
    image.library_.load(path, platform::load_mode(), failed);
  }
  if (!failed) image.copy_.watch_handlers();
  if (failed) {
    const std::string found = with_original_paths(platform::load_error(failed), image.copy_);
    if (auto replaced = replaced_library(libraries, file, found)) return std::move(*replaced);
    if (found.find("static TLS") != std::string::npos) {
      return Error({.code = "no-static-tls",
                    .where = file.string(),
                    .found = found,
                    .needed = "memory for thread-local variables at a fixed place",
                    .fix = "build the plugin and its libraries without -ftls-model=initial-exec, "
                           "or start the program again"});
    }
    return Error({.code = "load-failed",
                  .where = file.string(),
                  .found = found,
                  .needed = "a library that the dynamic loader accepts",
                  .fix = std::string(remedy_for(found, default_directories))});
  }
  if (image.copy_.original != nullptr && !image.copy_.original->is_unchanged()) {
    return Error({.code = "file-changed",
                  .status = TENON_UNAVAILABLE | TENON_RETRYABLE,
                  .message = "the file was replaced or written to while it was loaded",
                  .where = file.string()});
  }
  image.map_ = platform::ImageMap::of(path);
  if (!image.library_.has(entry_symbol)) {
    return Error({.code = "no-module-object",
                  .where = file.string(),
                  .found = "no exported object tenon_module_v1",
                  .needed = "the object that the macro TENON_MODULE or TENON_PLUGIN defines",
                  .fix = "build the plugin with the macro, and export the object"});
  }
  image.module_ = &image.library_.get<const tenon_module>(entry_symbol);
  return image;
}

ReloadSafety reload_in_process(const Bundle& bundle, const UnloadStatement& stated) {
  ReloadSafety reload = reload_of(bundle, stated);
  if (!reload.library.empty() && reload.grade == ReloadGrade::unsafe &&
      platform::has_global_symbol(reload.symbol.c_str())) {
    reload.stays_mapped = true;
    reload.stays_loaded = true;
  }
  return reload;
}

Image::~Image() {
  unload();
}

bool Image::unload() noexcept {
  if (directory_ == nullptr) return true;
  if (reload_.stays_mapped) {
    platform::pin_image(copy_.path());
  } else {
    copy_.replace_handlers();
  }
  {
    const PreservedState state(copy_.host_state.get(), "unloading", copy_.preserved());
    library_.unload();
  }
  explain_mapped(copy_, reload_);
  const auto directory = std::exchange(directory_, nullptr);
  return directory->reclaim(std::move(copy_), reload_.stays_mapped);
}

}}}  // namespace tenon::v0_1::detail
