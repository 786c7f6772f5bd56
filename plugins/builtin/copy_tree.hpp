// SPDX-License-Identifier: BSL-1.0
//
// Copies a folder with its content: files, folders and symbolic links, with their modes and
// times, and with their owners if the process may set them. Two hard links to one file become two
// files; extended attributes are not copied. Sockets, devices and fifos are skipped.
#pragma once

#include <tenon/sdk/call.hpp>

#include <cstdint>
#include <functional>
#include <string>

#include "folder.hpp"

namespace tenon::builtin {

class TreeCopy {
 public:
  /// Calls `on_skipped` with the path of each special file. Cancelling the call stops the copy
  /// between two files, or within a large one.
  TreeCopy(sdk::Call call, std::function<void(const std::string& path)> on_skipped)
      : call_(call), on_skipped_(std::move(on_skipped)) {}

  /// Copies the content of a folder into an empty one, which gets the mode and times of the first.
  /// Skips files that are removed meanwhile. Throws sdk::Failure.
  void run(const Folder& from, const Folder& to) { copy_folder(from, to, 0); }

  /// Returns the number of files and links that were copied.
  std::uint64_t files() const noexcept { return files_; }

 private:
  void copy_folder(const Folder& from, const Folder& to, int depth);
  void copy_entry(const Folder& from, const Folder& to, const Entry& entry, int depth);
  void copy_file(const Folder& from, const Folder& to, const std::string& name);
  void copy_link(const Folder& from, const Folder& to, const std::string& name);

  sdk::Call call_;
  std::function<void(const std::string&)> on_skipped_;
  std::uint64_t files_ = 0;
};

}  // namespace tenon::builtin
