// SPDX-License-Identifier: BSL-1.0
//
// Loaded images of module files. The system's loader takes two files for one when path or inode are
// the same, and a mapped file that is overwritten crashes the process; so what is loaded is a
// private copy under a name that is never used again, with copies of the libraries that lie beside
// the module. See ImageOptions::map_original for the exception.
#pragma once

#include <tenon/abi.h>
#include <tenon/reload_safety.hpp>
#include <tenon/result.hpp>

#include <boost/dll/shared_library.hpp>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/lock_order.hpp"
#include "binary/bundle.hpp"
#include "image/original_file.hpp"
#include "platform/image_map.hpp"
#include "platform/memory_file.hpp"
#include "platform/private_folder.hpp"

namespace tenon::detail {

/// The files that one image was loaded from.
struct PrivateCopy {
  struct File {
    std::filesystem::path path;
    std::filesystem::path original;
  };

  /// For people, eg: "blur.g3.so"; never used again by the host.
  std::string name = {};
  /// The module first. A library that is needed under two names is there twice.
  std::vector<File> files = {};
  /// With the names under which debuggers look for their debug information.
  std::vector<std::filesystem::path> debug_links = {};
  /// Where the files lie.
  std::shared_ptr<platform::PrivateFolder> folder = {};
  /// What the path of the module leads to where no folder may be executed from.
  std::optional<platform::MemoryFile> memory = std::nullopt;
  /// Where there is no copy: the file itself is loaded.
  std::shared_ptr<OriginalFile> original = {};

  const std::filesystem::path& path() const noexcept { return files.front().path; }
  /// Whether anything is loaded from it.
  bool is_mapped() const noexcept;
  void remove() noexcept;
};

/// How images are made of files.
struct ImageOptions {
  /// Where the copies are put. Folders that may not be executed from are passed over for memory.
  enum class Place { folder, memory };

  Place place = Place::folder;
  /// In which the folder of the copies is made. Empty: that for temporary files, which the
  /// environment names; where it names none, the one that the system keeps in memory, as far as it
  /// has room for the copies and these are small.
  std::filesystem::path parent = {};
  /// Whether the file itself is loaded where it needs no copy. See HostOptions.
  bool map_original = false;
};

/// The folders of the private copies of one host: readable by their owner alone, made when the
/// first image is, and again when somebody removed it; removed with the last. Keeps account of the
/// images that did not go. Thread-safe.
class ImageFolder {
 public:
  explicit ImageFolder(ImageOptions options = {}) : options_(std::move(options)) {}
  /// What is still mapped stays so.
  ~ImageFolder();
  ImageFolder(const ImageFolder&) = delete;
  ImageFolder& operator=(const ImageFolder&) = delete;

  /// Writes the files of a bundle, changed so that they can be loaded beside other loads of them;
  /// or names the module's own file, see ImageOptions.
  /// Errors: load-failed, cannot-write.
  Result<PrivateCopy> copy(Bundle bundle);

  /// Takes what an image that has ended was loaded from, and answers whether it is gone. `retired`:
  /// it was not unloaded, and never is.
  bool leave(PrivateCopy copy, bool retired) noexcept;

  /// Looks again at the images that were unloaded and stayed mapped, and answers how many of them
  /// are gone now. Runs what they do when they go. An image stays while a thread lives that keeps
  /// an object of it (thread_local).
  std::size_t sweep() noexcept;
  /// How many images were unloaded and are still mapped.
  std::size_t lingering() const noexcept;
  /// How many images were not unloaded because it cannot be done safely.
  std::size_t retired() const noexcept;

 private:
  using Folder = std::shared_ptr<platform::PrivateFolder>;

  /// Of each file of a bundle.
  using Names = std::vector<std::vector<std::string>>;

  std::optional<PrivateCopy> original_of(const Bundle& bundle, const std::string& name) const;
  std::filesystem::path memory_parent(const Bundle& bundle) const;
  Result<Folder> usable_folder(Folder& folder, std::filesystem::path parent);
  static Result<PrivateCopy> copy_to_folder(const Bundle& bundle, const std::string& name,
                                            const Names& names, const Folder& folder);
  static Result<PrivateCopy> copy_to_memory(const Bundle& bundle, const std::string& name);

  mutable Mutex mutex_{LockRank::images};
  ImageOptions options_;
  Folder folder_;
  Folder memory_folder_;  // in a file system that is in memory
  std::uint64_t count_ = 0;
  std::vector<PrivateCopy> lingering_;
  std::size_t under_sweep_ = 0;  // of those that linger
  std::vector<PrivateCopy> retired_;
};

/// One loaded image. Unloaded and its copy removed when it ends; no code of it may run by then.
/// What its verdict does not let go is not unloaded: see ReloadSafety::stays_mapped.
class Image {
 public:
  /// Loads a copy of a module and its libraries; `joins_threads` is what its manifest says. Errors:
  /// load-failed with the words of the system's loader, sanitizer-mismatch, those of writing the
  /// copies, file-changed, no-module-object.
  static Result<Image> load(std::shared_ptr<ImageFolder> folder, Bundle bundle, bool joins_threads);
  Image(Image&& other) noexcept = default;
  Image& operator=(Image&&) = delete;
  ~Image();

  /// Ends it now and answers whether it is gone; false says why in `reload`.
  bool end() noexcept;

  /// For people, eg: "blur.g3.so".
  const std::string& name() const noexcept { return copy_.name; }
  /// What the module exports; lies in the image.
  const tenon_module& module() const noexcept { return *module_; }
  const platform::ImageMap& map() const noexcept { return map_; }

  /// Whether it will go, and what stands in the way.
  const ReloadSafety& reload() const noexcept { return reload_; }
  /// Whether it may be replaced while the host runs. One that is unsafe stays behind for ever; a
  /// host has to insist.
  bool reloadable() const noexcept { return reload_.grade != ReloadGrade::unsafe; }

 private:
  Image() = default;

  std::shared_ptr<ImageFolder> folder_;  // nothing in what was moved from
  PrivateCopy copy_;
  ReloadSafety reload_;
  boost::dll::shared_library library_;
  platform::ImageMap map_;
  const tenon_module* module_ = nullptr;
};

}  // namespace tenon::detail
