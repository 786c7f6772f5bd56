// SPDX-License-Identifier: BSL-1.0
//
// Finds the modules of a host in its search paths, and watches their files.
#pragma once

#include <tenon/host.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "base/lock_order.hpp"
#include "catalog/catalog_store.hpp"
#include "catalog/crash_records.hpp"
#include "catalog/scan.hpp"
#include "host/file_watcher.hpp"
#include "host/host_settings.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Thread-safe.
class ModuleFinder {
 public:
  /// REQUIRED: `options` and `catalog` live as long as this.
  ModuleFinder(const HostOptions& options, CatalogStore& catalog)
      : options_(options), catalog_(catalog), known_files_(options.app) {}
  ModuleFinder(const ModuleFinder&) = delete;
  ModuleFinder& operator=(const ModuleFinder&) = delete;

  /// Starts to watch the files that `rescan` finds. Errors: those of FileWatcher::start. REQUIRED:
  /// called at most once, before the functions below.
  Result<void> watch(FileWatcher::Callback changed);
  /// Waits until a running callback has returned, unless the callback calls this. Returns false if
  /// the thread that watches has not ended by the deadline, and leaves it running.
  bool stop_watching(FileWatcher::Clock::time_point deadline) noexcept;
  /// Reads the settings, scans the search paths, and publishes the catalog of the modules that
  /// `policy` accepts, without those that the settings exclude, and those that `records` leaves
  /// out, unless that is nullptr. `make` creates new ones. Returns the events of quarantines that
  /// have ended.
  std::vector<Event> rescan(const TrustPolicy& policy, HostSettings& settings,
                            CrashRecords* records, const CatalogStore::MakeModule& make);

 private:
  /// Returns nullptr if no files are watched.
  std::shared_ptr<FileWatcher> watcher() const;

  const HostOptions& options_;
  CatalogStore& catalog_;
  Mutex scanning_{LockRank::scanning};
  KnownFiles known_files_ TENON_GUARDED_BY(scanning_);
  mutable Mutex watching_{LockRank::watching};  // apart, since a file system may block a rescan
  std::shared_ptr<FileWatcher> watcher_ TENON_GUARDED_BY(watching_);
};

}}}  // namespace tenon::v0_1::detail
