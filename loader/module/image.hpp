// SPDX-License-Identifier: BSL-1.0
//
// Loaded images of module files. The system's loader takes two files for one when path or inode are
// the same, and a mapped file that is overwritten crashes the process; so what is loaded is always
// a private copy under a name that is never used again.
#pragma once

#include <tenon/abi.h>
#include <tenon/result.hpp>

#include <atomic>
#include <boost/dll/shared_library.hpp>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <span>
#include <string_view>

#include "platform/image_map.hpp"

namespace tenon::detail {

/// The folder of the private copies of one host: readable by its owner alone, made when the first
/// image is, removed with the last. Thread-safe.
class ImageFolder {
 public:
  ImageFolder() = default;
  ~ImageFolder();
  ImageFolder(const ImageFolder&) = delete;
  ImageFolder& operator=(const ImageFolder&) = delete;

  /// A path in the folder that was never answered before.
  Result<std::filesystem::path> new_path(std::string_view stem);

 private:
  std::mutex mutex_;
  std::filesystem::path folder_;
  std::uint64_t count_ = 0;
};

/// One loaded image. Unloaded and its copy removed when it ends; no code of it may run by then.
class Image {
 public:
  /// Loads a copy of `content`, which was read from `file`.
  /// Errors: load-failed with the words of the system's loader, those of writing the copy,
  /// no-entry.
  static Result<Image> load(ImageFolder& folder, std::span<const std::byte> content,
                            const std::filesystem::path& file);
  Image(Image&& other) noexcept;
  Image& operator=(Image&&) = delete;
  ~Image();

  /// What the module exports; lies in the image.
  const tenon_module& module() const noexcept { return *module_; }
  const platform::ImageMap& map() const noexcept { return map_; }

 private:
  Image() = default;

  std::filesystem::path copy_;
  boost::dll::shared_library library_;
  platform::ImageMap map_;
  const tenon_module* module_ = nullptr;
};

}  // namespace tenon::detail
