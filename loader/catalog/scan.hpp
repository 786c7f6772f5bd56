// SPDX-License-Identifier: BSL-1.0
//
// The scan of the search path. It reads the manifest of each module file, and loads no module.
//
// A directory of modules contains module files, directories with the files of one plugin, or
// directories by package and version, so that it can contain several versions of one package with
// files of the same name:
//
//   libblur.so                   blur/libblur.so
//   blur/1.2.0/libblur.so        me.example/blur/1.3.0/libblur.so
//   blur/dev/libblur.so          a package in development: counts as version 0.0.0
#pragma once

#include <tenon/result.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "catalog/search_path.hpp"
#include "manifest/manifest.hpp"
#include "platform/file.hpp"
#include "trust/trust_policy.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

struct FoundModule {
  std::filesystem::path file;
  std::shared_ptr<const Manifest> manifest;
  platform::FileIdentity identity{};
  platform::FileAccess access{};
};

/// A module file that cannot be used.
struct BrokenModule {
  Error error;
  std::optional<Version> version{};  // of its package, if its manifest is correct
};

/// Names of packages and plugins in manifests of unusable files, with the first such file.
using BrokenNames = std::map<std::string, BrokenModule, std::less<>>;

struct Scan {
  std::vector<FoundModule> modules;  // in the order of the search path, then by name
  std::vector<Error> skipped;        // each with its code and severity
  BrokenNames broken{};
};

/// The manifests of the previous scan. Unchanged files are not read again.
class KnownFiles {
 public:
  struct Known {
    std::shared_ptr<const Manifest> manifest;
    platform::FileIdentity identity{};
    platform::FileAccess access{};
  };
  /// Returns the manifest of a file if the file has not changed since, otherwise nullptr.
  const Known* find(const std::filesystem::path& file) const;
  /// Replaces the manifests with those of a scan that started at `when`. Files that changed less
  /// than 3 seconds before are left out, since the coarse times of files may not show another
  /// change.
  void keep(const std::vector<FoundModule>& modules, std::chrono::system_clock::time_point when);

 private:
  std::unordered_map<std::filesystem::path::string_type, Known> files_;
};

/// Reads the manifests of all files with the suffix of modules, and reuses those of the previous
/// scan. Invalid files are skipped, each with an error; see read_module_file. Libraries without a
/// manifest are errors only in the search path itself, since plugins in directories of their own
/// may bring libraries. Errors also: wrong-directory, if a module is not of the version of its
/// directory; misplaced-module and wrong-suffix, for modules that are not searched;
/// untrusted-owner, not-pinned and denied, if `policy` refuses it; in-development, a note for
/// packages in development, which are used.
Scan scan(const std::vector<SearchPath>& paths, const TrustPolicy& policy, KnownFiles& known,
          std::chrono::system_clock::time_point now);

/// Sets the name of the version directory that contains a module, or an empty text, in its
/// manifest. In a directory `dev` the manifest gets version 0.0.0, and its requirements are not
/// enforced.
void set_version_directory(const std::string& directory, Manifest& manifest);
/// Checks that a module is of the version of its directory. Error: wrong-directory.
Result<void> check_version_directory(const std::filesystem::path& file, const Manifest& manifest);

}}}  // namespace tenon::v0_1::detail
