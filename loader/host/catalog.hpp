// SPDX-License-Identifier: BSL-1.0
//
// The catalog: everything that a host knows from manifests.
#pragma once

#include <tenon/result.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/text_index.hpp"
#include "catalog/bindings.hpp"
#include "catalog/file_comparison.hpp"
#include "catalog/scan.hpp"
#include "host/registry.hpp"
#include "module/module.hpp"
#include "package/lock.hpp"

namespace tenon::detail {

/// The parts of a catalog that stay the same as long as the host.
struct CatalogRules {
  /// The host, as messages call it.
  std::string host{};
  /// The host's own requirements.
  std::map<std::string, Requirement, std::less<>> requirements{};
  std::vector<LockedPackage> lock{};
  std::filesystem::path lock_file{};
};

/// The modules that a catalog is built from.
struct CatalogContent {
  /// Builtins, then drop-ins in the order of places, then those in use whose file is gone.
  std::vector<ListedModule> modules{};
  /// Modules whose file was not found and that were idle, as long as they live: an older catalog
  /// may still bring them into use.
  std::vector<std::weak_ptr<Module>> unlisted{};
  /// Problems of files, each with its code.
  std::vector<Error> unreadable{};
  /// Names in manifests of files that cannot be used.
  BrokenNames broken{};
};

/// Immutable: all functions may be called from any thread. Answers point into it.
class Catalog {
 public:
  Catalog(const CatalogRules& rules, CatalogContent content, FileComparison& files);
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  const CatalogContent& content() const noexcept { return content_; }
  const Registry& registry() const noexcept { return registry_; }
  const Bindings& bindings() const noexcept { return registry_.bindings(); }
  /// The module of a file, also one that is not listed; nullptr where there is none.
  std::shared_ptr<Module> module_of(const std::filesystem::path& file) const;
  /// The module as it is listed; nullptr where it is not.
  const ListedModule* find(const Module& module) const;
  /// All modules that are listed, and those that came into use since they were unlisted.
  std::vector<std::shared_ptr<Module>> modules() const;
  /// Of each package of the bindings where it lies; empty for a builtin.
  const std::vector<const std::filesystem::path*>& files() const noexcept { return files_; }
  /// Problems of files, then those of packages and plugins that are left out.
  std::vector<Error> skipped() const;

 private:
  void register_all(FileComparison& files);
  void find_files();

  const CatalogContent content_;
  Registry registry_;
  std::vector<Error> left_out_;
  std::vector<const std::filesystem::path*> files_;  // of the modules
  TextIndex by_file_;                                // places among the modules
};

}  // namespace tenon::detail
