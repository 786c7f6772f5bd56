// SPDX-License-Identifier: BSL-1.0
//
// Modules that are loaded from their own file. The system's loader gives out one image for a path
// and for an inode for as long as the image is loaded, whatever the file holds by then; so a file
// is loaded this way only while nothing else is loaded from it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "platform/file.hpp"

namespace tenon::detail {

/// The right to load from a file, which one image of the process has at a time.
class OriginalFile {
 public:
  /// Nothing where the file does not hold `content` any more, or an image of it is loaded or being
  /// loaded.
  static std::shared_ptr<OriginalFile> claim(const std::filesystem::path& file,
                                             std::span<const std::byte> content);
  ~OriginalFile();
  OriginalFile(const OriginalFile&) = delete;
  OriginalFile& operator=(const OriginalFile&) = delete;

  /// Absolute.
  const std::filesystem::path& path() const noexcept { return path_; }
  /// Whether the path leads to the content that was claimed. Asked after loading: the system's
  /// loader opens the file again.
  bool is_unchanged() const;

 private:
  OriginalFile(std::filesystem::path path, const platform::FileIdentity& identity)
      : path_(std::move(path)), identity_(identity) {}
  bool is_same(const OriginalFile& other) const;

  const std::filesystem::path path_;
  const platform::FileIdentity identity_;
};

}  // namespace tenon::detail
