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

#include "catalog/bindings.hpp"
#include "catalog/file_comparison.hpp"
#include "catalog/plugin_module.hpp"
#include "catalog/registry.hpp"
#include "catalog/scan.hpp"
#include "trust/trust_policy.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The parts of a catalog that stay the same as long as the host.
struct CatalogRules {
  /// The name of the host in messages.
  std::string host{};
  /// The host's own requirements.
  std::map<std::string, Requirement, std::less<>> requirements{};
  TrustPolicy trust{};
};

/// The modules that a catalog is built from.
struct CatalogContent {
  /// Builtins, then standalone modules in the order of the search path, then modules in use whose
  /// file is gone.
  std::vector<ListedModule> modules{};
  /// Idle modules whose file was not found, and modules that settings exclude, as long as they
  /// exist. They may be in use, or an older catalog may still bring them into use.
  std::vector<std::weak_ptr<PluginModule>> unlisted{};
  /// Modules in use whose file has another manifest than the code that serves, with the manifest of
  /// the file.
  std::vector<ListedModule> replaced{};
  /// Problems of files, each with its code.
  std::vector<Error> unreadable{};
  /// Names in manifests of unusable files.
  BrokenNames broken{};
};

/// Immutable: all functions may be called from any thread. Returned pointers are valid as long as
/// the catalog.
class Catalog {
 public:
  Catalog(const CatalogRules& rules, CatalogContent content, FileComparison& files);
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  const CatalogContent& content() const noexcept { return content_; }
  const Registry& registry() const noexcept { return registry_; }
  const Bindings& bindings() const noexcept { return registry_.bindings(); }
  /// Returns the module of a file, listed or not, or nullptr if there is none. Linear in modules.
  std::shared_ptr<PluginModule> module_of(const std::filesystem::path& file) const;
  /// Returns the entry of a module, or nullptr if it is not listed.
  const ListedModule* find(const PluginModule& module) const;
  /// Returns all listed modules, and unlisted modules that are in use.
  std::vector<std::shared_ptr<PluginModule>> modules() const;
  /// Returns the file of each package of the bindings, by package id. Empty for a builtin.
  std::vector<const platform::PathText*> files() const;
  /// Returns the errors of files, then those of packages and plugins that are left out, then why
  /// restarts cannot use the files of `replaced`.
  std::vector<Error> problems() const;

 private:
  void register_all(FileComparison& files);
  void check_replaced(FileComparison& files);

  const CatalogContent content_;
  Registry registry_;
  std::vector<Error> refused_files_;
};

}}}  // namespace tenon::v0_1::detail
