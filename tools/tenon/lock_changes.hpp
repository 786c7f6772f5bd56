// SPDX-License-Identifier: BSL-1.0
//
// The differences between two lock files.
#pragma once

#include <tenon/detail/other_program.hpp>

#include <string>
#include <vector>

namespace tenon::command {

/// A file of a package whose content differs.
struct FileChange {
  std::string path;    // relative to the module; empty for the module
  std::string before;  // the SHA-256 of its content; empty if the file was added
  std::string after;   // empty if the file was removed
};

/// A version of a package that differs.
struct LockChange {
  std::string package;
  std::string version;
  std::string change;             // "added", "removed" or "changed"
  std::vector<FileChange> files;  // if it was changed
};

/// Returns the differences, sorted by package and version.
std::vector<LockChange> changes_of(const detail::LockContents& before,
                                   const detail::LockContents& after);

/// Returns a line for each difference, and for each file that differs.
std::vector<std::string> to_lines(const std::vector<LockChange>& changes);

}  // namespace tenon::command
