// SPDX-License-Identifier: BSL-1.0
//
// The files that are loaded as one module: its own file, and the libraries next to it that it finds
// through $ORIGIN, on Windows those of its directory that it needs. Libraries of the system are
// shared with the rest of the process. So are libraries that the program has loaded already, from
// the same file or under the same name, because the dynamic loader shares these as well.
#pragma once

#include <tenon/reload_safety.hpp>
#include <tenon/result.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "binary/elf.hpp"
#include "binary/host_binary.hpp"
#include "binary/unload_statement.hpp"
#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The maximum size in bytes of a module with its libraries. Real modules are far smaller; the
/// limit keeps other files from filling the memory.
inline constexpr std::size_t max_file_size = std::size_t{1} << 30;

/// A library that a file needs.
struct Needed {
  ElfFile::Text name;
  /// The path that the run path of the file leads to; empty if the system has to find the library.
  std::filesystem::path path;
  /// The index of the library in the bundle, if it belongs to the bundle.
  std::optional<std::size_t> own;
};

/// A file with separate debug information, and the text that names it.
struct DebugFile {
  ElfFile::Text link;
  std::filesystem::path path;
};

struct BundleFile {
  std::filesystem::path path;
  std::vector<std::byte> content;
  std::vector<Needed> needed;
  ElfFile::Linkage linkage;  // without the names in `needed`
  ElfFile::UnloadBlockers blockers;
  ElfFile::Demands demands;
  std::optional<DebugFile> debug = std::nullopt;  // if the file exists
  platform::FileAccess access = {};               // of the file that was read, if there was one
};

/// The files of a module; the module itself is the first.
using Bundle = std::vector<BundleFile>;

/// Reads the bundle of the module at `path`, whose content is `content`. Each library is read once.
/// Any thread. Errors, with the file in `where`: those of HostBinary::open, cannot-read, and on
/// Windows load-failed for a DLL next to the module whose loading is delayed.
Result<Bundle> read_bundle(std::vector<std::byte> content, const std::filesystem::path& path);
/// Reads the bundle of the open file of a module.
Result<Bundle> read_bundle(const platform::File& module);
/// Reads the bundle of a module that is open already. REQUIRED: `module` reads `content`.
Result<Bundle> read_bundle(const HostBinary& module, std::vector<std::byte> content,
                           const std::filesystem::path& path);

/// Reads the bundle of the open file of a module, or of a program if they are accepted. Reads only
/// the needed pieces and keeps no contents, so the bundle can be inspected but not loaded. Includes
/// libraries that this process has loaded, because another process may not have loaded them.
Result<Bundle> inspect_bundle(const platform::File& module,
                              ElfFile::Accepts accepts = ElfFile::Accepts::libraries);

/// Returns whether the bundle can be unloaded and replaced, and what prevents it.
ReloadSafety reload_of(const Bundle& bundle, const UnloadStatement& stated);

/// Changes the contents so that an image of them can be unloaded and shares nothing with other
/// images of the same files: unique symbols become global ones, sonames are removed, and the
/// libraries of the bundle get names that are unique in the process, in one directory. Links to
/// debug information get unique names as well, which are stored in `debug`. Returns for each file
/// the names that it must have in that directory: none for a module that no library needs. `number`
/// is the first of bundle.size() numbers that were never used before in this process. Errors:
/// load-failed if a name is too short for the change.
Result<std::vector<std::vector<std::string>>> make_private(Bundle& bundle, std::uint64_t number);

/// Returns whether the dynamic loader accepts the file at `path`; it skips files for other
/// machines.
bool is_library_for_this_machine(const std::filesystem::path& path);

/// Returns the directories of a run path, in order.
std::vector<std::string_view> directories_of(std::string_view run_path);

/// Returns whether a directory of a run path, or a needed library, contains $ORIGIN.
bool has_origin(std::string_view path);

}}}  // namespace tenon::v0_1::detail
