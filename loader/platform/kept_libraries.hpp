// SPDX-License-Identifier: BSL-1.0
//
// Libraries that modules bring into the process. Many of them cannot be unmapped: their threads,
// thread keys and signal handlers outlast the module. So they stay mapped until the process exits.
#pragma once

#include <chrono>
#include <filesystem>
#include <vector>

#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

/// One image that a kept library brought: its own, or one that it needs.
struct KeptLibrary {
  std::filesystem::path path;  // by which the dynamic loader knows it
  std::filesystem::path file;  // the same without symbolic links
  FileIdentity identity;
  std::chrono::system_clock::time_point since;
};

/// The result of `keep_library`.
enum class Kept {
  loaded_before,  // nothing was done
  kept,
  not_alone,       // it cannot be loaded without the module
  with_its_module  // it, or a library that it needs, must not be kept
};

/// Loads a library alone, so that it does not use symbols of the module that needs it, and keeps it
/// mapped with the libraries that it needs. `path` may be the name of a library. If `may_keep`
/// returns false for the path of one that was not loaded before, all are unmapped again. Runs their
/// constructors. Thread-safe. REQUIRED: no lock is held.
Kept keep_library(const std::filesystem::path& path,
                  bool (*may_keep)(const std::filesystem::path&));

/// Adds loaded images to those that `keep_library` brought. Thread-safe.
void add_kept_libraries(const std::vector<std::filesystem::path>& images);

/// Returns the images that `keep_library` brought, in the order in which they were loaded.
/// Thread-safe.
std::vector<KeptLibrary> kept_libraries();

/// Returns whether `keep_library` brought the image with this path. Thread-safe.
bool is_kept(const std::filesystem::path& path);

/// Returns whether the file at the path of a kept library is another one by now, or is missing.
bool is_replaced(const KeptLibrary& library);

/// Returns whether a library is loaded, and was not brought by `keep_library`. A path without a
/// directory is the name of a library. Thread-safe.
bool is_loaded_by_program(const std::filesystem::path& path);

}}}  // namespace tenon::v0_1::platform
