// SPDX-License-Identifier: BSL-1.0
//
// Directories that are opened one path component at a time, so that no symbolic link below the
// first directory is followed.
#pragma once

#include <tenon/sdk/call.hpp>
#include <tenon/sdk/failure.hpp>

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "descriptor.hpp"

namespace tenon::builtin {

enum class EntryType { none, file, directory, link, special };

struct Entry {
  std::string name;
  EntryType type;
};

/// An open directory. Its functions throw sdk::Failure. Thread-safe.
class Directory {
 public:
  /// Opens a configured directory; follows links in the path. Fails with TENON_UNAVAILABLE if it is
  /// missing, because its content is then unknown.
  static Directory open(const std::string& path);

  /// Opens a directory in this one. Returns nothing if there is none. Fails if the name is a link.
  std::optional<Directory> enter(const std::string& name) const;
  /// Creates the directory, for its owner alone, if there is none, and opens it. Returns nothing if
  /// the name is not a directory, or if this directory or the new one has been removed meanwhile.
  std::optional<Directory> make(const std::string& name) const;
  /// Opens a regular file in this directory to read it. Returns nothing if there is none.
  std::optional<Descriptor> open_file(const std::string& name) const;

  EntryType type_of(const std::string& name) const;
  /// Returns whether a name still refers to the open file `file`.
  bool refers_to(const std::string& name, int file) const;
  /// Returns all entries except "." and "..", in no particular order.
  std::vector<Entry> entries() const;
  /// Remove a file or link, and an empty directory. Return false, with errno, if that fails.
  bool remove(const std::string& name) const noexcept;
  bool remove_directory(const std::string& name) const noexcept;
  /// Gives the owner access to a directory, as far as the file system lets it. Follows a link that
  /// replaces the directory at that moment.
  void grant_access(const std::string& name) const noexcept;
  /// Makes changes of the entries durable. Does nothing on file systems that cannot sync
  /// directories.
  void sync() const;

  int get() const noexcept { return file_.get(); }
  const std::string& path() const noexcept { return path_; }
  std::string path_of(std::string_view name) const;

 private:
  Directory(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  Descriptor file_;
  std::string path_;  // for messages
};

EntryType type_of(const struct stat& status);

/// Options of remove_tree. The defaults are for trees that no other process changes.
struct TreeRemoval {
  /// Cancelling the call stops the removal between two entries.
  sdk::Call call{nullptr};
  /// The removal fails if the tree is deeper. Each level keeps a directory open.
  int max_levels = 1000;
  /// Gives the owner access to each directory first, for example to the copy of a read-only one.
  /// Follows a link that replaces a directory at that moment.
  bool grants_access = true;
};

/// Removes a file, a symbolic link, or a directory with its content. Also succeeds if it does not
/// exist. Removes links themselves and follows none. Throws sdk::Failure; entries that were already
/// removed stay removed.
void remove_tree(const Directory& directory, const std::string& name, const TreeRemoval& how = {});

/// Removes a directory that contains no files at any depth, only directories. Returns whether the
/// directory is gone.
bool remove_empty_tree(const Directory& directory, const std::string& name);

}  // namespace tenon::builtin
