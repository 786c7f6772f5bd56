// SPDX-License-Identifier: BSL-1.0
//
// Lock files: which versions of packages a host keeps to, and which content their files and the
// libraries beside them had. A stored document of the type tenon.dev/lock, with one package on each
// line.
#pragma once

#include <tenon/result.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "package/semver.hpp"

namespace tenon {

struct LockedLibrary {
  std::filesystem::path path;  // from the folder of the module on
  std::string sha256;          // 64 small hexadecimal digits
};

struct LockedPackage {
  std::string name;
  Version version;
  // Of a builtin all are empty.
  std::string sha256{};                    // of the file, 64 small hexadecimal digits
  std::filesystem::path source{};          // the file, absolute
  std::vector<LockedLibrary> libraries{};  // that are loaded with the file, by path

  bool builtin() const { return source.empty(); }
};

/// The longest lock file that is read, in bytes.
inline constexpr std::size_t longest_lock = 16 << 20;

/// Reads the text of the lock `file`, from whose folder on it names files. Packages and libraries
/// are sorted. Errors: broken-lock, with the place in the document; version-too-new.
Result<std::vector<LockedPackage>> parse_lock(std::string_view text,
                                              const std::filesystem::path& file);

/// The same from the file itself. Errors: not-found, cannot-read; those of parse_lock.
Result<std::vector<LockedPackage>> read_lock_file(const std::filesystem::path& file);

/// Puts a lock in the place of the file, in between and after a crash there is the old one or the
/// new. The same packages make the same text, whatever their order. `writer` says who writes it,
/// eg: "photo". REQUIRED: each version of a package is there once. Error: cannot-write, not-found.
Result<void> write_lock_file(const std::filesystem::path& file, std::vector<LockedPackage> packages,
                             std::string_view writer);

}  // namespace tenon
