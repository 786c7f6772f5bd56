// SPDX-License-Identifier: BSL-1.0
#include "host/module_finder.hpp"

#include <chrono>
#include <filesystem>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "base/test_point.hpp"
#include "catalog/search_path.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

void watch_all(FileWatcher& watcher, Scan& found) {
  for (const FoundModule& module : found.modules) {
    if (auto added = watcher.add(module.file); !added) {
      found.skipped.push_back(added.error().with_severity(Severity::warning));
    }
  }
}

/// Stops watching files of modules that are neither listed nor in use.
void forget_unlisted(FileWatcher& watcher, const Catalog& catalog) {
  std::unordered_set<platform::PathText> files;
  for (const auto& module : catalog.modules()) files.insert(module->origin().file);
  watcher.remove_if([&](const auto& file) { return !files.contains(file.native()); });
}

}  // namespace

Result<void> ModuleFinder::watch(FileWatcher::Callback changed) {
  auto watcher = FileWatcher::start(std::move(changed));
  if (!watcher) return std::move(watcher).error();
  const sync::Lock lock(watching_);
  watcher_ = std::move(*watcher);
  return {};
}

std::shared_ptr<FileWatcher> ModuleFinder::watcher() const {
  const sync::Lock lock(watching_);
  return watcher_;
}

bool ModuleFinder::stop_watching(FileWatcher::Clock::time_point deadline) noexcept {
  std::shared_ptr<FileWatcher> ended;  // stopped without the lock, since that waits for a callback
  {
    const sync::Lock lock(watching_);
    ended = std::move(watcher_);
  }
  return ended == nullptr || ended->stop(deadline);
}

std::vector<Event> ModuleFinder::rescan(const TrustPolicy& policy, HostSettings& settings,
                                        CrashRecords* records,
                                        const CatalogStore::MakeModule& make) {
  const sync::Lock lock(scanning_);
  const HostSettings::Ptr operator_settings = settings.read();
  Scan found = scan(search_paths(options_.app, options_.plugin_path), policy, known_files_,
                    std::chrono::system_clock::now());
  if (records != nullptr) records->leave_out(found);
  apply(*operator_settings, options_.app, found);
  const auto watcher = this->watcher();
  if (watcher != nullptr) watch_all(*watcher, found);
  const auto is_excluded = [&](const PluginModule& module) {
    const auto manifest = module.manifest();
    return refusal_by(*operator_settings, options_.app, manifest->name, manifest->version,
                      module.origin().file)
        .has_value();
  };
  TENON_TEST_POINT("rescan: scanned");
  std::vector<Event> released = catalog_.list(std::move(found.modules), std::move(found.skipped),
                                              make, std::move(found.broken), is_excluded);
  if (watcher != nullptr) forget_unlisted(*watcher, *catalog_.current());
  return released;
}

}}}  // namespace tenon::v0_1::detail
