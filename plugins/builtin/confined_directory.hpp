// SPDX-License-Identifier: BSL-1.0
//
// A directory in which files are removed by paths that others wrote, and none outside of it.
#pragma once

#include <tenon/sdk/call.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tenon::builtin {

/// A path that names something below a directory. Empty parts and `.` do not count.
class RelativePath {
 public:
  /// Throws sdk::Failure with TENON_INVALID_ARGUMENT where the path is absolute, has a part `..`,
  /// or names nothing.
  explicit RelativePath(std::string_view text);

  const std::string& text() const noexcept { return text_; }
  /// At least one.
  const std::vector<std::string>& parts() const noexcept { return parts_; }

 private:
  std::string text_;
  std::vector<std::string> parts_;
};

class ConfinedDirectory {
 public:
  /// Opens the directory, which may be a symbolic link. Throws sdk::Failure.
  explicit ConfinedDirectory(std::string path);
  ~ConfinedDirectory();
  ConfinedDirectory(const ConfinedDirectory&) = delete;
  ConfinedDirectory& operator=(const ConfinedDirectory&) = delete;

  /// Removes a file, a symbolic link, or a directory with all that it contains, and waits until
  /// that is on the disk. Succeeds where there is nothing. Follows no symbolic link. Throws
  /// sdk::Failure: where a part before the last is not a directory, where the tree has more than
  /// 128 levels, and when the call is cancelled. What was removed before stays removed.
  void remove(const RelativePath& path, sdk::Call call) const;

 private:
  std::string path_;
  int directory_ = -1;
};

}  // namespace tenon::builtin
