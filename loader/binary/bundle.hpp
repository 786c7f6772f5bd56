// SPDX-License-Identifier: BSL-1.0
//
// The files that are loaded as one module: its own, and the libraries that lie beside it, where
// $ORIGIN points. Those of the system are shared with the rest of the process; so is one that the
// process has loaded already, from its file or another of its name, as the system's loader does it.
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

namespace tenon {

namespace platform {
class File;
}

/// Far above any real module with its libraries; keeps files that are none from filling the memory.
inline constexpr std::size_t largest_file = std::size_t{1} << 30;

/// One of the libraries that a file needs.
struct Needed {
  ElfFile::Text name;
  /// Where the run path of the file leads to; empty where the system has to know.
  std::filesystem::path path;
  /// Which file of the bundle it is, if it belongs to it.
  std::optional<std::size_t> own;
};

/// The file with the debug information of another one, and where that names it.
struct DebugFile {
  ElfFile::Text link;
  std::filesystem::path path;
};

struct BundleFile {
  std::filesystem::path path;
  std::vector<std::byte> content;
  std::vector<Needed> needed;
  ElfFile::Linkage linkage;  // without the names in `needed`
  ElfFile::Pins pins;
  std::optional<DebugFile> debug = std::nullopt;  // where there is such a file
};

/// The module first.
using Bundle = std::vector<BundleFile>;

/// `content` is that of the module at `path`; the libraries beside it are read here, each once. Any
/// thread. Errors, with the file in `where`: those of opening an ELF file, cannot-read.
Result<Bundle> read_bundle(std::vector<std::byte> content, const std::filesystem::path& path);
/// The same of a module that is open already. REQUIRED: `module` reads `content`.
Result<Bundle> read_bundle(const ElfFile& module, std::vector<std::byte> content,
                           const std::filesystem::path& path);

/// The same of the open file of a module, or where they are accepted of a program, read piece by
/// piece: no contents are kept, so it can only be looked at. Libraries that this process has loaded
/// belong to it as well: another process may not have them.
Result<Bundle> look_at_bundle(const platform::File& module,
                              ElfFile::Accepts accepts = ElfFile::Accepts::libraries);

/// What stands in the way of unloading it.
ReloadSafety reload_of(const Bundle& bundle, bool joins_threads);

/// Changes the contents so that an image of them goes when it is unloaded and shares nothing with
/// other images of the same files: unique symbols become ordinary ones, no file has a name of its
/// own, the libraries of the bundle have names in the files that need them that nobody had before,
/// and lie in one folder. The debug information gets a name of its own as well, so that links to it
/// can lie there: `debug` has it then. Answers for each file under which names it has to lie there:
/// none for a module that no library needs. `number` is the first of bundle.size() numbers that
/// were never used before in this process. Errors: load-failed where a name has no room for the
/// change.
Result<std::vector<std::vector<std::string>>> make_private(Bundle& bundle, std::uint64_t number);

/// Whether the system's loader would take the file at `path`; it passes over those of other
/// machines.
bool is_library_for_this_machine(const std::filesystem::path& path);

/// The folders of a run path, in order.
std::vector<std::string_view> folders_of(std::string_view run_path);

/// Whether a path contains $ORIGIN: a folder of a run path, or a needed library.
bool is_near(std::string_view folder);

}  // namespace tenon
