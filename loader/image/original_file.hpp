// SPDX-License-Identifier: BSL-1.0
//
// Modules that are loaded from their own file. While an image is loaded, the dynamic loader returns
// it again for the same path or inode, even if the content has changed. So a file is loaded this
// way only while no other image of it is loaded.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// An exclusive claim of an image to a file, process-wide.
class OriginalFile {
 public:
  /// Claims a file. Returns nullptr if the file does not have this content any more, or if it is
  /// claimed or loaded already.
  static std::shared_ptr<OriginalFile> claim(const std::filesystem::path& file,
                                             std::span<const std::byte> content);
  ~OriginalFile();
  OriginalFile(const OriginalFile&) = delete;
  OriginalFile& operator=(const OriginalFile&) = delete;

  /// Returns the absolute path.
  const std::filesystem::path& path() const noexcept { return path_; }
  /// Returns whether the path still leads to the claimed file in the same state. Checked after
  /// loading, because the dynamic loader opens the file again.
  bool is_unchanged() const;

 private:
  OriginalFile(std::filesystem::path path, const platform::FileIdentity& identity)
      : path_(std::move(path)), identity_(identity) {}
  bool is_same(const OriginalFile& other) const;

  const std::filesystem::path path_;
  const platform::FileIdentity identity_;
};

}}}  // namespace tenon::v0_1::detail
