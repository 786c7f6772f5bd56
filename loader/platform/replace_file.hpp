// SPDX-License-Identifier: BSL-1.0
//
// Atomic replacement of files, and directories for them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace tenon { inline namespace v0_1 { namespace platform {

/// Owner and permissions of the new file.
enum class Attributes {
  kept,       // those of the old one, with its access control list; 0666 by the umask without one
  owner_only  // 0600, and the effective user
};

struct ReplaceResult {
  std::error_code failed;
  /// The number of other names (hard links) that still have the old content.
  std::uint64_t other_names = 0;
};

/// Writes new content piece by piece to a temporary file in the same directory, and renames it on
/// commit. Without a commit the temporary file is removed. If the process is killed, the next
/// process that replaces a file in the directory removes it. Used by one thread at a time.
class Replacement {
 public:
  /// Follows symbolic links, unless the file is private to its owner: then links are not replaced.
  /// If the attributes cannot be kept, the replacement fails. Only regular files are replaced;
  /// others are not opened.
  explicit Replacement(const std::filesystem::path& path, Attributes attributes = Attributes::kept);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  /// Appends content. Does nothing after a failure, which `commit` returns.
  void append(std::string_view content);

  /// Replaces the file atomically: readers see the old or the new content, even after a power
  /// failure. REQUIRED: called once, last.
  ReplaceResult commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Follows symbolic links to a file, which may not exist yet.
std::filesystem::path follow_links(std::filesystem::path path, std::error_code& failed);

/// Returns a text that is the same for all names of a file, also for hard links, and that is no
/// absolute path. Returns an empty text if there is no file, or it cannot be asked.
std::string file_key(const std::filesystem::path& path);

/// Replaces the whole content of a file; see Replacement.
ReplaceResult replace_content(const std::filesystem::path& path, std::string_view content,
                              Attributes attributes = Attributes::kept);

/// Makes the entries of a directory durable, unless its file system or its permissions do not allow
/// that.
std::error_code sync_directory(const std::filesystem::path& directory);

/// Creates a directory, and those around it, which then survive a power failure. Returns whether it
/// did not exist. If that fails, removes what it has created.
bool create_directories(const std::filesystem::path& directory, std::error_code& failed);

}}}  // namespace tenon::v0_1::platform
