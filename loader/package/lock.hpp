// SPDX-License-Identifier: BSL-1.0
//
// Lock files: the exact versions of packages that a host uses, and the hashes of their files and of
// the libraries next to them. A lock file is a stored document of the type tenon.dev/lock, with one
// package on each line.
#pragma once

#include <tenon/result.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "package/semver.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

struct LockedLibrary {
  // Relative to the directory of the module; absolute if a run path leads to it from outside.
  std::filesystem::path path;
  std::string sha256;  // 64 lowercase hexadecimal digits
};

struct LockedPackage {
  std::string name;
  Version version;
  // The fields below are empty for a builtin.
  std::string sha256{};                    // of the file, 64 lowercase hexadecimal digits
  std::filesystem::path source{};          // the file, absolute
  std::vector<LockedLibrary> libraries{};  // loaded together with the file, sorted by path

  bool builtin() const { return source.empty(); }
};

/// Parses the text of a lock file. Paths in it are relative to the directory of `file`. Returns the
/// packages sorted by name and version, with their libraries sorted by path. Errors: broken-lock,
/// with the position in the document; version-too-new.
Result<std::vector<LockedPackage>> parse_lock(std::string_view text,
                                              const std::filesystem::path& file);

/// Reads and parses a lock file. Errors: not-found, cannot-read; those of parse_lock.
Result<std::vector<LockedPackage>> read_lock_file(const std::filesystem::path& file);

/// Checks that a lock of `packages` by `writer` may replace the lock file `file`, if there is one:
/// it must be for the same program, and must not be the only one of the two that lists files. A
/// file that no host can use as a lock may be replaced. Error: lock-kept.
Result<void> check_replaceable(const std::filesystem::path& file,
                               const std::vector<LockedPackage>& packages, std::string_view writer);

/// Writes a lock file, replacing an existing one atomically: at any time, and after a crash, the
/// file is the old or the new one. The text does not depend on the order of the packages. `writer`
/// names the program that writes it, eg: "photo". REQUIRED: no version of a package is listed
/// twice.
/// Errors: cannot-write, not-found.
Result<void> write_lock_file(const std::filesystem::path& file, std::vector<LockedPackage> packages,
                             std::string_view writer);

}}}  // namespace tenon::v0_1::detail
