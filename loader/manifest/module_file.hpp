// SPDX-License-Identifier: BSL-1.0
//
// What can be known of a module without running any of its code: the one way into this room.
#pragma once

#include "binary/bundle.hpp"
#include "manifest/manifest.hpp"
#include "platform/file.hpp"

#include <tenon/result.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tenon {

/// The integers at the start of the object that the module exports.
struct Prologue {
  std::uint32_t struct_size = 0;
  AbiVersion abi;
};

struct ModuleImage {
  Prologue prologue;
  Manifest manifest;
};

struct ModuleFile {
  platform::FileIdentity identity;
  ModuleImage image;
};

/// Opens the file of a module. What is no regular file is not opened. Errors: not-found,
/// cannot-read; not-a-module (a folder, pipe, socket or device, or a link that leads nowhere).
Result<platform::File> open_module(const std::filesystem::path& path);

/// Reads the manifest and the prologue of the module at `path`: only the pieces of the file that
/// are needed. Any thread. Errors, each with path, found, needed and fix: not-found, cannot-read,
/// empty-file, truncated-file, not-a-module, broken-file, wrong-architecture,
/// no-manifest, two-manifests, broken-manifest, abi-too-new, abi-unknown,
/// no-module-object, wrong-magic, size-too-small, size-too-large, manifest-differs. A file of more
/// than `largest_file` bytes, which cannot be loaded, is cannot-read.
Result<ModuleFile> read_module_file(const std::filesystem::path& path);
/// The same of an open file.
Result<ModuleFile> read_module_file(const platform::File& file);

/// The names of package and plugins as far as the manifest shows them, which may be broken: the
/// text of every key `name`. Nothing where the file has no manifest.
std::vector<std::string> names_in_manifest(const platform::File& file);

/// The same as read_module_file from the whole file in memory; `path` is for messages.
Result<ModuleImage> read_module_image(std::span<const std::byte> bytes,
                                      const std::filesystem::path& path);

/// All that loading needs to know of a module.
struct WholeModule {
  std::optional<Manifest> manifest;  // nothing: its text is that of the one that is known
  Bundle bundle;
};

/// Reads the module in `content`, which is that of the file at `path`, and the libraries beside it.
/// Does the work of read_module_image and read_bundle, whose errors it has, in one look at the
/// file. `known`: the manifest that the file had before.
Result<WholeModule> read_whole_module(std::vector<std::byte> content,
                                      const std::filesystem::path& path, const Manifest& known);

}  // namespace tenon
