// SPDX-License-Identifier: BSL-1.0
//
// tenon/trust.hpp: whose files a host loads.
#pragma once

#include <tenon/detail/export.hpp>
#include <tenon/result.hpp>

#include <filesystem>
#include <optional>

namespace tenon { inline namespace v0_1 {

/// What a host requires of the files of modules and of the libraries that they bring. Each level
/// includes those before it. Builtins are part of the program and are always accepted.
enum class Trust {
  /// Nothing. For programs that let any user add code.
  any,
  /// Only trusted users may change the files and the directories above them: root, the user of the
  /// process, and those who could replace the program. See check_owner.
  owner,
  /// Only what HostOptions::lock_file lists is loaded.
  pinned,
};

/// Checks who may change a file or directory, by its own permissions or by those of a directory
/// above it. Trusted are root, the effective user, and the owners of the program's file and of the
/// directories above that. Others must not own it, and must not have write permission by the mode,
/// a group or an access control list; a directory with the sticky bit may be writable. Returns
/// nothing if all is well, or if nothing is at `path`; otherwise `untrusted-owner` with a remedy,
/// or `cannot-read`. Its severity is a warning, except in processes that run as root or with the
/// privileges of another user (set-user-ID): they refuse to use such a file. Thread-safe.
TENON_API std::optional<Error> check_owner(const std::filesystem::path& path);

}}  // namespace tenon::v0_1
