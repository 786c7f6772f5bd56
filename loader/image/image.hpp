// SPDX-License-Identifier: BSL-1.0
//
// Loads modules. The dynamic loader takes two files with the same path or inode for one, and
// overwriting a mapped file crashes the process. So the loader loads a private copy under a name
// that is never used again, with copies of the libraries next to the module. See
// ImageOptions::load_in_place for the exception.
#pragma once

#include <tenon/abi.h>
#include <tenon/reload_safety.hpp>
#include <tenon/result.hpp>

#include <boost/dll/shared_library.hpp>

#include <cstddef>
#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/lock_order.hpp"
#include "binary/bundle.hpp"
#include "image/host_state.hpp"
#include "image/only_copy.hpp"
#include "image/original_file.hpp"
#include "platform/image_map.hpp"
#include "platform/memory_file.hpp"
#include "platform/private_directory.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The files that one image was loaded from.
struct PrivateCopy {
  struct File {
    std::filesystem::path path;
    std::filesystem::path original;
  };

  /// The name in messages, eg: "blur.g3.so"; never used again by the host.
  std::string name = {};
  /// The module first. A library that is needed under two names is listed twice.
  std::vector<File> files = {};
  /// Links to debug information, under the names that debuggers look for.
  std::vector<std::filesystem::path> debug_links = {};
  /// The directory of the files.
  std::shared_ptr<platform::PrivateDirectory> directory = {};
  /// The copy, if all directories are mounted noexec.
  std::optional<platform::MemoryFile> memory = std::nullopt;
  /// The file itself, if it is loaded without a copy.
  std::shared_ptr<OriginalFile> original = {};
  /// Data that the code of the image may use as long as it is mapped.
  std::shared_ptr<void> data = {};
  /// Reports what its code changes; nullptr if that is not reported.
  std::shared_ptr<HostStateReport> host_state = {};
  /// Prevents further copies; nullptr if there may be some.
  std::unique_ptr<OnlyCopy> only = {};
  /// The signal handlers before the image; nullptr if its code sets none.
  std::unique_ptr<platform::ImageHandlers> handlers = {};

  const std::filesystem::path& path() const noexcept { return files.front().path; }
  /// Returns whether an image of one of the files is mapped.
  bool is_mapped() const noexcept;
  /// Returns what a function of the image may change.
  Preserved preserved() const noexcept {
    return handlers != nullptr ? Preserved::all : Preserved::float_modes_and_signals;
  }
  /// Finds the code of the image for the functions below, once it is loaded.
  void watch_handlers() const;
  /// Replaces signal handlers in the image before it is unloaded, and after it was unmapped.
  void replace_handlers() const noexcept;
  void replace_unmapped_handlers() const noexcept;
  void remove() noexcept;
};

/// Options for loading images.
struct ImageOptions {
  /// The storage of the copies. If directories are mounted noexec, memory is used.
  enum class Storage { directory, memory };

  Storage storage = Storage::directory;
  /// The parent of the directory of the copies. Empty: the directory for temporary files that the
  /// environment names. If it names none, small copies are stored in the file system in memory, as
  /// long as that has enough space.
  std::filesystem::path parent = {};
  /// If true, a file that needs no copy is loaded itself. See HostOptions.
  bool load_in_place = false;
};

/// The directories of the private copies of one host. Only the user has access. A directory is
/// created with the first image, and again if it was removed; it is removed with the last image.
/// Counts the images that stay mapped. Thread-safe.
class ImageDirectory {
 public:
  explicit ImageDirectory(ImageOptions options = {}) : options_(std::move(options)) {}
  /// Images that are mapped stay mapped, and their data is kept until the process exits.
  ~ImageDirectory();
  ImageDirectory(const ImageDirectory&) = delete;
  ImageDirectory& operator=(const ImageDirectory&) = delete;

  /// Writes the files of a bundle, changed so that they can be loaded next to other copies; or
  /// returns the file of the module itself, see ImageOptions. Errors: load-failed, cannot-write.
  Result<PrivateCopy> copy(Bundle bundle);

  /// Removes the copy of an image that was closed. Returns false if the image is still mapped; then
  /// the copy is kept. `retired`: the image is pinned and is never unmapped.
  bool reclaim(PrivateCopy copy, bool retired) noexcept;

  /// Checks images that stayed mapped after they were unloaded, and removes the copies of those
  /// that are unmapped now. Returns their number. May run destructors of the images. An image stays
  /// mapped while a thread has a thread_local object of it.
  std::size_t sweep() noexcept TENON_EXCLUDES(mutex_);
  /// Returns the number of images that were unloaded and are still mapped.
  std::size_t lingering() const noexcept;
  /// Returns the number of images that were not unloaded because that is not safe.
  std::size_t retired() const noexcept;

 private:
  using Directory = std::shared_ptr<platform::PrivateDirectory>;
  /// Where a directory is: on disk, or in a file system in memory.
  enum Place : std::uint8_t { on_disk, in_memory };

  /// The names of each file of a bundle.
  using Names = std::vector<std::vector<std::string>>;

  std::optional<PrivateCopy> original_of(const Bundle& bundle, const std::string& name) const;
  std::filesystem::path memory_parent(const Bundle& bundle) const;
  Result<Directory> usable_directory(Place place, std::filesystem::path parent)
      TENON_EXCLUDES(mutex_);
  static Result<PrivateCopy> copy_to_directory(const Bundle& bundle, const std::string& name,
                                               const Names& names, const Directory& directory);
  static Result<PrivateCopy> copy_to_memory(const Bundle& bundle, const std::string& name);

  mutable Mutex mutex_{LockRank::images};
  const ImageOptions options_;
  ImageOptions::Storage storage_ TENON_GUARDED_BY(mutex_) = options_.storage;
  Directory directories_[2] TENON_GUARDED_BY(mutex_);  // by place
  std::uint64_t count_ TENON_GUARDED_BY(mutex_) = 0;
  // A list, because a sweep must not allocate memory.
  std::list<PrivateCopy> lingering_ TENON_GUARDED_BY(mutex_);
  // Lingering images that a sweep is checking.
  std::size_t being_swept_ TENON_GUARDED_BY(mutex_) = 0;
  std::list<PrivateCopy> retired_ TENON_GUARDED_BY(mutex_);
};

/// Returns whether a bundle can be unloaded and replaced in this process. A library that the
/// program has loaded itself outlives the module.
ReloadSafety reload_in_process(const Bundle& bundle, const UnloadStatement& stated);

/// One loaded image. The destructor unloads it and removes its copy; no code of it may run by then.
/// An image that cannot be unloaded safely stays mapped, see ReloadSafety::stays_mapped.
class Image {
 public:
  /// Loads a copy of a module and its libraries. `stated` is from the manifest.
  /// Changes by its constructors and destructors to the state of the thread are restored, and
  /// reported to `host_state` unless that is nullptr.
  /// Errors: load-failed with the message of the dynamic loader, no-static-tls, sanitizer-mismatch,
  /// those of ImageDirectory::copy, library-replaced, file-changed, no-module-object.
  static Result<Image> load(std::shared_ptr<ImageDirectory> directory, Bundle bundle,
                            const UnloadStatement& stated,
                            std::shared_ptr<HostStateReport> host_state = nullptr);
  Image(Image&& other) noexcept = default;
  Image& operator=(Image&&) = delete;
  ~Image();

  /// Prevents further copies until the image is unmapped, or for ever.
  void is_only_copy(std::unique_ptr<OnlyCopy> only) noexcept {
    if (only != nullptr && reload_.stays_loaded) only->keep();
    copy_.only = std::move(only);
  }
  /// Keeps `data`, which the code of the image uses, until the image is unmapped.
  void keep(std::shared_ptr<void> data) noexcept { copy_.data = std::move(data); }
  /// Unloads the image. Returns false if it is still mapped; `reload` says why.
  bool unload() noexcept;

  /// Returns the name in messages, eg: "blur.g3.so".
  const std::string& name() const noexcept { return copy_.name; }
  /// Returns the object that the module exports, which lies in the image.
  const tenon_module& module() const noexcept { return *module_; }
  const platform::ImageMap& map() const noexcept { return map_; }

  /// Returns whether the image can be unloaded, and what prevents it.
  const ReloadSafety& reload() const noexcept { return reload_; }
  /// Returns what functions of the image may change besides the floating-point mode.
  Preserved preserved() const noexcept { return copy_.preserved(); }
  /// Returns whether the module, or a library beside it, may start threads.
  bool starts_threads() const noexcept { return starts_threads_; }
  /// Returns whether the image may be replaced while the host runs. Otherwise the old image stays
  /// mapped for ever, and the host has to force.
  bool reloadable() const noexcept { return reload_.grade != ReloadGrade::unsafe; }

 private:
  Image() = default;

  std::shared_ptr<ImageDirectory> directory_;  // empty in a moved-from or unloaded image
  PrivateCopy copy_;
  ReloadSafety reload_;
  bool starts_threads_ = false;
  boost::dll::shared_library library_;
  platform::ImageMap map_;
  const tenon_module* module_ = nullptr;
};

}}}  // namespace tenon::v0_1::detail
