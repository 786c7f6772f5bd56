// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/other_program.hpp: for the command `tenon`, which inspects the plugins and reads the
// documents of another program.
#pragma once

#include <tenon/detail/document_type.hpp>
#include <tenon/detail/export.hpp>
#include <tenon/detail/kind.hpp>
#include <tenon/result.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Replaces the registered kinds of the process. Plugins of a kind without vtables cannot be
/// created. `kinds` must live as long as the process. REQUIRED: no Host exists yet.
TENON_API void use_kinds(std::vector<const Kind*> kinds);

/// Says that plugins of other kinds than the registered ones are no problem of a host: this process
/// lists the plugins of a program whose kinds it does not know. REQUIRED: no Host exists yet.
TENON_API void allow_unknown_kinds() noexcept;

/// Replaces the registered document types of the process. `types` must live as long as the process.
/// REQUIRED: no other thread uses document types yet.
TENON_API void use_document_types(std::vector<const DocumentType*> types);

/// Returns the directories in which data of an app may be installed, eg: "/usr/share/photo": those
/// of $XDG_DATA_HOME and $XDG_DATA_DIRS, or their default values. Thread-safe.
TENON_API std::vector<std::filesystem::path> data_directories(const std::string& app);

/// A directory or module file in which a host searches modules.
struct SearchedPath {
  std::filesystem::path path;
  bool named;   // by the program, or by the environment
  bool exists;  // false also if this cannot be found out
};
/// Returns the search path of an app, which begins with `plugin_path`. Thread-safe.
TENON_API std::vector<SearchedPath> searched_paths(
    const std::string& app, const std::vector<std::filesystem::path>& plugin_path);

/// A file in the search path.
struct SeenFile {
  std::filesystem::path path;
  std::string reason;  // why it is not read as a module; empty if it is
};
/// Returns the files in an entry of the search path, also those that are not modules. Reads
/// directories only; empty if that fails. Thread-safe.
TENON_API std::vector<SeenFile> seen_files(const SearchedPath& searched);

/// What a lock file pins: for each version of a package the SHA-256 of its files, by their path
/// relative to the module, whose own path is empty. A builtin has no files.
using LockContents = std::map<std::pair<std::string, std::string>,  // package and version
                              std::map<std::string, std::string>>;
/// Reads a lock file. Thread-safe. Errors: not-found, cannot-read, broken-lock, version-too-new.
TENON_API Result<LockContents> lock_contents(const std::filesystem::path& file);

}}}  // namespace tenon::v0_1::detail
