// SPDX-License-Identifier: BSL-1.0
//
// Reads module files without running their code.
#pragma once

#include <tenon/result.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "binary/bundle.hpp"
#include "manifest/manifest.hpp"
#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The first fields of the object that a module exports.
struct Prologue {
  std::uint32_t struct_size = 0;
  AbiVersion abi;
};

struct ModuleImage {
  Prologue prologue;
  std::shared_ptr<Manifest> manifest;  // never nullptr
};

struct ModuleFile {
  platform::FileIdentity identity;
  ModuleImage image;
};

/// Opens the file of a module. Files that are not regular are not opened. Errors: not-found,
/// cannot-read, not-a-module (a directory, pipe, socket or device, or a dangling link).
/// `is_regular`: see platform::File::open.
Result<platform::File> open_module(const std::filesystem::path& path, bool is_regular = false);

/// Reads the manifest and the prologue of the module at `path`. Reads only the pieces of the file
/// that it needs. Any thread. Errors, each with path, found, needed and fix: not-found, cannot-read
/// (also for more than `max_file_size` bytes), empty-file, truncated-file, not-a-module,
/// broken-file, wrong-architecture, no-manifest, manifest-removed, two-manifests, broken-manifest,
/// abi-too-new, abi-unknown, no-module-object, wrong-magic, size-too-small, size-too-large,
/// manifest-differs.
Result<ModuleFile> read_module_file(const std::filesystem::path& path);
/// Reads the manifest and the prologue of an open file.
Result<ModuleFile> read_module_file(const platform::File& file);
/// The same for a module that is built for any system, and may be unusable here.
Result<ModuleFile> inspect_module_file(const platform::File& file);

/// Returns the names of the package and its plugins from a manifest that may be broken: the value
/// of every key `name`. Empty if the file has no manifest.
std::vector<std::string> names_in_manifest(const platform::File& file);

/// Reads the manifest and the prologue of a whole file in memory. `path` is for messages. Errors:
/// those of read_module_file.
Result<ModuleImage> read_module_image(std::span<const std::byte> bytes,
                                      const std::filesystem::path& path);

/// A module that is ready to be loaded.
struct WholeModule {
  std::optional<Manifest> manifest;  // nothing: its text is that of the known manifest
  Bundle bundle;
};

/// Reads the module in `content`, the content of the file at `path`, and the libraries next to it.
/// Combines read_module_image and read_bundle, whose errors it returns, and parses the file only
/// once. `known` is the manifest that the file had before.
Result<WholeModule> read_whole_module(std::vector<std::byte> content,
                                      const std::filesystem::path& path, const Manifest& known);

}}}  // namespace tenon::v0_1::detail
