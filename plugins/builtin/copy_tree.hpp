// SPDX-License-Identifier: BSL-1.0
//
// Copies a directory with its content: files, directories and symbolic links, with their modes and
// times, and with their owners if the process may set them. Two hard links to one file become two
// files; extended attributes are not copied. Sockets, devices and fifos are skipped.
#pragma once

#include <tenon/sdk/call.hpp>

#include <cstdint>
#include <functional>
#include <string>

#include "directory.hpp"

namespace tenon::builtin {

class TreeCopy {
 public:
  /// Calls `on_skipped` with the path of each special file. Cancelling the call stops the copy
  /// between two files, or within a large one.
  TreeCopy(sdk::Call call, std::function<void(const std::string& path)> on_skipped)
      : call_(call), on_skipped_(std::move(on_skipped)) {}

  /// Copies the content of a directory into an empty one, which gets the mode and times of the
  /// first. Skips files that are removed meanwhile. Throws sdk::Failure.
  void run(const Directory& from, const Directory& to) { copy_directory(from, to, 0); }

  /// Returns the number of files and links that were copied.
  std::uint64_t files() const noexcept { return files_; }

 private:
  void copy_directory(const Directory& from, const Directory& to, int depth);
  void copy_entry(const Directory& from, const Directory& to, const Entry& entry, int depth);
  void copy_file(const Directory& from, const Directory& to, const std::string& name);
  void copy_link(const Directory& from, const Directory& to, const std::string& name);

  sdk::Call call_;
  std::function<void(const std::string&)> on_skipped_;
  std::uint64_t files_ = 0;
};

}  // namespace tenon::builtin
