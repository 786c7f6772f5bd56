// SPDX-License-Identifier: BSL-1.0
//
// The directory that items are restored into. It has the layout of archives.
#pragma once

#include <tenon/resource_id.hpp>
#include <tenon/result.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace backup {

/// After `lock`, the functions may be called from any thread.
class RestoredDirectory {
 public:
  explicit RestoredDirectory(std::filesystem::path directory);
  ~RestoredDirectory();

  /// A directory that the system keeps open.
  struct Opened;
  /// The directory below it that a thread has used last. It stays open, because items of one
  /// directory follow each other.
  struct Place {
    Place();
    ~Place();

    std::filesystem::path path;
    std::unique_ptr<Opened> directory;  // nullptr: none
  };

  enum class Written { written, unchanged, differs };
  enum class Existing { keep, replace };

  /// Creates the directory and locks it, so that no other process restores into it. Errors:
  /// cannot-write; in-use.
  tenon::Result<void> lock();

  // REQUIRED by the functions below: `lock` was successful.

  /// Returns the content of the file of an item, or nothing if there is none.
  std::optional<std::string> read(const tenon::ResourceIdV1& id) const;

  /// Writes an item completely or not at all. Returns `unchanged` if a file with the same content
  /// exists. A file with other content is replaced, or kept: then returns `differs`. The file of a
  /// Secret is private to this user whatever the umask is; one with the same content is replaced if
  /// it is not. Follows no symbolic links below the directory. Error: cannot-write.
  /// If two threads write an item at once, one of them finds the file of the other. `place`: of
  /// this thread. REQUIRED: check_id(id).
  tenon::Result<Written> write(const tenon::ResourceIdV1& id, std::string_view json,
                               Existing existing, Place& place) const;

  /// Calls `writes`, which writes several items. Takes less time than writing them one by one.
  static void write_several(const std::function<void()>& writes);

  /// Waits until everything is on the disk. Error: cannot-write.
  tenon::Result<void> sync() const;
  /// Waits until what was written before is on the disk, so that `sync` has less to do. Errors are
  /// left to `sync`.
  void write_back() const noexcept;

 private:
  enum class Missing { made, error };

  tenon::Result<const Opened*> enter(const std::filesystem::path& path, Missing missing,
                                     Place& place) const;

  const std::filesystem::path directory_;
  std::unique_ptr<Opened> top_;  // of `lock`
};

}  // namespace backup
