// SPDX-License-Identifier: BSL-1.0
//
// Folders that are opened one path component at a time, so that no symbolic link below the first
// folder is followed.
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

enum class EntryType { none, file, folder, link, special };

struct Entry {
  std::string name;
  EntryType type;
};

/// An open folder. Its functions throw sdk::Failure. Thread-safe.
class Folder {
 public:
  /// Opens a configured folder; follows links in the path. Fails with TENON_UNAVAILABLE if it is
  /// missing, because its content is then unknown.
  static Folder open(const std::string& path);

  /// Opens a folder in this one. Returns nothing if there is none. Fails if the name is a link.
  std::optional<Folder> enter(const std::string& name) const;
  /// Creates the folder, for its owner alone, if there is none, and opens it. Returns nothing if
  /// the name is not a folder, or if this folder or the new one has been removed meanwhile.
  std::optional<Folder> make(const std::string& name) const;
  /// Opens a regular file in this folder to read it. Returns nothing if there is none.
  std::optional<Descriptor> open_file(const std::string& name) const;

  EntryType type_of(const std::string& name) const;
  /// Returns whether a name still refers to the open file `file`.
  bool refers_to(const std::string& name, int file) const;
  /// Returns all entries except "." and "..", in no particular order.
  std::vector<Entry> entries() const;
  /// Makes changes of the entries durable. Does nothing on file systems that cannot sync folders.
  void sync() const;

  int get() const noexcept { return file_.get(); }
  const std::string& path() const noexcept { return path_; }
  std::string path_of(std::string_view name) const;

 private:
  Folder(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  Descriptor file_;
  std::string path_;  // for messages
};

EntryType type_of(const struct stat& status);

/// Options of remove_tree. The defaults are for trees that no other process changes.
struct TreeRemoval {
  /// Cancelling the call stops the removal between two entries.
  sdk::Call call{nullptr};
  /// The removal fails if the tree is deeper. Each level keeps a folder open.
  int max_levels = 1000;
  /// Gives the owner access to each folder first, for example to the copy of a read-only one.
  /// Follows a link that replaces a folder at that moment.
  bool grants_access = true;
};

/// Removes a file, a symbolic link, or a folder with its content. Also succeeds if it does not
/// exist. Removes links themselves and follows none. Throws sdk::Failure; entries that were already
/// removed stay removed.
void remove_tree(const Folder& folder, const std::string& name, const TreeRemoval& how = {});

/// Removes a folder that contains no files at any depth, only folders. Returns whether the folder
/// is gone.
bool remove_empty_tree(const Folder& folder, const std::string& name);

}  // namespace tenon::builtin
