// SPDX-License-Identifier: BSL-1.0
//
// The look through the search path: reads the manifest of each module file, loads none.
//
// A folder of modules holds them side by side, or in folders of their own by package and version,
// so that several versions of one package, with files of the same name, can be there:
//
//   libblur.so
//   blur/1.2.0/libblur.so        me.example/blur/1.3.0/libblur.so
//   blur/dev/libblur.so          what is being worked on: counts as version 0.0.0
#pragma once

#include <tenon/result.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "catalog/search_path.hpp"
#include "manifest/manifest.hpp"
#include "platform/file.hpp"

namespace tenon::detail {

struct FoundModule {
  std::filesystem::path file;
  std::shared_ptr<const Manifest> manifest;
  platform::FileIdentity identity{};
};

/// Names of packages and plugins, and what is wrong with the first file whose manifest has them and
/// that cannot be used.
using BrokenNames = std::map<std::string, Error, std::less<>>;

struct Scan {
  std::vector<FoundModule> modules;  // in the order of the places, then of the names
  std::vector<Error> skipped;        // each with its rule and its grade
  BrokenNames broken{};
};

/// Manifests that the last scan has read. Files that have not changed since are not read again.
class KnownFiles {
 public:
  struct Known {
    std::shared_ptr<const Manifest> manifest;
    platform::FileIdentity identity{};
  };
  /// Returns what was read of the file if it has not changed since; otherwise nullptr.
  const Known* find(const std::filesystem::path& file) const;
  /// Keeps what was read at a time. Files that changed a moment before are left out: another change
  /// may leave no trace then, as coarse as the times of files are.
  void keep(const std::vector<FoundModule>& modules, std::chrono::system_clock::time_point when);

 private:
  std::unordered_map<std::filesystem::path::string_type, Known> files_;
};

/// Reads the files that have the suffix of modules. One that is no good module harms no other; see
/// read_module_file. A folder of a version takes only that version of its package: `wrong-folder`.
/// Packages in development are used, and noted: `in-development`.
Scan scan(const std::vector<SearchPlace>& places);
/// The same after an earlier scan, with what that has read.
Scan scan(const std::vector<SearchPlace>& places, KnownFiles& known,
          std::chrono::system_clock::time_point now);

/// What a manifest in a folder `dev` counts as: version 0.0.0, which is no release, and its
/// requirements are not enforced.
void put_in_development(Manifest& manifest);

}  // namespace tenon::detail
