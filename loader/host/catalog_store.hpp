// SPDX-License-Identifier: BSL-1.0
//
// Where a host keeps its current catalog. Readers copy one pointer; they never wait for a catalog
// that is being built, nor for files that are compared for it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/lock_order.hpp"
#include "catalog/file_comparison.hpp"
#include "catalog/scan.hpp"
#include "host/catalog.hpp"
#include "module/module_host.hpp"

namespace tenon::detail {

/// Thread-safe. Catalogs are built without a lock; if another one was published meanwhile, a new
/// one is built while other writers wait. By then all files have been compared.
class CatalogStore : public std::enable_shared_from_this<CatalogStore> {
 public:
  using CatalogPtr = std::shared_ptr<const Catalog>;
  using MakeModule =
      std::function<std::shared_ptr<Module>(ModuleOrigin, std::shared_ptr<const Manifest>)>;

  CatalogStore();

  /// Sets what stays the same for all catalogs, and the builtins, which `list` lists first.
  /// REQUIRED: called once, before the functions that follow.
  void begin(CatalogRules rules, std::vector<ListedModule> builtins);

  CatalogPtr current() const;

  /// Publishes the catalog of the modules that were found. There is one Module for each file as
  /// long as one is alive: it is reused, and made by `make` where there is none. Modules that are
  /// in use stay listed though their file is gone. REQUIRED: no other thread is in this function;
  /// each file is found once.
  void list(std::vector<FoundModule> found, std::vector<Error> unreadable, const MakeModule& make,
            BrokenNames broken = {});

  /// See PluginDirectory::prepare.
  std::unique_ptr<CatalogChange> prepare(const Module& module,
                                         std::shared_ptr<const Manifest> fresh);

 private:
  class Change;

  CatalogContent content_of(const Catalog& base, std::vector<FoundModule> found,
                            const MakeModule& make) const;
  CatalogPtr build(CatalogContent content);
  void set(CatalogPtr next);

  CatalogRules rules_;
  std::vector<ListedModule> builtins_;
  FileComparison files_;
  Mutex publishing_{LockRank::publishing};  // of writers; no reader takes it
  mutable Mutex mutex_{LockRank::catalog};  // of current_ alone
  CatalogPtr current_;
};

}  // namespace tenon::detail
