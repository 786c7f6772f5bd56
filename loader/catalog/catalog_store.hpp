// SPDX-License-Identifier: BSL-1.0
//
// The current catalog of a host. Readers copy one pointer. They never wait while a catalog is
// built, nor while files are compared for it.
#pragma once

#include <tenon/events.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "base/lock_order.hpp"
#include "catalog/catalog.hpp"
#include "catalog/file_comparison.hpp"
#include "catalog/plugin_module.hpp"
#include "catalog/scan.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Thread-safe. Catalogs are built without a lock. If another one was published in the meantime,
/// the catalog is built again while other writers wait; by then all files have been compared.
class CatalogStore : public std::enable_shared_from_this<CatalogStore> {
 public:
  using CatalogPtr = std::shared_ptr<const Catalog>;
  using MakeModule =
      std::function<std::shared_ptr<PluginModule>(ModuleOrigin, std::shared_ptr<const Manifest>)>;

  CatalogStore();

  /// Sets the rules for all catalogs, and the builtins, which are listed first.
  /// REQUIRED: called once, before the functions below.
  void begin(CatalogRules rules, std::vector<ListedModule> builtins);

  CatalogPtr current() const;
  FileComparison& files() noexcept { return files_; }

  /// Returns whether new uses of a module in use, which was not found, are refused.
  using IsExcluded = std::function<bool(const PluginModule&)>;

  /// Publishes the catalog of the modules that were found. The module of a file is reused while it
  /// exists; otherwise `make` creates one. Modules in use stay listed even if their file is gone,
  /// unless they are excluded.
  /// Returns the events of quarantines that have ended. REQUIRED: no other thread is in this
  /// function; each file is listed once in `found`.
  std::vector<Event> list(std::vector<FoundModule> found, std::vector<Error> unreadable,
                          const MakeModule& make, BrokenNames broken = {},
                          const IsExcluded& is_excluded = {});

  /// See HostServices::prepare.
  std::unique_ptr<CatalogChange> prepare(const PluginModule& module,
                                         std::shared_ptr<const Manifest> fresh);

 private:
  class Change;

  CatalogContent content_of(const Catalog& base, std::vector<FoundModule> found,
                            const MakeModule& make, const IsExcluded& is_excluded,
                            std::vector<Event>& released) const;
  CatalogPtr build(CatalogContent content);
  void set(CatalogPtr next);

  CatalogRules rules_;
  std::vector<ListedModule> builtins_;
  FileComparison files_;
  Mutex publishing_{LockRank::publishing};  // for writers; no reader takes it
  mutable Mutex mutex_{LockRank::catalog};
  CatalogPtr current_ TENON_GUARDED_BY(mutex_);
};

}}}  // namespace tenon::v0_1::detail
