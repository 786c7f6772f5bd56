// SPDX-License-Identifier: BSL-1.0
//
// The content of an index file: the manifests of modules by the state of their files, so that a
// scan does not open files that have not changed. See index.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/manifest.hpp"
#include "package/requirement.hpp"
#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The maximum size of an index in bytes.
inline constexpr std::size_t max_index_size = std::size_t{64} << 20;

/// An index that was read. Const functions may be called from any thread.
class IndexFile {
 public:
  /// A file below a directory of the search path.
  struct Entry {
    std::string_view name;  // relative to the directory, or empty if the search path names a file
    platform::FileIdentity identity;
    std::string_view manifest;  // see decode; empty if the file is no module
  };
  /// The files below one entry of the search path, sorted by name.
  class Directory {
   public:
    std::string_view path() const noexcept { return path_; }
    std::size_t size() const noexcept { return count_; }
    /// REQUIRED: i < size().
    Entry entry(std::size_t i) const noexcept;
    /// Returns the position of a file, or size() if there is none. `expected` is tried first.
    std::size_t find(std::string_view name, std::size_t expected) const noexcept;

   private:
    friend class IndexFile;
    std::string_view path_;
    std::string_view content_;
    std::size_t first_ = 0;  // offset of its first entry
    std::size_t count_ = 0;
  };

  /// Reads an index. Returns nullptr unless it is complete, undamaged, and written for `app` by
  /// this version of the library on this sort of machine.
  static std::unique_ptr<const IndexFile> read(std::vector<std::byte> content,
                                               std::string_view app);

  /// In the order in which they were added.
  std::span<const Directory> directories() const noexcept { return directories_; }
  /// Returns nullptr if the index does not have the directory.
  const Directory* find(std::string_view path) const noexcept;
  /// Decodes the manifest of an entry, which has no `text`. Returns nullptr if it is damaged.
  std::shared_ptr<Manifest> decode(const Entry& entry) const;

 private:
  IndexFile() = default;
  bool read_tables(std::string_view app);

  std::vector<std::byte> content_;
  std::vector<Directory> directories_;
  std::vector<Requirement> requirements_;
};

/// Writes an index.
class IndexWriter {
 public:
  /// Begins the files below a directory.
  void begin_directory(std::string_view path);
  /// Adds a file to it. `manifest`: as it is in the file, or nullptr if the file is no module.
  void add(std::string_view name, const platform::FileIdentity& identity, const Manifest* manifest);
  /// Returns the size of the index so far, approximately.
  std::size_t size() const noexcept;
  /// Returns the index.
  std::string finish(std::string_view app);

 private:
  struct File {
    std::string name;
    platform::FileIdentity identity;
    std::string manifest;
  };
  struct Directory {
    std::string path;
    std::vector<File> files;
  };

  std::string encode(const Manifest& manifest);

  std::vector<Directory> directories_;
  std::map<std::string, std::uint32_t, std::less<>> requirements_;  // text -> number
  std::size_t size_ = 0;
};

}}}  // namespace tenon::v0_1::detail
