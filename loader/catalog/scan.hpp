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
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "catalog/search_path.hpp"
#include "manifest/manifest.hpp"
#include "platform/file.hpp"
#include "trust/trust_policy.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

class IndexFile;
class ModuleIndex;

struct FoundModule {
  platform::PathText file;
  std::shared_ptr<const Manifest> manifest;
  platform::FileIdentity identity{};
  bool is_indexed = false;  // the index had the file in this state
};

/// A file below the search path that is named like a module, but is none.
struct FoundLibrary {
  platform::PathText file;
  platform::FileIdentity identity{};
  bool is_indexed = false;
};

/// An entry of the search path, and how many of the modules and libraries were found in it.
struct ScannedDirectory {
  platform::PathText path;
  std::string canonical;
  std::size_t modules = 0;
  std::size_t libraries = 0;
};

/// Returns the name of a file below an entry of the search path; empty if the entry is the file.
std::string name_below(const ScannedDirectory& directory, const platform::PathText& file);

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
  std::vector<FoundLibrary> libraries{};
  std::vector<ScannedDirectory> directories{};
};

/// The files of the previous scan, and those of the index before the first one. Unchanged files are
/// not read again.
class KnownFiles {
 public:
  struct Known {
    std::shared_ptr<const Manifest> manifest;  // nullptr: the file is no module
    platform::FileIdentity identity{};
  };

  /// `app`: the one whose index is read by the first scan, and updated; empty: none.
  explicit KnownFiles(std::string app = {});
  ~KnownFiles();
  KnownFiles(const KnownFiles&) = delete;
  KnownFiles& operator=(const KnownFiles&) = delete;

  /// Begins a scan.
  void begin();
  /// Returns whether any file is known, in this scan or in the index.
  bool has_any() const noexcept;
  /// Returns the index during the first scan; nullptr if there is none.
  const IndexFile* index() const noexcept;
  /// Returns what is known of a file, which may have changed, or nullptr.
  const Known* find(const platform::PathText& file) const;
  /// Ends a scan that started at `when`. Files whose next change may not show are left out; see
  /// is_settled.
  void keep(const Scan& scan, std::chrono::system_clock::time_point when);

 private:
  std::string app_;
  std::unique_ptr<const ModuleIndex> index_;
  // Of the previous scan. They are moved to `files_` when the next one begins, which is rare.
  std::vector<std::pair<platform::PathText, Known>> kept_;
  std::unordered_map<platform::PathText, Known> files_;
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
