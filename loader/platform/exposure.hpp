// SPDX-License-Identifier: BSL-1.0
//
// Finds users who could change a file that this process relies on: by the file itself, or by a
// directory above it. Trusted are root, the effective user, and those who could replace the program
// that runs: the owners of its file and of the directories above that.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/lock_order.hpp"
#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

/// A file or directory that users may change who are not trusted.
struct Exposure {
  std::filesystem::path path;
  std::string found;    // eg: "a file of mode 0666, so that every user may write"
  std::string fix;      // eg: "chmod o-w /opt/photo"
  bool by_owner;        // it belongs to one of them; false: they may write
  bool unread = false;  // it could not be checked, so that they may be able to
};

/// Returns whether the process has the privileges of another user than the one that started it
/// (set-user-ID).
bool has_privileges_of_another_user() noexcept;

/// Returns whether other users could gain rights by code that this process loads: it runs as root
/// or with the privileges of another user. The root of a user namespace has no rights outside of it
/// and does not count.
bool is_privileged() noexcept;

/// Returns the name of a user; its number if there is no name.
std::string user_name(std::uint32_t user);

/// Checks files, and remembers the directories above them. Thread-safe.
class ExposureCheck {
 public:
  /// Device and inode of a directory.
  using Number = std::pair<std::uint64_t, std::uint64_t>;

  /// Checks a file or directory of these rights at an absolute path without symbolic links, whose
  /// directories are checked upward from an open descriptor.
  std::optional<Exposure> of(const std::filesystem::path::string_type& canonical,
                             const FileAccess& access);

 private:
  using Directories =
      std::map<std::filesystem::path::string_type, std::optional<Exposure>, std::less<>>;

  detail::LeafMutex mutex_;
  Directories directories_ TENON_GUARDED_BY(mutex_);
  std::set<Number> safe_ TENON_GUARDED_BY(mutex_);  // and all directories above them
};

/// Checks a file of these rights that was opened at a path, which may contain symbolic links. It
/// may have been replaced since: who could write to it is known, and who may replace it is checked.
std::optional<Exposure> exposure_of(const std::filesystem::path& path, const FileAccess& access);

/// Checks what is at a path: a file or a directory. Returns nothing if there is nothing.
std::optional<Exposure> exposure_at(const std::filesystem::path& path);

}}}  // namespace tenon::v0_1::platform
